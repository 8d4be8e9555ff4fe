import { apiMessages as api } from '@roster/contracts/public-api/assistants/messages';
import type { ApiMessage as StoredMessage } from '#server/features/chat/api-threads/repository';
import type { ApiThreads } from '#server/features/chat/api-threads/service';
import { withThread } from '#server/features/public-api/assistants/thread-access';
import { readResources, type StoredResources } from '#server/features/public-api/assistants/tool-resources';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { listAnswer, numberedPageWithin } from '#server/features/public-api/shared/list';
import { resourceNotFound } from '#server/http/public-api/errors';
import type { PublicApiRouter } from '#server/http/public-api/router';
import type { SerializeMessages } from './message-object.ts';
import { parseMessages } from './parse-message.ts';

type Dependencies = {
  conversations: ApiThreads;
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf' | 'named'>;
  keptResources: StoredResources;
  objectsOf: SerializeMessages;
};

/** Messages of threads: the visible branch of a conversation. */
export function apiMessageFeature({ conversations, ids, fileIds, keptResources, objectsOf }: Dependencies) {
  async function objectOf(userId: number, message: StoredMessage) {
    const [object] = await objectsOf(userId, [message]);
    if (!object) throw new Error('A message was not converted');
    return object;
  }

  return {
    apiRoutes({ route }: PublicApiRouter) {
      route(api.create, ({ caller, params, body }) =>
        withThread(
          ids,
          params,
          async (threadId) => {
            const { userId } = caller;
            // Check the thread first: a missing file must not be reported for another user's thread.
            await conversations.thread(userId, threadId);
            const [message] = await parseMessages(userId, [body], fileIds);
            if (!message) throw new Error('A message was not read');
            const added = await keptResources.attaching(
              userId,
              [message],
              async () => readResources(await conversations.thread(userId, threadId)),
              (_, store) => conversations.addMessage(caller, threadId, message, store),
            );
            return objectOf(userId, added);
          },
          'add messages to',
        ),
      );
      route(api.list, ({ caller: { userId }, params, query }) =>
        withThread(ids, params, async (threadId) => {
          const { decode } = await ids();
          const isElsewhere = (messageId: number) => conversations.isElsewhere(userId, threadId, messageId);
          const { limit, ...page } = await numberedPageWithin(query, 'message', (id) => decode('msg', id), isElsewhere);
          const runId = query.run_id === undefined ? null : (decode('run', query.run_id) ?? null);
          if (query.run_id !== undefined && runId === null) throw resourceNotFound('run', query.run_id);
          const found = await conversations.messages(userId, threadId, { ...page, runId, count: limit + 1 });
          return listAnswer(await objectsOf(userId, found), limit, page.isBack);
        }),
      );
      route(api.get, ({ caller: { userId }, params }) =>
        withThread(ids, params, async (threadId, messageId) =>
          objectOf(userId, await conversations.message(userId, threadId, messageId)),
        ),
      );
      route(api.modify, ({ caller, params, body: { metadata } }) =>
        withThread(ids, params, async (threadId, messageId) =>
          objectOf(caller.userId, await conversations.changeMessage(caller, threadId, messageId, metadata)),
        ),
      );
      route(api.remove, ({ caller, params }) =>
        withThread(
          ids,
          params,
          async (threadId, messageId) => {
            await conversations.removeMessage(caller, threadId, messageId);
            return { id: params.messageId, object: 'thread.message.deleted' as const, deleted: true as const };
          },
          'delete messages from',
        ),
      );
    },
  };
}
