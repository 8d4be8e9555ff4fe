import type { NewApiRun, NewApiThreadAndRun } from '@roster/contracts/public-api/assistants/runs';
import { ToolResources } from '@roster/contracts/public-api/assistants/tools';
import { addCodeFiles } from '#server/conversation/code-files';
import type { ApiAssistants } from '#server/features/assistants/api-assistants';
import type { ApiThread as StoredThread } from '#server/features/chat/api-threads/repository';
import type { FullApiRun as StoredRun, ApiRuns as StoredRuns } from '#server/features/chat/api-threads/runs';
import type { ApiThreads as StoredThreads } from '#server/features/chat/api-threads/service';
import type { NewApiRun as RunDraft, StoredApiRun } from '#server/features/chat/api-threads/store-run';
import { type ParsedMessage, parseMessages } from '#server/features/public-api/assistants/messages/parse-message';
import { toAttachmentError } from '#server/features/public-api/assistants/thread-access';
import { readResources, type StoredResources } from '#server/features/public-api/assistants/tool-resources';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import type { Ids } from '#server/features/public-api/shared/ids';
import { refuseOverTokenBudget } from '#server/features/public-api/shared/token-budget';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { PublicApiError, resourceNotFound } from '#server/http/public-api/errors';
import { buildOptions, readOptions } from './options.ts';
import { statusOf } from './run-object.ts';
import { createTargetResolver, limitReached, spentBy } from './run-target.ts';

type Dependencies = Parameters<typeof createTargetResolver>[0] & {
  apiRuns: StoredRuns;
  conversations: StoredThreads;
  assistants: Pick<ApiAssistants, 'find'>;
  assistantModels: Pick<AssistantModels, 'find'>;
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf' | 'named'>;
  keptResources: StoredResources;
};
type RunRequest = NewApiRun | NewApiThreadAndRun;
/** A run that resumes now, or has reached one of its limits. */
export type StartedRun = { run: StoredRun; isFirst: boolean };

export const invalidInput = (message: string) => new PublicApiError('invalid_input', message, {});

/** Starts and resumes runs. */
export function createRunStarter(dependencies: Dependencies) {
  const { apiRuns, conversations, assistants, assistantModels, ids, fileIds, keptResources } = dependencies;
  const chatTargetFor = createTargetResolver(dependencies);

  async function whole(userId: number, { answer }: StoredApiRun): Promise<StoredRun> {
    const run = await apiRuns.find(userId, answer.apiRunId);
    if (!run) throw resourceNotFound('run', '');
    return run;
  }

  async function optionsOf(userId: number, threadResources: unknown, given: RunRequest) {
    const { assistant_id: name } = given;
    const named = name.startsWith('asst_') ? await assistantModels.find(userId, name) : undefined;
    const found = named && (await assistants.find(userId, named.assistantId));
    if (!found) throw resourceNotFound('assistant', name);
    return buildOptions(given, { ...found, id: named.id, threadResources });
  }

  type Place = Pick<RunDraft, 'threadId' | 'before'> & { toolResources: unknown };

  async function begin(
    caller: ApiPrincipal,
    given: RunRequest,
    { toolResources, ...place }: Place,
  ): Promise<StartedRun> {
    const { userId } = caller;
    const options = await optionsOf(userId, toolResources, given);
    const target = await chatTargetFor(userId, options);
    refuseOverTokenBudget(caller);
    const stored = await apiRuns.start(caller, {
      ...place,
      target,
      options: JSON.stringify(options),
      metadata: given.metadata ?? {},
    });
    if (stored.kind === 'too_many') throw tooMany();
    if (stored.kind !== 'stored') throw resourceNotFound('thread', (await ids()).encode('thread', place.threadId ?? 0));
    return { run: await whole(userId, stored), isFirst: true };
  }

  return {
    /** Creates a thread and its run together, or neither. */
    async startWithThread(
      caller: ApiPrincipal,
      given: NewApiThreadAndRun,
    ): Promise<StartedRun & { thread: StoredThread }> {
      const { userId } = caller;
      const { messages: firstMessages, metadata, tool_resources: resources } = given.thread ?? {};
      const messages = await parseMessages(userId, firstMessages ?? [], fileIds);
      // Report what is wrong with the run before making a vector store for it.
      refuseOverTokenBudget(caller);
      await optionsOf(userId, null, given);
      const { tool_resources: named } = given;
      const request = { ...given, tool_resources: named && (await keptResources.checked(userId, named)) };
      const withThread = async (toolResources: ToolResources | null) => {
        // Attached files belong to the thread once it exists.
        const files = messages.flatMap(({ codeFiles }) => codeFiles);
        const make = await conversations
          .makingThread(caller, { metadata: metadata ?? null, toolResources, messages })
          .catch((error: unknown) => {
            throw toAttachmentError(error);
          });
        let thread: StoredThread | undefined;
        const run = await begin(caller, request, {
          toolResources: usable(toolResources, files),
          threadId: null,
          async before(trx) {
            thread = await make(trx);
            return thread.id;
          },
        });
        if (!thread) throw new Error('A run was started without a thread');
        return { ...run, thread };
      };
      return keptResources.using(userId, resources ?? null, (kept) =>
        keptResources.attaching(userId, messages, async () => kept, withThread),
      );
    },

    start(caller: ApiPrincipal, threadId: number, given: RunRequest, messages: ParsedMessage[]): Promise<StartedRun> {
      const { userId } = caller;
      const files = messages.flatMap(({ codeFiles }) => codeFiles);
      return keptResources.attaching(
        userId,
        messages,
        async () => readResources(await conversations.thread(userId, threadId)),
        async (toolResources, store) => {
          const before = await conversations.appending(userId, threadId, messages, store).catch((error: unknown) => {
            throw toAttachmentError(error);
          });
          return begin(caller, given, { toolResources: usable(toolResources, files), threadId, before });
        },
      );
    },

    async resume(
      caller: ApiPrincipal,
      run: StoredRun,
      outputs: { tool_call_id: string; output: string }[],
    ): Promise<StartedRun> {
      const { userId } = caller;
      const options = readOptions(run.options);
      const spent = spentBy(run);
      const target = await chatTargetFor(userId, options, spent);
      refuseOverTokenBudget(caller);
      const limit = limitReached(options, spent);
      if (limit !== undefined && (await apiRuns.endAtLimit(userId, run.id, limit)))
        return { run: (await apiRuns.find(userId, run.id)) ?? run, isFirst: false };
      const given = outputs.map(({ tool_call_id: callId, output }) => ({ callId, output }));
      const stored = await apiRuns.resume(caller, run, given, target);
      if (stored.kind === 'wrong_outputs') {
        const listed = (list: string[]) => `[${list.map((one) => `'${one}'`).join(', ')}]`;
        const got = listed(given.map(({ callId }) => callId));
        throw invalidInput(`Expected tool outputs for call_ids ${listed(stored.expected)}, got ${got}`);
      }
      if (stored.kind !== 'stored') {
        const now = (await apiRuns.find(userId, run.id)) ?? run;
        throw invalidInput(`Runs in status "${statusOf(now)}" do not accept tool outputs.`);
      }
      return { run: await whole(userId, stored), isFirst: false };
    },
  };
}

/** Tool resources including the files of messages. @throws if there are too many */
function usable(resources: unknown, files: string[]): ToolResources | null {
  try {
    return addCodeFiles(ToolResources.safeParse(resources).data ?? null, files);
  } catch (error) {
    throw toAttachmentError(error);
  }
}

const tooMany = () =>
  new PublicApiError('rate_limited', 'This account has too many runs in progress. Wait for one to finish.', {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    retryAfterSeconds: 1,
  });
