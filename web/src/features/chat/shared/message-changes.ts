import type { Message, Run } from '@roster/contracts/chat';
import type { RunEnd } from '#web/api/runs/run-store.ts';
import type { StoredFile } from './attachments.ts';
import type { MessagePage, MessageWindow } from './message-window.ts';

/** A question being sent: shown from the start, removed when it is stored or refused. */
export type PendingMessage = {
  /** Negative, so that it never equals a stored id. */
  id: number;
  text: string;
  files: readonly StoredFile[];
  /** The message it follows; undefined for the head. */
  parentId: number | null | undefined;
  /** The newest message known when it was sent. */
  newest: number;
};

let pendingIds = 0;

export function pendingMessage(
  window: MessageWindow | undefined,
  { text, files }: Pick<PendingMessage, 'text' | 'files'>,
  parentId: PendingMessage['parentId'],
): PendingMessage {
  const known = (window?.items ?? []).flatMap(({ id, siblings }) => [id, ...siblings]);
  pendingIds -= 1;
  return { text, files, parentId, id: pendingIds, newest: Math.max(0, ...known) };
}

/** Adds the pending question, unless the server has stored it and it has already been loaded. */
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

/** Prepends an older page; returns the window unchanged if its start has moved since the request. */
export function withOlder(window: MessageWindow, asked: string, page: MessagePage): MessageWindow {
  if (window.olderCursor !== asked) return window;
  return { ...window, items: [...page.items, ...window.items], olderCursor: page.nextCursor, grew: 'front' };
}

export function withNewer(window: MessageWindow, asked: string, page: MessagePage): MessageWindow {
  if (window.newerCursor !== asked) return window;
  return { ...window, items: [...window.items, ...page.items], newerCursor: page.newerCursor, grew: 'elsewhere' };
}

/** An empty answer for a run that has just started. */
export function awaitedAnswer(
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
 * The window after messages were added below `parentId` (null: at the start). Undefined if the parent is not loaded;
 * then the end must be fetched.
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

/** How a loaded answer ended; undefined while it is written or if it is not loaded. */
export function endOf(window: MessageWindow | undefined, id: number): RunEnd | undefined {
  const message = window?.items.find((one) => one.id === id);
  if (!message || message.state === 'queued' || message.state === 'running' || message.state === 'waiting')
    return undefined;
  return { state: message.state, error: message.error, endedEarly: message.endedEarly };
}

/** Ids of answers whose model differs from the previous answer's, with the model. */
export function changesOfModel(items: readonly Message[]): ReadonlyMap<number, string> {
  const changes = new Map<number, string>();
  let before: string | null = null;
  for (const { id, role, model } of items) {
    if (role !== 'assistant' || model === null) continue;
    if (before !== null && before !== model) changes.set(id, model);
    before = model;
  }
  return changes;
}
