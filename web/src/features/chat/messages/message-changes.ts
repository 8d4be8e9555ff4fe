import type { Message, Run } from '@roster/contracts/chat';
import type { RunEnd } from '#web/api/runs/run-store.ts';
import type { StoredFile } from '#web/features/chat/attachments/attachments.ts';
import type { MessagePage, MessageWindow } from './message-window.ts';

/** A question on its way: shown from the moment it is sent, gone when it is stored or refused. */
export type PendingMessage = {
  /** Below 0, as no stored message has it. */
  id: number;
  text: string;
  files: readonly StoredFile[];
  /** What it follows; undefined: the end of what is shown. */
  parentId: number | null | undefined;
  /** The newest message that was known when it was sent. */
  newest: number;
};

let pendingIds = 0;

export function pendingMessage(
  window: MessageWindow | undefined,
  draft: Pick<PendingMessage, 'text' | 'files' | 'parentId'>,
): PendingMessage {
  const known = (window?.items ?? []).flatMap(({ id, siblings }) => [id, ...siblings]);
  pendingIds -= 1;
  return { ...draft, id: pendingIds, newest: Math.max(0, ...known) };
}

/** What is shown while a question is on its way. It may be stored, and read, before its sender is told. */
export function withPending(
  { items }: MessageWindow,
  pending: PendingMessage | null,
): readonly (Message | PendingMessage)[] {
  if (!pending) return items;
  const isStored = items.some(
    ({ id, role, text }) => role === 'user' && id > pending.newest && text.trim() === pending.text.trim(),
  );
  if (isStored) return items;
  if (pending.parentId === undefined) return [...items, pending];
  return [...items.slice(0, items.findIndex(({ id }) => id === pending.parentId) + 1), pending];
}

/** Adds an older page; null where the window has changed meanwhile and the page no longer belongs in front. */
export function withOlder(window: MessageWindow, asked: string, page: MessagePage): MessageWindow {
  if (window.olderCursor !== asked) return window;
  return { ...window, items: [...page.items, ...window.items], olderCursor: page.nextCursor, grew: 'front' };
}

export function withNewer(window: MessageWindow, asked: string, page: MessagePage): MessageWindow {
  if (window.newerCursor !== asked) return window;
  return { ...window, items: [...window.items, ...page.items], newerCursor: page.newerCursor, grew: 'elsewhere' };
}

/** The answer that a run has begun to write, as it is before the server has told more. */
export function placeholderAnswer(
  question: Message,
  run: Run,
  together: readonly number[] = [],
  model: string | null = null,
): Message {
  return {
    id: run.messageId,
    threadId: question.threadId,
    parentId: question.id,
    role: 'assistant',
    text: '',
    reasoning: '',
    state: run.state,
    run: { id: run.id, state: run.state },
    model,
    usage: null,
    error: null,
    notes: [],
    files: [],
    sources: [],
    rating: null,
    siblings: together.length > 0 ? [...together] : [run.messageId],
    together: [...together],
    chosenId: null,
    createdAt: question.createdAt,
    finishedAt: null,
    endedEarly: null,
  };
}

/**
 * The window after messages were added behind `parentId` (null: at the beginning). Undefined where the parent is not
 * loaded, so that the end has to be read anew.
 */
export function withBranch(
  window: MessageWindow,
  parentId: number | null,
  added: readonly Message[],
): MessageWindow | undefined {
  const parent = window.items.findIndex((message) => message.id === parentId);
  if (parentId !== null && parent < 0) return undefined;
  return {
    items: [...window.items.slice(0, parent + 1), ...added],
    olderCursor: parentId === null ? null : window.olderCursor,
    newerCursor: null,
    grew: 'elsewhere',
  };
}

export const withMessage = (
  window: MessageWindow,
  id: number,
  change: (message: Message) => Message,
): MessageWindow => ({
  ...window,
  items: window.items.map((message) => (message.id === id ? change(message) : message)),
  grew: 'elsewhere',
});

/** How a loaded answer ended; undefined while it is written, or where it is not loaded. */
export function runEndOf(window: MessageWindow | undefined, id: number): RunEnd | undefined {
  const message = window?.items.find((one) => one.id === id);
  if (!message || message.state === 'queued' || message.state === 'running' || message.state === 'waiting')
    return undefined;
  return { state: message.state, error: message.error, endedEarly: message.endedEarly };
}

/** The answers that come from another model than the answer before, by id. */
export function modelChanges(items: readonly Message[]): ReadonlyMap<number, string> {
  const changes = new Map<number, string>();
  let before: string | null = null;
  for (const { id, role, model } of items) {
    if (role !== 'assistant' || model === null) continue;
    if (before !== null && before !== model) changes.set(id, model);
    before = model;
  }
  return changes;
}
