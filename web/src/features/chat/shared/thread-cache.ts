import type { Thread } from '@roster/contracts/chat';
import type { QueryClient } from '@tanstack/react-query';
import { withNewer, withOlder } from './message-changes.ts';
import { windowOf, withPage } from './message-window.ts';
import { isSearch, listPage, listsKey, type ThreadFilter, threadListQuery } from './queries.ts';
import { messagePage, messagesKey, messagesQuery, threadQuery } from './thread-queries.ts';
import type { ThreadWindow } from './thread-window.ts';
import { withNextPage, withoutThread, withThread } from './thread-window-changes.ts';

/** Loads the next page of a list, if there is one. */
export async function loadMoreThreads(client: QueryClient, filter: ThreadFilter): Promise<void> {
  const { queryKey } = threadListQuery(filter);
  const cursor = client.getQueryData(queryKey)?.nextCursor;
  if (!cursor) return;
  const page = await listPage(filter, cursor);
  client.setQueryData(queryKey, (window) => window && withNextPage(window, cursor, page));
}

export async function loadOlder(client: QueryClient, threadId: number): Promise<void> {
  const { queryKey } = messagesQuery(threadId);
  const cursor = client.getQueryData(queryKey)?.olderCursor;
  if (!cursor) return;
  const page = await messagePage(threadId, { cursor, limit: 100 });
  client.setQueryData(queryKey, (window) => window && withOlder(window, cursor, page));
}

export async function loadNewer(client: QueryClient, threadId: number): Promise<void> {
  const { queryKey } = messagesQuery(threadId);
  const cursor = client.getQueryData(queryKey)?.newerCursor;
  if (!cursor) return;
  const page = await messagePage(threadId, { cursor, limit: 100 });
  client.setQueryData(queryKey, (window) => window && withNewer(window, cursor, page));
}

/** Replaces the loaded messages by the end of the thread. */
export async function loadEnd(client: QueryClient, threadId: number): Promise<void> {
  const page = await messagePage(threadId, {});
  client.setQueryData(messagesQuery(threadId).queryKey, windowOf(page));
}

/** Loads the messages around one, keeping earlier ones if they are contiguous. */
export async function loadAround(client: QueryClient, threadId: number, messageId: number): Promise<void> {
  const page = await messagePage(threadId, { around: messageId });
  client.setQueryData(messagesQuery(threadId).queryKey, (window) => withPage(window, page));
}

/** Makes a thread open at its end, unless that is loaded already. */
export function forgetMiddle(client: QueryClient, threadId: number): void {
  const { queryKey } = messagesQuery(threadId);
  if (client.getQueryData(queryKey)?.newerCursor) client.removeQueries({ queryKey });
}

export const refreshMessages = (client: QueryClient, threadId: number) =>
  client.invalidateQueries({ queryKey: messagesKey(threadId) });
/** Parallel answers. */
export const refreshAnswers = (client: QueryClient, threadId: number) =>
  client.invalidateQueries({ queryKey: ['threads', threadId, 'answers'] });
export const refreshThread = (client: QueryClient, threadId: number) =>
  client.invalidateQueries({ queryKey: threadQuery(threadId).queryKey });

/** Loads the lists again, also one that is loading for the first time and may bring what was true before. */
export async function refreshLists(client: QueryClient): Promise<void> {
  const loading = client
    .getQueryCache()
    .findAll({ queryKey: listsKey, fetchStatus: 'fetching' })
    .filter(({ state }) => state.data === undefined);
  // Waits for first loads, but does not repeat them.
  await client.invalidateQueries({ queryKey: listsKey });
  if (loading.length > 0)
    await client.invalidateQueries({ queryKey: listsKey, predicate: (query) => loading.includes(query) });
}

/** Search results may be outdated: an answer is indexed when it has ended. */
export const refreshSearches = (client: QueryClient) =>
  client.invalidateQueries({
    queryKey: listsKey,
    predicate: ({ queryKey }) => isFilter(queryKey[2]) && isSearch(queryKey[2]),
  });

function changeLists(client: QueryClient, change: (window: ThreadWindow, filter: ThreadFilter) => ThreadWindow) {
  for (const query of client.getQueryCache().findAll({ queryKey: listsKey })) {
    const filter = query.queryKey[2];
    if (!isFilter(filter)) continue;
    client.setQueryData(threadListQuery(filter).queryKey, (window) => window && change(window, filter));
  }
}

const isFilter = (value: unknown): value is ThreadFilter =>
  typeof value === 'object' && value !== null && 'q' in value && 'view' in value;

function isIn({ q, view }: ThreadFilter, { archived, madeBy, temporary }: Thread) {
  if (temporary) return false;
  if (view === 'recent') return q !== '' || !(archived || madeBy);
  return view === 'archived' ? archived : madeBy !== null && (q !== '' || !archived);
}

/** Writes a thread from the server into every query that shows it. */
export function showThread(client: QueryClient, thread: Thread): void {
  client.setQueryData(threadQuery(thread.id).queryKey, thread);
  changeLists(client, (window, filter) => {
    if (!isIn(filter, thread)) return withoutThread(window, thread.id);
    if (!isSearch(filter)) return withThread(window, thread);
    const items = window.items.map((item) => (item.id === thread.id ? { ...thread, match: item.match } : item));
    return { ...window, items };
  });
}

/** Removes a thread from the lists. */
export const hideThread = (client: QueryClient, threadId: number): void =>
  changeLists(client, (window) => withoutThread(window, threadId));

export function forgetThread(client: QueryClient, threadId: number): void {
  client.removeQueries({ queryKey: ['threads', threadId] });
  hideThread(client, threadId);
}
