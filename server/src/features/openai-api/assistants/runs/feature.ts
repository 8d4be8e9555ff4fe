import { apiRuns as api, type NewApiRun, type NewApiThreadAndRun } from '@roster/contracts/openai-api/assistants/runs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RunUnderWay } from '#server/conversation/refusals';
import type { ProgramAssistants } from '#server/features/assistants/of-programs';
import type { Stored } from '#server/features/chat/messages/program-answer-store';
import type { ProgramRuns, WholeProgramRun } from '#server/features/chat/messages/program-runs';
import type { NewMessage, ProgramConversations } from '#server/features/chat/programs/service';
import type { AssistantModels } from '#server/features/openai-api/assistant-models';
import type { MessageObjects } from '#server/features/openai-api/assistants/messages/message-object';
import { readMessages } from '#server/features/openai-api/assistants/messages/read-message';
import { aboutFiles, onThread } from '#server/features/openai-api/assistants/thread-ids';
import type { ToolResourceCheck } from '#server/features/openai-api/assistants/tool-resources';
import type { FileIds } from '#server/features/openai-api/files/file-ids';
import type { Ids } from '#server/features/openai-api/ids';
import { listAnswer, numberedPage, secondsOf } from '#server/features/openai-api/list';
import { refuseOverTokenBudget } from '#server/features/openai-api/token-budget';
import type { ApiDoor } from '#server/http/api-door';
import { ApiRefusal, noSuchThing } from '#server/http/api-errors';
import type { Caller } from '#server/http/caller';
import type { OpenCalls } from '#server/http/open-calls';
import { answererOf, limitReached, spentBy } from './answerer.ts';
import { optionsFor, readOptions } from './options.ts';
import { frame } from './run-events.ts';
import { runObject, statusOf } from './run-object.ts';
import { stepNumber, stepsOf } from './steps.ts';
import { type RunStreaming, runStreaming } from './stream.ts';

type Dependencies = Parameters<typeof answererOf>[0] & {
  programRuns: ProgramRuns;
  conversations: ProgramConversations;
  assistants: Pick<ProgramAssistants, 'find'>;
  assistantModels: Pick<AssistantModels, 'find'>;
  ids: () => Promise<Ids>;
  fileIds: Pick<FileIds, 'numbersOf'>;
  checkToolResources: ToolResourceCheck;
  objectsOf: MessageObjects;
  openCalls: OpenCalls;
};

type Call = { caller: Caller; request: FastifyRequest; reply: FastifyReply };
type Given = NewApiRun | NewApiThreadAndRun;

const refused = (message: string, more: { param?: string; code?: string } = {}) =>
  new ApiRefusal('invalid_input', message, more);

/** Runs: an assistant answers in a thread, stops where functions of the program are called, and goes on with what they say. */
export function apiRunFeature(dependencies: Dependencies) {
  const { programRuns, conversations, ids } = dependencies;
  const streaming = runStreaming({
    openCalls: dependencies.openCalls,
    watch: programRuns.watch,
    async endedRun(userId, run, part) {
      const whole = await programRuns.find(userId, run.id);
      if (!whole) throw noSuchThing('run', '');
      const hasText = whole.parts.some(({ id, hasText: has }) => id === part.id && has);
      const message = hasText ? await conversations.message(userId, run.threadId, part.messageId) : undefined;
      const [object] = message ? await dependencies.objectsOf(userId, [message]) : [];
      return { run: whole, message: object };
    },
  });
  const starter = runStarting(dependencies);

  /** A run of a thread, both by the names that a program has for them. */
  const onRun = <T>(
    { userId }: Caller,
    { id, runId }: { id: string; runId: string },
    work: (run: WholeProgramRun) => Promise<T>,
  ): Promise<T> =>
    onThread(ids, { id }, async (threadId) => {
      await conversations.thread(userId, threadId);
      const number = (await ids()).decode('run', runId);
      const run = number === undefined ? undefined : await programRuns.find(userId, number);
      if (run?.threadId !== threadId) throw noSuchThing('run', runId);
      return work(run);
    });
  const objectOf = async (run: WholeProgramRun) => runObject(run, await ids());

  return {
    apiRoutes({ route, rawRoute }: ApiDoor) {
      rawRoute(api.createWithThread, (call) =>
        answered(
          streaming,
          call,
          call.body.stream === true,
          async () => {
            const made = await starter.threadFor(call.caller, call.body);
            return { ...(await starter.start(call.caller, made.id, call.body, made.messages)), thread: made };
          },
          { ids, withTexts: false },
        ),
      );
      rawRoute(api.create, (call) =>
        answered(
          streaming,
          call,
          call.body.stream === true,
          () => {
            const { caller, params, body } = call;
            return onThread(ids, params, async (threadId) => {
              await conversations.thread(caller.userId, threadId);
              const messages = await readMessages(caller.userId, body.additional_messages ?? [], dependencies.fileIds);
              return starter.start(caller, threadId, body, messages).catch((error: unknown) => {
                throw isRunUnderWay(error) ? new ActiveRun(error) : error;
              });
            }).catch(async (error: unknown) => {
              if (!(error instanceof ActiveRun)) throw error;
              const run = (await ids()).encode('run', error.runId);
              throw refused(`Thread ${params.id} already has an active run ${run}.`);
            });
          },
          { ids, withTexts: call.query['include[]'] !== undefined },
        ),
      );
      rawRoute(api.submit, (call) =>
        answered(
          streaming,
          call,
          call.body.stream === true,
          () => onRun(call.caller, call.params, (run) => starter.goOn(call.caller, run, call.body.tool_outputs)),
          { ids, withTexts: false },
        ),
      );
      route(api.list, ({ caller: { userId }, params, query }) =>
        onThread(ids, params, async (threadId) => {
          await conversations.thread(userId, threadId);
          const own = await ids();
          const { limit, ...page } = numberedPage(query, 'run', (id) => own.decode('run', id));
          const found = await programRuns.ofThread(userId, threadId, { ...page, limit: limit + 1 });
          return listAnswer(
            found.map((run) => runObject(run, own)),
            limit,
          );
        }),
      );
      route(api.get, ({ caller, params }) => onRun(caller, params, objectOf));
      route(api.modify, ({ caller, params, body: { metadata } }) =>
        onRun(caller, params, async (run) => {
          if (metadata !== undefined) await programRuns.setMetadata(caller.userId, run.id, metadata ?? {});
          return objectOf({ ...run, metadata: metadata === undefined ? run.metadata : (metadata ?? {}) });
        }),
      );
      route(api.cancel, ({ caller, params }) =>
        onRun(caller, params, async (run) => {
          const status = statusOf(run);
          if (!['queued', 'in_progress', 'cancelling', 'requires_action'].includes(status))
            throw refused(`Cannot cancel run with status '${status}'.`);
          await programRuns.cancel(caller.userId, run);
          return objectOf((await programRuns.find(caller.userId, run.id)) ?? run);
        }),
      );
      route(api.steps, ({ caller, params, query }) =>
        onRun(caller, params, async (run) => {
          const own = await ids();
          const { limit, order, after, before } = numberedPage(query, 'run step', (id) => own.decode('step', id));
          const [low, high] = order === 'asc' ? [after, before] : [before, after];
          const steps = stepsOf(run, own, query['include[]'] !== undefined)
            .filter(({ number }) => (low === null || number > low) && (high === null || number < high))
            .map(({ number: _, ...step }) => step);
          return listAnswer((order === 'asc' ? steps : steps.reverse()).slice(0, limit + 1), limit);
        }),
      );
      route(api.step, ({ caller, params, query }) =>
        onRun(caller, params, async (run) => {
          const steps = stepsOf(run, await ids(), query['include[]'] !== undefined);
          const found = steps.find(({ id }) => id === params.stepId);
          if (!found) throw noSuchThing('run step', params.stepId);
          const { number: _, ...step } = found;
          return step;
        }),
      );
    },
  };
}

const isRunUnderWay = (error: unknown): error is RunUnderWay => error instanceof Error && error.name === 'RunUnderWay';

/** Passes through what words the refusals about threads. */
class ActiveRun extends Error {
  readonly runId: number;
  constructor(cause: RunUnderWay) {
    super('active run', { cause });
    this.runId = cause.runId;
  }
}

type MadeThread = Awaited<ReturnType<ReturnType<typeof runStarting>['threadFor']>>;
/** A run that goes on now; `ended` where it has come to one of its limits instead. */
type Begun = { run: WholeProgramRun; isFirst: boolean; ended?: boolean; thread?: MadeThread };

/** Starts what is asked for, and answers with the run, or with its events. */
async function answered(
  streaming: RunStreaming,
  { caller, request, reply }: Call,
  streams: boolean,
  begin: () => Promise<Begun>,
  { ids, withTexts }: { ids: () => Promise<Ids>; withTexts: boolean },
): Promise<FastifyReply> {
  if (!streams) return reply.send(runObject((await begin()).run, await ids()));
  const open = streaming.begin(caller);
  try {
    const { run, isFirst, thread } = await begin();
    const own = await ids();
    const part = run.parts.at(-1);
    if (!part) throw new Error('A run has no part');
    await streaming.follow({ caller, request, reply }, open, {
      run,
      part,
      ids: own,
      withTexts,
      before(events) {
        const made = thread ? frame('thread.created', threadObject(thread, own)) : '';
        if (isFirst) return made + events.created();
        // What the functions have answered ends the step in which they were called.
        const called = run.parts.at(-2);
        const before = called && stepsOf(run, own).find(({ number }) => number === stepNumber(called.id, 'functions'));
        if (!before) return events.queued();
        const { number: _, ...step } = before;
        return frame('thread.run.step.completed', step) + events.queued();
      },
    });
    return reply;
  } catch (error) {
    open.done();
    throw error;
  }
}

const threadObject = ({ id, createdAt, metadata, toolResources }: MadeThread, { encode }: Ids) => ({
  id: encode('thread', id),
  object: 'thread',
  created_at: secondsOf(createdAt),
  metadata: metadata ?? {},
  tool_resources: toolResources ?? {},
});

function runStarting(dependencies: Dependencies) {
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
