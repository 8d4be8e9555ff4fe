import { messageQueue, type QueuedMessage } from '@roster/contracts/message-queue';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { forgetSending, sendingOf } from '#web/features/chat/shared/client-id.ts';
import type { NewMessage } from '#web/features/chat/shared/composer-state.ts';
import { carryOut } from '#web/features/chat/shared/mutations.ts';
import { refreshMessages, refreshThread } from '#web/features/chat/shared/thread-cache.ts';
import { isRefusal, threadQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { call } from '#web/lib/api-client.ts';

/** Other tabs and the server change it as well. */
const pollIntervalMs = 4000;

export const queueQuery = (threadId: number) =>
  queryOptions({
    queryKey: ['threads', threadId, 'queue'],
    queryFn: async ({ signal }) => (await call(messageQueue.list, { params: { id: threadId } }, signal)).items,
    refetchInterval: pollIntervalMs,
    refetchOnWindowFocus: 'always',
  });

type Queue = readonly QueuedMessage[];

/** Shows what the server has answered; what is no longer queued is among the messages. */
function show(client: QueryClient, threadId: number, items: Queue) {
  client.setQueryData(queueQuery(threadId).queryKey, [...items]);
  client.setQueryData(threadQuery(threadId).queryKey, (thread) => {
    if (!thread) return thread;
    const { queued: _, ...rest } = thread;
    return items.length > 0 ? { ...rest, queued: items.length } : rest;
  });
}

export const refresh = (client: QueryClient, threadId: number): Promise<unknown> =>
  Promise.all([
    refreshThread(client, threadId),
    refreshMessages(client, threadId),
    client.invalidateQueries({ queryKey: queueQuery(threadId).queryKey }),
  ]);

/** Queues a message; resolves to whether the server has it. */
export async function queueMessage(
  open: OpenThread,
  { text, files, overBudget }: NewMessage,
  models: readonly string[],
): Promise<boolean> {
  const { client, threadId, change } = open;
  const place = `queue:${threadId}`;
  const fileIds = files.map(({ id }) => id);
  const { clientId } = sendingOf(place, [text, fileIds.join(), models.join()].join('\n'), undefined);
  change({ failure: null });
  try {
    const { items } = await carryOut(client, () =>
      call(messageQueue.add, {
        params: { id: threadId },
        body: {
          message: text,
          clientId,
          ...(fileIds.length > 0 && { fileIds }),
          ...(models.length > 1 && { models: [...models] }),
          ...(overBudget && { overBudget }),
        },
      }),
    );
    forgetSending(place);
    change({ selectedModels: [] });
    show(client, threadId, items);
    // The answer may have ended meanwhile, so that the message is sent already.
    if (items.length === 0) void refresh(client, threadId);
    return true;
  } catch (error) {
    if (isRefusal(error)) forgetSending(place);
    change({ failure: { error, sendAnyway: null } });
    return false;
  }
}

export async function sendQueued({ client, threadId }: OpenThread, id: number, overBudget: boolean) {
  try {
    const { items } = await carryOut(client, () =>
      call(messageQueue.send, { params: { id }, body: overBudget ? { overBudget } : {} }),
    );
    show(client, threadId, items);
  } finally {
    await refresh(client, threadId);
  }
}

export async function removeQueued({ client, threadId }: OpenThread, id: number) {
  try {
    await carryOut(client, () => call(messageQueue.remove, { params: { id } }));
    const before = client.getQueryData(queueQuery(threadId).queryKey) ?? [];
    show(
      client,
      threadId,
      before.filter((message) => message.id !== id),
    );
  } finally {
    await refresh(client, threadId);
  }
}

type Changes = { message?: string; editing: boolean };

/** While a message is edited, it is not sent by itself. */
export async function changeQueued({ client, threadId }: OpenThread, id: number, changes: Changes) {
  try {
    const changed = await carryOut(client, () => call(messageQueue.change, { params: { id }, body: changes }));
    client.setQueryData(queueQuery(threadId).queryKey, (items) =>
      items?.map((message) => (message.id === id ? changed : message)),
    );
  } finally {
    void refresh(client, threadId);
  }
}
