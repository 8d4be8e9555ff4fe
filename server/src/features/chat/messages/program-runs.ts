import type { RunEvent } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { answerableUntil } from '#server/features/chat/runs/end';
import { parseFrames } from '#server/features/chat/runs/event-log';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import {
  type PartOfProgramRun,
  type ProgramRun,
  programRunRepository,
} from '#server/features/chat/runs/program-run-repository';
import { runRepository } from '#server/features/chat/runs/repository';
import { type KeptCall, toolCallRepository } from '#server/features/chat/runs/tool-call-repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { EventStream } from '#server/http/streaming/event-stream';
import type { Secret } from '#server/security/secret';
import type { Answerer } from './answerer.ts';
import {
  type Asker,
  type FunctionOutput,
  type NewProgramRun,
  type NotStored,
  programAnswerStore,
  type Stored,
} from './program-answer-store.ts';
import type { OrderMaker } from './run-order.ts';

type Dependencies = {
  db: Kysely<Database>;
  instance: number;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'start' | 'stop' | 'watch'>;
  openKey: (userId: number) => Promise<Secret>;
  /** Refuses a call that a budget does not allow; `way` is what can be done about it. */
  checkBudget: (userId: number, assistantId: number | null, way?: string) => Promise<void>;
  endedModels: Pick<RetirementGuard, 'refuse'>;
  orderOf: OrderMaker;
};

/** A program's run with the runs that it is made of, the oldest first, and what the model has called in them. */
export type WholeProgramRun = ProgramRun & { parts: PartOfProgramRun[]; calls: KeptCall[] };
export type ProgramRunPage = Parameters<ReturnType<typeof programRunRepository>['ofThread']>[2];

/** Who follows a run. */
export type ProgramReader = Omit<EventStream, 'write'> & { tell: (events: RunEvent[]) => void };

/** A run as it was when this part of it had ended. If it has gone on since, it waited for functions then. */
export function atEndOf(run: WholeProgramRun, partId: number): WholeProgramRun {
  if (run.currentRunId === partId) return run;
  const parts = run.parts.filter(({ id }) => id <= partId);
  const endedAt = parts.at(-1)?.finishedAt ?? null;
  const asCalled = (call: KeptCall): KeptCall =>
    call.runId === partId && call.kind === 'function' ? { ...call, state: 'waiting', output: null } : call;
  return {
    ...run,
    currentRunId: partId,
    state: 'waiting',
    waitsUntil: endedAt && answerableUntil(endedAt),
    endedAt: null,
    parts,
    calls: run.calls.filter(({ runId }) => runId <= partId).map(asCalled),
  };
}

const wayOut = 'Raise it in Analytics.';

/**
 * Runs that programs ask for: those that chat has, one for each answer of the provider, chained where functions are called.
 *
 * Long: a list of calls, each read alone.
 */
export function programRuns({ db, instance, executor, openKey, checkBudget, endedModels, orderOf }: Dependencies) {
  const store = programAnswerStore(db, instance);
  const repository = programRunRepository(db);

  /** Before anything is stored or spent. */
  async function begin(
    { userId }: Asker,
    { assistantId, model }: Answerer,
    storing: () => Promise<Stored | NotStored>,
  ) {
    executor.refuseWhenClosing(userId);
    if (model !== null) await endedModels.refuse(userId, [model]);
    const apiKey = await openKey(userId);
    await checkBudget(userId, assistantId, wayOut);
    const stored = await storing();
    if (stored.kind === 'stored') executor.start(orderOf(userId, apiKey, stored.answer));
    return stored;
  }

  async function whole(userId: number, runs: ProgramRun[]): Promise<WholeProgramRun[]> {
    const parts = Map.groupBy(
      await repository.parts(
        userId,
        runs.map(({ id }) => id),
      ),
      ({ programRunId }) => programRunId,
    );
    const withCalls = [...parts.values()].flat().flatMap(({ id, hasCalls }) => (hasCalls ? [id] : []));
    const calls = await toolCallRepository(db).ofRuns(userId, withCalls);
    return runs.map((run) => {
      const own = parts.get(run.id) ?? [];
      const ids = new Set(own.map(({ id }) => id));
      // An answer may have ended since the run was read: a run that waits must not look like one that is over.
      const now = own.at(-1)?.chain;
      return { ...run, ...now, parts: own, calls: calls.filter(({ runId }) => ids.has(runId)) };
    });
  }

  async function find(userId: number, id: number): Promise<WholeProgramRun | undefined> {
    const run = await repository.find(userId, id);
    return run && (await whole(userId, [run]))[0];
  }

  return {
    find,
    async findAtEndOf(userId: number, id: number, partId: number): Promise<WholeProgramRun | undefined> {
      const run = await find(userId, id);
      return run && atEndOf(run, partId);
    },
    async ofThread(userId: number, threadId: number, page: ProgramRunPage): Promise<WholeProgramRun[]> {
      return whole(userId, await repository.ofThread(userId, threadId, page));
    },
    isElsewhere: repository.isElsewhere,
    setMetadata: repository.setMetadata,
    start: (asker: Asker, run: NewProgramRun) => begin(asker, run.answerer, () => store.atEnd(asker, run)),
    goOn: (asker: Asker, id: number, outputs: FunctionOutput[], answerer: Answerer) =>
      begin(asker, answerer, () => store.goOn(asker, id, outputs, answerer)),
    /** Ends it: one that waits at once, one that is being answered as soon as its process has. */
    async cancel(userId: number, { id, currentRunId }: ProgramRun) {
      if (!(await repository.end(userId, id, 'cancelled', new Date().toISOString())))
        await executor.stop(userId, currentRunId);
    },
    /** Ends one that waits, because its program has set a limit and that is reached. */
    endAtLimit: (userId: number, id: number, limit: 'max_prompt_tokens' | 'max_completion_tokens') =>
      repository.end(userId, id, limit, new Date().toISOString()),
    /** The events of one of its parts, those of one packet together. */
    async watch(userId: number, runId: number, { tell, ...stream }: ProgramReader) {
      const run = await runRepository(db).find(userId, runId);
      const write = (frames: string) => {
        if (frames !== '') tell(parseFrames(frames).map(({ event }) => event));
      };
      if (run) await executor.watch({ userId }, run, 0, { ...stream, write });
      else stream.end();
    },
  };
}

export type ProgramRuns = ReturnType<typeof programRuns>;
