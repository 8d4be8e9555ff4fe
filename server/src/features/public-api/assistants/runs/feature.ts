import { apiRuns as api } from '@roster/contracts/public-api/assistants/runs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RunActiveError } from '#server/conversation/errors';
import type { ApiThread as StoredThread } from '#server/features/chat/api-threads/repository';
import type { FullApiRun as StoredRun } from '#server/features/chat/api-threads/runs';
import type { SerializeMessages } from '#server/features/public-api/assistants/messages/message-object';
import { parseMessages } from '#server/features/public-api/assistants/messages/parse-message';
import { withThread } from '#server/features/public-api/assistants/thread-access';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { Ids } from '#server/features/public-api/shared/ids';
import { listAnswer, numberedPageWithin, unixSeconds } from '#server/features/public-api/shared/list';
import { withPollInterval } from '#server/features/public-api/shared/poll-interval';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { resourceNotFound } from '#server/http/public-api/errors';
import type { PublicApiRouter } from '#server/http/public-api/router';
import { frame } from './run-events.ts';
import { runObject, statusOf } from './run-object.ts';
import { createRunStarter, invalidInput, type StartedRun } from './start-run.ts';
import { foundFileIds, listSteps, runIdOfStep, stepNumber } from './steps.ts';
import { createRunStream, type RunStream } from './stream.ts';

type Dependencies = Parameters<typeof createRunStarter>[0] & {
  objectsOf: SerializeMessages;
  fileIds: Pick<FileIds, 'numbersOf' | 'named' | 'present'>;
  openCalls: CallRegistry;
};

type Call = { caller: ApiPrincipal; request: FastifyRequest; reply: FastifyReply };
/** Runs: an assistant answers in a thread, pauses for functions of the client, and resumes with their results. */
export function apiRunFeature(dependencies: Dependencies) {
  const { apiRuns, conversations, ids, fileIds } = dependencies;
  const present = (userId: number, run: StoredRun) => fileIds.present(userId, foundFileIds(run));
  const streaming = createRunStream({
    openCalls: dependencies.openCalls,
    watch: apiRuns.watch,
    async endedRun(userId, run, part) {
      const whole = await apiRuns.findAtEndOf(userId, run.id, part.id);
      if (!whole) throw resourceNotFound('run', '');
      const hasText = whole.parts.some(({ id, hasText: has }) => id === part.id && has);
      const message = hasText ? await conversations.message(userId, run.threadId, part.messageId) : undefined;
      const [object] = message ? await dependencies.objectsOf(userId, [message]) : [];
      return { run: whole, present: await present(userId, whole), message: object };
    },
  });
  const starter = createRunStarter(dependencies);

  /** Resolves a run and its thread from their public ids. */
  const onRun = <T>(
    { userId }: ApiPrincipal,
    { id, runId }: { id: string; runId: string },
    work: (run: StoredRun) => Promise<T>,
  ): Promise<T> =>
    withThread(ids, { id }, async (threadId) => {
      await conversations.thread(userId, threadId);
      const number = (await ids()).decode('run', runId);
      const run = number === undefined ? undefined : await apiRuns.find(userId, number);
      if (run?.threadId !== threadId) throw resourceNotFound('run', runId);
      return work(run);
    });
  const telling = async ({ userId }: ApiPrincipal, run: StoredRun, query: { 'include[]'?: unknown }) => ({
    withTexts: query['include[]'] !== undefined,
    present: await present(userId, run),
  });
  const objectOf = async (run: StoredRun) => runObject(run, await ids());

  return {
    apiRoutes({ route, rawRoute }: PublicApiRouter) {
      rawRoute(api.createWithThread, (call) =>
        answered(streaming, call, call.body.stream === true, () => starter.startWithThread(call.caller, call.body), {
          ids,
          withTexts: false,
        }),
      );
      rawRoute(api.create, (call) =>
        answered(
          streaming,
          call,
          call.body.stream === true,
          () => {
            const { caller, params, body } = call;
            return withThread(ids, params, async (threadId) => {
              await conversations.thread(caller.userId, threadId);
              const messages = await parseMessages(caller.userId, body.additional_messages ?? [], dependencies.fileIds);
              return starter.start(caller, threadId, body, messages).catch((error: unknown) => {
                throw error instanceof RunActiveError ? new ActiveRunError(error) : error;
              });
            }).catch(async (error: unknown) => {
              if (!(error instanceof ActiveRunError)) throw error;
              const run = (await ids()).encode('run', error.runId);
              throw invalidInput(`Thread ${params.id} already has an active run ${run}.`);
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
          () => onRun(call.caller, call.params, (run) => starter.resume(call.caller, run, call.body.tool_outputs)),
          { ids, withTexts: false },
        ),
      );
      route(api.list, ({ caller: { userId }, params, query }) =>
        withThread(ids, params, async (threadId) => {
          await conversations.thread(userId, threadId);
          const own = await ids();
          const { limit, ...page } = await numberedPageWithin(
            query,
            'run',
            (id) => own.decode('run', id),
            (runId) => apiRuns.isElsewhere(userId, { threadId }, runId),
          );
          const found = await apiRuns.ofThread(userId, threadId, { ...page, limit: limit + 1 });
          return listAnswer(
            found.map((run) => runObject(run, own)),
            limit,
            page.isBack,
          );
        }),
      );
      route(api.get, async ({ caller, params, reply }) =>
        withPollInterval(reply, await onRun(caller, params, objectOf)),
      );
      route(api.modify, ({ caller, params, body: { metadata } }) =>
        onRun(caller, params, async (run) => {
          if (metadata !== undefined) await apiRuns.setMetadata(caller.userId, run.id, metadata ?? {});
          return objectOf({ ...run, metadata: metadata === undefined ? run.metadata : (metadata ?? {}) });
        }),
      );
      route(api.cancel, ({ caller, params }) =>
        onRun(caller, params, async (run) => {
          const status = statusOf(run);
          if (!['queued', 'in_progress', 'cancelling', 'requires_action'].includes(status))
            throw invalidInput(`Cannot cancel run with status '${status}'.`);
          await apiRuns.cancel(caller.userId, run);
          return objectOf((await apiRuns.find(caller.userId, run.id)) ?? run);
        }),
      );
      route(api.steps, ({ caller, params, query }) =>
        onRun(caller, params, async (run) => {
          const own = await ids();
          const { limit, order, after, before, isBack } = await numberedPageWithin(
            query,
            'run step',
            (id) => own.decode('step', id),
            (number) => apiRuns.isElsewhere(caller.userId, run, runIdOfStep(number)),
          );
          const [low, high] = order === 'asc' ? [after, before] : [before, after];
          const steps = listSteps(run, own, await telling(caller, run, query))
            .filter(({ number }) => (low === null || number > low) && (high === null || number < high))
            .map(({ number: _, ...step }) => step);
          return listAnswer((order === 'asc' ? steps : steps.reverse()).slice(0, limit + 1), limit, isBack);
        }),
      );
      route(api.step, ({ caller, params, query }) =>
        onRun(caller, params, async (run) => {
          const steps = listSteps(run, await ids(), await telling(caller, run, query));
          const found = steps.find(({ id }) => id === params.stepId);
          if (!found) throw resourceNotFound('run step', params.stepId);
          const { number: _, ...step } = found;
          return step;
        }),
      );
    },
  };
}

/** Passes through the code that words refusals about threads. */
class ActiveRunError extends Error {
  readonly runId: number;
  constructor(cause: RunActiveError) {
    super('active run', { cause });
    this.runId = cause.runId;
  }
}

/** Starts the run, and answers with it or with its events. */
async function answered(
  streaming: RunStream,
  { caller, request, reply }: Call,
  streams: boolean,
  begin: () => Promise<StartedRun & { thread?: StoredThread }>,
  { ids, withTexts }: { ids: () => Promise<Ids>; withTexts: boolean },
): Promise<FastifyReply> {
  if (!streams) return reply.send(runObject((await begin()).run, await ids()));
  const open = streaming.begin(caller);
  try {
    const { run, isFirst, thread } = await begin();
    const own = await ids();
    const part = run.parts.at(-1);
    if (!part) throw new Error('A run has no parts');
    await streaming.follow({ caller, request, reply }, open, {
      run,
      part,
      ids: own,
      withTexts,
      before(events) {
        const made = thread ? frame('thread.created', threadObject(thread, own)) : '';
        if (isFirst) return made + events.created();
        // Function results complete the step that called the functions.
        const called = run.parts.at(-2);
        const before =
          called &&
          listSteps(run, own, { withTexts: false }).find(({ number }) => number === stepNumber(called.id, 'functions'));
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

const threadObject = ({ id, createdAt, metadata, toolResources }: StoredThread, { encode }: Ids) => ({
  id: encode('thread', id),
  object: 'thread',
  created_at: unixSeconds(createdAt),
  metadata: metadata ?? {},
  tool_resources: toolResources ?? {},
});
