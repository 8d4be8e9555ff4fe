import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, call } from '#web/lib/api-client.ts';
import { type MessageWindow, withPage } from './message-window.ts';

export const messagesKey = (threadId: number) => ['threads', threadId, 'messages'] as const;

/** True if the server understood the request and refused it. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500;

/** Poll interval in milliseconds for changes from other tabs and devices. */
const pollIntervalMs = 4000;

export const threadQuery = (threadId: number) =>
  queryOptions({
    queryKey: ['threads', threadId, 'thread'],
    queryFn: ({ signal }) => call(chat.thread, { params: { id: threadId } }, signal),
    // Keep polling through a restart of the server, but not for a missing thread.
    refetchInterval: ({ state }) => (isRefusal(state.error) ? false : pollIntervalMs),
    refetchOnWindowFocus: 'always',
  });

export const messagePage = (
  threadId: number,
  query: { cursor?: string; around?: number; limit?: number },
  signal?: AbortSignal,
) => call(chat.messages, { params: { id: threadId }, query }, signal);

/** Loaded messages of a thread. A refetch reads the end, and does nothing while the view is elsewhere. */
export const messagesQuery = (threadId: number) =>
  queryOptions({
    queryKey: messagesKey(threadId),
    queryFn: async ({ client, signal }): Promise<MessageWindow> => {
      const before = client.getQueryData<MessageWindow>(messagesKey(threadId));
      if (before && before.newerCursor !== null) return before;
      const page = await messagePage(threadId, {}, signal);
      return withPage(client.getQueryData<MessageWindow>(messagesKey(threadId)), page);
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Do not overwrite what was just loaded around a search hit.
    refetchOnMount: ({ state }) => (Date.now() - state.dataUpdatedAt < 2000 ? false : 'always'),
  });
