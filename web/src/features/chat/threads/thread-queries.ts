import { chat } from '@roster/contracts/chat';
import { queryOptions } from '@tanstack/react-query';
import { type MessageWindow, withPage } from '#web/features/chat/messages/message-window.ts';
import { ApiError, call } from '#web/lib/api-client.ts';

export const messagesKey = (threadId: number) => ['threads', threadId, 'messages'] as const;

/** Whether the server has understood and said no. */
export const isClientError = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500;

/** How often an open thread asks whether another tab or device has written in it. */
const lookAgainAfter = 4000;

export const threadQuery = (threadId: number) =>
  queryOptions({
    queryKey: ['threads', threadId, 'thread'],
    queryFn: ({ signal }) => call(chat.thread, { params: { id: threadId } }, signal),
    // A server that is being restarted is asked again; a thread that is gone is not.
    refetchInterval: ({ state }) => (isClientError(state.error) ? false : lookAgainAfter),
    refetchOnWindowFocus: 'always',
  });

export const messagePage = (
  threadId: number,
  query: { cursor?: string; around?: number; limit?: number },
  signal?: AbortSignal,
) => call(chat.messages, { params: { id: threadId }, query }, signal);

/** The loaded messages of a thread. Reading them again reads the end, and nothing while the reader is elsewhere. */
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
    // What was read a moment ago, around the message of a search result, is not read over.
    refetchOnMount: ({ state }) => (Date.now() - state.dataUpdatedAt < 2000 ? false : 'always'),
  });
