import type { Message } from '@roster/contracts/chat';

/**
 * The loaded part of a thread's shown branch: one contiguous range. A branch is a path in a tree, so the messages
 * before any given one are always the same; all merging relies on that.
 */
export type MessageWindow = {
  items: readonly Message[];
  /** Cursor towards the start; null if the start is loaded. */
  olderCursor: string | null;
  /** Cursor towards the end; null if the end is loaded. */
  newerCursor: string | null;
  /** Last change: only messages added in front may move the list's origin. */
  grew: 'front' | 'elsewhere';
};

export type MessagePage = { items: readonly Message[]; nextCursor: string | null; newerCursor: string | null };

export const windowOf = (page: MessagePage): MessageWindow => ({
  items: page.items,
  olderCursor: page.nextCursor,
  newerCursor: page.newerCursor,
  grew: 'elsewhere',
});

/** Keeps the identity of unchanged messages, so that they do not rerender. */
function keepSame(before: readonly Message[], after: readonly Message[]): Message[] {
  const known = new Map(before.map((message) => [message.id, message]));
  return after.map((message) => {
    const same = known.get(message.id);
    return same && JSON.stringify(same) === JSON.stringify(message) ? same : message;
  });
}

/** Merges a freshly loaded page: earlier messages stay if the page continues them. */
export function withPage(window: MessageWindow | undefined, page: MessagePage): MessageWindow {
  const first = page.items[0];
  if (!window || !first) return windowOf(page);
  const overlap = window.items.findIndex((message) => message.id === first.id);
  const start = overlap >= 0 ? overlap : window.items.findIndex((message) => message.id === first.parentId) + 1;
  if (start <= 0 && overlap < 0) return windowOf(page);
  return {
    items: [...window.items.slice(0, start), ...keepSame(window.items, page.items)],
    olderCursor: start === 0 ? page.nextCursor : window.olderCursor,
    newerCursor: page.newerCursor,
    grew: 'elsewhere',
  };
}

export const isInProgress = ({ state }: Pick<Message, 'state'>) =>
  state === 'queued' || state === 'running' || state === 'waiting';

/** The run that writes the last loaded message. */
export function activeRun(window: MessageWindow | undefined): { id: number; messageId: number } | null {
  const last = window?.items.at(-1);
  return last?.run && isInProgress(last) ? { id: last.run.id, messageId: last.id } : null;
}
