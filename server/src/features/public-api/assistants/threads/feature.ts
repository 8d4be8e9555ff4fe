import { type ApiThread, apiThreads as api } from '@roster/contracts/public-api/assistants/threads';
import { ToolResources } from '@roster/contracts/public-api/assistants/tools';
import type { ApiThread as StoredThread } from '#server/features/chat/api-threads/repository';
import type { ApiThreads as StoredThreads } from '#server/features/chat/api-threads/service';
import { parseMessages } from '#server/features/public-api/assistants/messages/parse-message';
import { toAttachmentError, withThread } from '#server/features/public-api/assistants/thread-access';
import type { PublicResources, StoredResources } from '#server/features/public-api/assistants/tool-resources';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { unixSeconds } from '#server/features/public-api/shared/list';
import type { PublicApiRouter } from '#server/http/public-api/router';

type Dependencies = {
  conversations: StoredThreads;
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf' | 'named'>;
  keptResources: StoredResources;
  shownResources: PublicResources;
};

/** Threads: conversations that clients create, read and delete. */
export function apiThreadFeature({ conversations, ids, fileIds, keptResources, shownResources }: Dependencies) {
  async function objectOf(userId: number, thread: StoredThread): Promise<ApiThread> {
    const { id, createdAt, metadata, toolResources } = thread;
    const [resources = {}] = await shownResources(userId, [ToolResources.parse(toolResources ?? {})]);
    return {
      id: (await ids()).encode('thread', id),
      object: 'thread',
      created_at: unixSeconds(createdAt),
      metadata: metadata ?? {},
      tool_resources: resources,
    };
  }

  return {
    apiRoutes({ route }: PublicApiRouter) {
      route(api.create, async ({ caller, body }) => {
        const { userId } = caller;
        // Report what is wrong with a message before making a vector store.
        const messages = await parseMessages(userId, body.messages ?? [], fileIds);
        const thread = await keptResources.using(userId, body.tool_resources ?? null, (named) =>
          keptResources.attaching(
            userId,
            messages,
            async () => named,
            (toolResources) =>
              conversations
                .createThread(caller, { metadata: body.metadata ?? null, toolResources, messages })
                .catch((error: unknown) => {
                  throw toAttachmentError(error);
                }),
          ),
        );
        return objectOf(userId, thread);
      });
      route(api.get, ({ caller, params }) =>
        withThread(ids, params, async (threadId) =>
          objectOf(caller.userId, await conversations.thread(caller.userId, threadId)),
        ),
      );
      route(api.modify, ({ caller, params, body: { metadata, tool_resources: given } }) =>
        withThread(ids, params, async (threadId) => {
          const toolResources = given ? await keptResources.checked(caller.userId, given) : given;
          return objectOf(
            caller.userId,
            await conversations.changeThread(caller, threadId, { metadata, toolResources }),
          );
        }),
      );
      route(api.remove, ({ caller, params }) =>
        withThread(ids, params, async (threadId) => {
          await conversations.removeThread(caller.userId, threadId);
          return { id: params.id, object: 'thread.deleted' as const, deleted: true as const };
        }),
      );
    },
  };
}
