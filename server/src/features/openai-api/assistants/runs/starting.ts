import type { NewApiRun, NewApiThreadAndRun } from '@roster/contracts/openai-api/assistants/runs';
import type { ProgramAssistants } from '#server/features/assistants/of-programs';
import type { Stored } from '#server/features/chat/messages/program-answer-store';
import type { ProgramRuns, WholeProgramRun } from '#server/features/chat/messages/program-runs';
import type { NewMessage, ProgramConversations } from '#server/features/chat/programs/service';
import type { AssistantModels } from '#server/features/openai-api/assistant-models';
import { readMessages } from '#server/features/openai-api/assistants/messages/read-message';
import { aboutFiles } from '#server/features/openai-api/assistants/thread-ids';
import type { ToolResourceCheck } from '#server/features/openai-api/assistants/tool-resources';
import type { FileIds } from '#server/features/openai-api/files/file-ids';
import type { Ids } from '#server/features/openai-api/ids';
import { refuseOverTokenBudget } from '#server/features/openai-api/token-budget';
import { ApiRefusal, noSuchThing } from '#server/http/api-errors';
import type { Caller } from '#server/http/caller';
import { answererOf, limitReached, spentBy } from './answerer.ts';
import { optionsFor, readOptions } from './options.ts';
import { statusOf } from './run-object.ts';

type Dependencies = Parameters<typeof answererOf>[0] & {
  programRuns: ProgramRuns;
  conversations: ProgramConversations;
  assistants: Pick<ProgramAssistants, 'find'>;
  assistantModels: Pick<AssistantModels, 'find'>;
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf'>;
  checkToolResources: ToolResourceCheck;
};
type Given = NewApiRun | NewApiThreadAndRun;
/** A run that goes on now, or has come to one of its limits instead. */
export type Begun = { run: WholeProgramRun; isFirst: boolean };

export const refused = (message: string) => new ApiRefusal('invalid_input', message, {});

/**
 * How runs begin, and go on.
 *
 * Long: three beginnings, each read alone.
 */
export function runStarting(dependencies: Dependencies) {
  const { programRuns, conversations, assistants, assistantModels, ids, fileIds, checkToolResources } = dependencies;
  const answererFor = answererOf(dependencies);

  async function whole(userId: number, { answer }: Stored): Promise<WholeProgramRun> {
    const run = await programRuns.find(userId, answer.programRunId);
    if (!run) throw noSuchThing('run', '');
    return run;
  }

  async function optionsOf(userId: number, threadResources: unknown, given: Given) {
    const { assistant_id: name } = given;
    const named = name.startsWith('asst_') ? await assistantModels.find(userId, name) : undefined;
    const found = named && (await assistants.find(userId, named.assistantId));
    if (!found) throw noSuchThing('assistant', name);
    return optionsFor(given, { ...found, id: named.id, threadResources });
  }

  return {
    /** The thread that is made along with a run, and the messages that it begins with. */
    async threadFor(caller: Caller, given: NewApiThreadAndRun) {
      const { userId } = caller;
      const { thread } = given;
      const toolResources = thread?.tool_resources ? await checkToolResources(userId, thread.tool_resources) : null;
      const messages = await readMessages(userId, thread?.messages ?? [], fileIds);
      if (messages.length === 0) throw noMessages();
      // What is wrong with the run is said before there is a thread.
      await answererFor(userId, await optionsOf(userId, toolResources, given));
      await refuseOverTokenBudget(caller);
      await programRuns.refuseBudget(userId, (await optionsOf(userId, toolResources, given)).assistantId);
      const made = await conversations.createThread(caller, {
        metadata: thread?.metadata ?? null,
        toolResources,
        messages: [],
      });
      return { ...made, messages };
    },

    async start(caller: Caller, threadId: number, given: Given, messages: NewMessage[]): Promise<Begun> {
      const { userId } = caller;
      const { toolResources } = await conversations.thread(userId, threadId);
      const options = await optionsOf(userId, toolResources, given);
      const answerer = await answererFor(userId, options);
      refuseOverTokenBudget(caller);
      const append = await conversations.appending(userId, threadId, messages).catch((error: unknown) => {
        throw aboutFiles(error);
      });
      const stored = await programRuns.start(caller, {
        threadId,
        answerer,
        before: append,
        options: JSON.stringify(options),
        metadata: given.metadata ?? {},
      });
      if (stored.kind === 'no_messages') throw noMessages();
      if (stored.kind === 'too_many') throw tooMany();
      if (stored.kind !== 'stored') throw noSuchThing('thread', (await ids()).encode('thread', threadId));
      return { run: await whole(userId, stored), isFirst: true };
    },

    async goOn(
      caller: Caller,
      run: WholeProgramRun,
      outputs: { tool_call_id: string; output: string }[],
    ): Promise<Begun> {
      const { userId } = caller;
      const options = readOptions(run.options);
      const spent = spentBy(run);
      const answerer = await answererFor(userId, options, spent);
      refuseOverTokenBudget(caller);
      const limit = limitReached(options, spent);
      if (limit !== undefined && (await programRuns.endAtLimit(userId, run.id, limit)))
        return { run: (await programRuns.find(userId, run.id)) ?? run, isFirst: false };
      const given = outputs.map(({ tool_call_id: callId, output }) => ({ callId, output }));
      const stored = await programRuns.goOn(caller, run.id, given, answerer);
      if (stored.kind === 'wrong_outputs') {
        const listed = (list: string[]) => `[${list.map((one) => `'${one}'`).join(', ')}]`;
        const got = listed(given.map(({ callId }) => callId));
        throw refused(`Expected tool outputs for call_ids ${listed(stored.expected)}, got ${got}`);
      }
      if (stored.kind !== 'stored') {
        const now = (await programRuns.find(userId, run.id)) ?? run;
        throw refused(`Runs in status "${statusOf(now)}" do not accept tool outputs.`);
      }
      return { run: await whole(userId, stored), isFirst: false };
    },
  };
}

const noMessages = () => refused('The thread has no messages, so there is nothing to answer. Add one first.');
const tooMany = () =>
  new ApiRefusal('rate_limited', 'Too many runs of this account are under way at once. Wait for one of them.', {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    retryAfterSeconds: 1,
  });
