import type { RunEvent } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { parseFrames } from '#server/features/chat/runs/events/event-log';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import { functionOutputDeadline } from '#server/features/chat/runs/lifecycle/finalize';
import { forNewRun } from '#server/features/chat/runs/lifecycle/run-spec';
import { type ApiRun, type ApiRunPart, apiRunRepository } from '#server/features/chat/shared/api-run-repository';
import { type ChatTarget, checkKeys, modelsWithoutFallback } from '#server/features/chat/shared/chat-target';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { type StoredCall, toolCallRepository } from '#server/features/chat/shared/tool-call-repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { CheckBudget } from '#server/features/usage/budgets';
import type { EventStream } from '#server/http/streaming/event-stream';
import type { OpenKey } from '#server/provider/keys/open-key';
import {
  type ApiClient,
  type FunctionOutput,
  type NewApiRun,
  type RunNotStored,
  type StoredApiRun,
  storeNewRun,
  storeOutputs,
} from './store-run.ts';

type Dependencies = {
  db: Kysely<Database>;
  instance: number;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'start' | 'stop' | 'watch'>;
  openKey: OpenKey;
  /** @throws AppError if a budget is used up; `way` says what the user can do about it */
  checkBudget: CheckBudget;
  endedModels: Pick<RetirementGuard, 'refuse'>;
};

/** An API run with the runs it is made of, the oldest first, and their tool calls. */
export type FullApiRun = ApiRun & { parts: ApiRunPart[]; calls: StoredCall[] };
type RunOfThread = Pick<ApiRun, 'id' | 'threadId'>;
type ApiRunPage = Parameters<ReturnType<typeof apiRunRepository>['ofThread']>[2];

/** A client that follows the events of a run. */
type ApiRunReader = Omit<EventStream, 'write'> & { tell: (events: RunEvent[]) => void };

/** The run as it was when one of its parts ended. If it has continued since, it was waiting for function outputs. */
export function atEndOf(run: FullApiRun, partId: number): FullApiRun {
  if (run.currentRunId === partId) return run;
  const parts = run.parts.filter(({ id }) => id <= partId);
  const endedAt = parts.at(-1)?.finishedAt ?? null;
  const asCalled = (call: StoredCall): StoredCall =>
    call.runId === partId && call.kind === 'function' ? { ...call, state: 'waiting', output: null } : call;
  return {
    ...run,
    currentRunId: partId,
    state: 'waiting',
    waitsUntil: endedAt && functionOutputDeadline(endedAt),
    endedAt: null,
    parts,
    calls: run.calls.filter(({ runId }) => runId <= partId).map(asCalled),
  };
}

/** API runs: chains of runs, one for each answer of the provider, continued when a client submits function outputs. */
export function createApiRuns(dependencies: Dependencies) {
  const { db, executor } = dependencies;
  const repository = apiRunRepository(db);

  async function withParts(userId: number, runs: ApiRun[]): Promise<FullApiRun[]> {
    const parts = Map.groupBy(
      await repository.parts(
        userId,
        runs.map(({ id }) => id),
      ),
      ({ apiRunId }) => apiRunId,
    );
    const withCalls = [...parts.values()].flat().flatMap(({ id, hasCalls }) => (hasCalls ? [id] : []));
    const calls = await toolCallRepository(db).ofRuns(userId, withCalls);
    return runs.map((run) => {
      const own = parts.get(run.id) ?? [];
      const ids = new Set(own.map(({ id }) => id));
      // A part may have ended since the run was read: a waiting run must not look completed.
      const now = own.at(-1)?.chain;
      return { ...run, ...now, parts: own, calls: calls.filter(({ runId }) => ids.has(runId)) };
    });
  }

  async function find(userId: number, id: number): Promise<FullApiRun | undefined> {
    const run = await repository.find(userId, id);
    return run && (await withParts(userId, [run]))[0];
  }

  return {
    find,
    async findAtEndOf(userId: number, id: number, partId: number): Promise<FullApiRun | undefined> {
      const run = await find(userId, id);
      return run && atEndOf(run, partId);
    },
    async ofThread(userId: number, threadId: number, page: ApiRunPage): Promise<FullApiRun[]> {
      return withParts(userId, await repository.ofThread(userId, threadId, page));
    },
    isElsewhere: repository.isElsewhere,
    setMetadata: repository.setMetadata,
    async start(client: ApiClient, run: NewApiRun): Promise<StoredApiRun | RunNotStored> {
      await authorizeRun(dependencies, client, run.threadId, run.target);
      return startStored(dependencies, client, await storeNewRun(dependencies, client, run));
    },
    /** Submits function outputs, with which the run continues. */
    async resume(client: ApiClient, run: RunOfThread, outputs: FunctionOutput[], target: ChatTarget) {
      await authorizeRun(dependencies, client, run.threadId, target);
      const stored = await storeOutputs(dependencies, client, run.id, { outputs, target });
      return startStored(dependencies, client, stored);
    },
    /** A waiting run ends at once; an active one as soon as its process has stopped it. */
    async cancel(userId: number, { id, currentRunId }: ApiRun) {
      if (!(await repository.end(userId, id, 'cancelled', new Date().toISOString())))
        await executor.stop(userId, currentRunId);
    },
    /** Ends a waiting run that has reached a limit set by its client. */
    endAtLimit: (userId: number, id: number, limit: 'max_prompt_tokens' | 'max_completion_tokens') =>
      repository.end(userId, id, limit, new Date().toISOString()),
    /** Passes on the events of one part, those of one packet together. */
    async watch(userId: number, runId: number, { tell, ...stream }: ApiRunReader) {
      const run = await runRepository(db).find(userId, runId);
      const write = (frames: string) => {
        if (frames !== '') tell(parseFrames(frames).map(({ event }) => event));
      };
      if (run) await executor.watch({ userId }, run, 0, { ...stream, write });
      else stream.end();
    },
  };
}

export type ApiRuns = ReturnType<typeof createApiRuns>;

/** Checks before anything is stored or spent. @throws AppError if the run cannot start */
async function authorizeRun(
  { executor, endedModels, openKey, checkBudget }: Dependencies,
  { userId }: ApiClient,
  threadId: number | null,
  target: ChatTarget,
): Promise<void> {
  executor.refuseWhenClosing(userId);
  await endedModels.refuse(userId, modelsWithoutFallback([target]));
  await checkKeys(openKey, userId, target);
  await checkBudget(userId, { assistantId: target.assistantId, threadId }, 'Raise it in Analytics.');
}

function startStored(
  { executor }: Dependencies,
  { userId }: ApiClient,
  stored: StoredApiRun | RunNotStored,
): StoredApiRun | RunNotStored {
  if (stored.kind === 'stored') executor.start(forNewRun({ userId, overBudget: false, ...stored.answer }));
  return stored;
}
