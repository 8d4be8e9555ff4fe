import type { Run, RunEvent } from '@roster/contracts/chat';
import type { RunError } from '@roster/contracts/errors';
import type { FastifyBaseLogger } from 'fastify';
import type { Presence } from '../../../db/presence.ts';
import { AppError, restarting } from '../../../errors.ts';
import type { Actor } from '../../../http/actor.ts';
import type { EventStream } from '../../../http/event-stream.ts';
import { ProviderError } from '../../../provider/error.ts';
import type { AnswerEnd, AnswerPiece, Provider } from '../../../provider/provider.ts';
import { leftOutNotes } from '../messages/history.ts';
import type { RunEndings } from './end.ts';
import type { FoldedLog } from './event-log.ts';
import { LiveRun, type PreparedRequest, type RunOrder } from './live-run.ts';
import type { RunRepository } from './repository.ts';
import { followElsewhere } from './watch.ts';

/** Text is stored at least this often, for all runs in one commit. */
const saveEveryMs = 200;
const answerWithinMs = 10 * 60_000;
const drainWithinMs = 25_000;

/** Why a run's call to the provider was broken off. */
class Stopped extends Error {}
class ShuttingDown extends Error {}

type Dependencies = {
  runs: RunRepository;
  endings: RunEndings;
  provider: Pick<Provider, 'answer'>;
  presence: Presence;
  log: FastifyBaseLogger;
  onKeyRejected: (userId: number, notice: string) => Promise<void>;
  /** What follows a complete answer; the run itself has ended by then. */
  onComplete: (order: RunOrder, request: PreparedRequest['request'], signal: AbortSignal) => Promise<void>;
};

/** Executes runs. A run belongs to the server: readers come and go without touching it. */
export function runExecutor({ runs, endings, provider, presence, log, onKeyRejected, onComplete }: Dependencies) {
  const live = new Map<number, LiveRun>();
  const elsewhere = followElsewhere({ runs, endings, log });
  const unsaved = new Set<LiveRun>();
  const followUps = new Map<Promise<void>, { userId: number; controller: AbortController }>();
  /** Whose accounts are being closed. */
  const leaving = new Set<number>();
  const shutdown = new AbortController();
  let saving: Promise<void> = Promise.resolve();
  let saveIsDue = false;
  let closing = false;

  function publish(run: LiveRun, events: RunEvent[]) {
    run.publish(events);
    unsaved.add(run);
    if (saveIsDue) return;
    saveIsDue = true;
    setTimeout(() => {
      saveIsDue = false;
      saving = saving.then(save);
    }, saveEveryMs);
  }

  /** Stores the new events of all runs in one commit; what could not be stored is tried again with the next ones. */
  async function save() {
    const batch = [...unsaved];
    unsaved.clear();
    const parts = batch.flatMap((run) => {
      const part = run.unsaved();
      return part && live.has(run.order.runId) && !run.controller.signal.aborted ? [{ run, part }] : [];
    });
    if (parts.length === 0) return;
    try {
      const begun = batch.filter((run) => !run.announced).map(({ order }) => order.runId);
      for (const { run } of parts) run.hasStored = true;
      const batches = parts.map(({ run, part }) => ({ runId: run.order.runId, ...part }));
      await runs.storeEvents(begun, batches);
      for (const { run, part } of parts) {
        run.announced = true;
        run.markSaved(part.last);
      }
      presence.send({ eventsOf: parts.map(({ run }) => run.order.runId) });
    } catch (error) {
      if (!(await stopVanished(parts.map(({ run }) => run)))) log.error({ err: error }, 'storing answers failed');
      for (const run of batch) if (live.has(run.order.runId)) publish(run, []);
    }
  }

  /** Stops runs whose rows another process has deleted: they would keep the others from being stored. */
  async function stopVanished(batch: LiveRun[]): Promise<boolean> {
    const there = await runs.existing(batch.map(({ order }) => order.runId)).catch(() => undefined);
    const vanished = there ? batch.filter(({ order }) => !there.has(order.runId)) : [];
    for (const run of vanished) run.controller.abort(new Stopped());
    return vanished.length > 0;
  }

  async function execute(run: LiveRun) {
    const { order, controller } = run;
    const limit = setTimeout(() => {
      controller.abort(
        new ProviderError('provider_timeout', 'The answer took longer than ten minutes and was cut off.'),
      );
    }, answerWithinMs);
    let isComplete = false;
    try {
      run.prepared = await untilAborted(order.prepare(controller.signal), controller.signal);
      const end = await answerWithin(run, run.prepared);
      if (run.log.text.trim() === '') publish(run, [wordless(end)]);
      await finish(run, { state: 'complete', reason: end.reason, error: null }, end.usage);
      isComplete = end.reason === 'complete';
    } catch (error) {
      await fail(run, error);
    } finally {
      clearTimeout(limit);
      live.delete(order.runId);
      run.endStreams();
      run.done.resolve();
    }
    if (isComplete && run.prepared) followUp(order, run.prepared);
  }

  function followUp(order: RunOrder, { request }: PreparedRequest) {
    const controller = new AbortController();
    const work = onComplete(order, request, AbortSignal.any([shutdown.signal, controller.signal]))
      .catch((error: unknown) => log.error({ err: error, runId: order.runId }, 'what follows an answer failed'))
      .finally(() => followUps.delete(work));
    followUps.set(work, { userId: order.userId, controller });
  }

  /**
   * Where the provider finds the conversation too long, it is tried again with the newer half. What was left out in the
   * end is said once, before the answer.
   */
  async function answerWithin(run: LiveRun, prepared: PreparedRequest): Promise<AnswerEnd> {
    const { controller } = run;
    const { turns } = prepared.request;
    const onAsking = (isAsked: boolean) => {
      run.isAsked = isAsked;
    };
    for (let kept = turns; ; kept = kept.slice(Math.ceil(kept.length / 2))) {
      const leftOut = prepared.leftOut + turns.length - kept.length;
      let notes: AnswerPiece[] = [
        ...prepared.notes.map((text) => ({ type: 'note' as const, text })),
        ...leftOutNotes(leftOut, prepared.filesLeftOut),
      ];
      const onPieces = (pieces: AnswerPiece[]) => {
        // Not with a mere note: what is left out may still become more.
        const begins = pieces.some(({ type }) => type !== 'note');
        publish(run, begins ? [...notes, ...pieces] : pieces);
        if (begins) notes = [];
      };
      try {
        return await provider.answer({ ...prepared.request, turns: kept, onAsking }, onPieces, controller.signal);
      } catch (error) {
        const isTooLong = error instanceof ProviderError && error.code === 'context_too_long' && run.log.text === '';
        if (!isTooLong || kept.length < 2) throw error;
      }
    }
  }

  async function fail(run: LiveRun, error: unknown) {
    if (error instanceof Stopped) return finish(run, { state: 'stopped', reason: 'stopped', error: null }, null);
    if (error instanceof ShuttingDown)
      return finish(run, { state: 'interrupted', reason: null, error: endings.interrupted() }, null);
    const failure = endings.failureOf(error);
    if (failure.code === 'internal') log.error({ err: error, runId: run.order.runId }, 'run failed');
    else log.warn({ code: failure.code, runId: run.order.runId }, 'run failed');
    await finish(run, { state: 'failed', reason: null, error: failure }, null);
    if (failure.code === 'key_rejected') await onKeyRejected(run.order.userId, failure.message);
  }

  /** Stores the end, then tells it: who reads `finished` finds the whole answer in the database. */
  async function finish(
    run: LiveRun,
    end: { state: 'complete' | 'stopped' | 'failed' | 'interrupted'; reason: string | null; error: RunError | null },
    usage: AnswerEnd['usage'],
  ) {
    unsaved.delete(run);
    await saving;
    const events = await endings.store(run, end, usage);
    run.publish(events);
    presence.send({ eventsOf: [run.order.runId] });
  }

  async function watch(actor: Actor, run: Run, after: number, stream: EventStream): Promise<void> {
    const here = live.get(run.id);
    if (here) return here.watch(stream, after);
    const finished = await endings.replay(actor.userId, run.id, after);
    if (finished !== undefined) {
      stream.write(finished);
      stream.end();
      return;
    }
    await elsewhere.watch(actor.userId, run.id, after, stream);
  }

  presence.listen((signal) => {
    if ('stop' in signal) live.get(signal.stop)?.controller.abort(new Stopped());
    else elsewhere.told(signal.eventsOf);
  });

  let goneLately = new Set<number>();

  /** Ends the runs of processes that are gone. Other processes may do the same at the same time. */
  async function endAbandoned(isCertain: (instance: number) => boolean): Promise<number> {
    let ended = 0;
    const gone = new Map<number, boolean>();
    // One of our own that is not live could not be ended when it should have been; a fresh one may just be starting.
    const ownBefore = new Date(Date.now() - 60_000).toISOString();
    async function isGone(instance: number) {
      const known = gone.get(instance) ?? ((await presence.isGone(instance)) && isCertain(instance));
      gone.set(instance, known);
      return known;
    }
    for (const run of await runs.allUnderWay()) {
      if (live.has(run.id)) continue;
      const isAbandoned = run.instance === presence.instance ? run.createdAt < ownBefore : await isGone(run.instance);
      if (isAbandoned && (await endings.interruptAbandoned(run))) ended++;
    }
    return ended;
  }

  return {
    get count() {
      return live.size;
    },
    refuseWhenClosing(userId: number) {
      if (leaving.has(userId)) throw new AppError('not_allowed', 'This account is being closed.');
      if (closing) throw restarting();
    },
    /** Starts at once; the run is stored already. */
    start(order: RunOrder) {
      const run = new LiveRun(order);
      live.set(order.runId, run);
      void execute(run).catch((error: unknown) => log.error({ err: error, runId: order.runId }, 'ending a run failed'));
    },
    watch,
    /** What a run of this process has come to. */
    logOf: (runId: number): FoldedLog | undefined => live.get(runId)?.log,
    /** Closes the connection to the provider and waits until the end is stored; elsewhere, asks for it. */
    async stop(userId: number, runId: number) {
      const here = live.get(runId);
      if (here) {
        here.controller.abort(new Stopped());
        await here.done.promise;
        return;
      }
      await runs.requestStop(userId, runId);
      presence.send({ stop: runId });
    },
    /**
     * Ends all work for a person, other processes' included, and refuses more of it until `work` is done. Another process
     * may still take a message; whoever must know asks again in the transaction.
     */
    async withoutRuns<T>(userId: number, withinMs: number, work: () => Promise<T>): Promise<T> {
      leaving.add(userId);
      try {
        const giveUpAt = performance.now() + withinMs;
        for (let underWay = await runs.underWay(userId); underWay.length > 0; underWay = await runs.underWay(userId)) {
          if (performance.now() > giveUpAt)
            throw new AppError(
              'unavailable',
              'An answer is still being ended. Sign in again in a minute, and try once more.',
              {
                retryAfterSeconds: 60,
              },
            );
          await Promise.all(underWay.map(({ id }) => this.stop(userId, id)));
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        const titles = [...followUps].filter(([, { userId: owner }]) => owner === userId);
        for (const [, { controller }] of titles) controller.abort(new Stopped());
        await Promise.all(titles.map(([title]) => title));
        return await work();
      } finally {
        leaving.delete(userId);
      }
    },
    /** A signal may be lost with a connection; what was asked for is also in the database. */
    async obeyStops() {
      if (live.size === 0) return;
      for (const id of await runs.stopRequested([...live.keys()])) live.get(id)?.controller.abort(new Stopped());
    },
    /** Ends what a crash has left behind, before anybody is let in. */
    recover: () => endAbandoned(() => true),
    /**
     * The same while work goes on. Only for processes that were gone the last time too: one whose connection to the
     * database was cut looks gone until it is back, and must not lose its runs.
     */
    async recoverAgain(): Promise<number> {
      const before = goneLately;
      goneLately = new Set();
      return endAbandoned((instance) => {
        goneLately.add(instance);
        return before.has(instance);
      });
    },
    /** Takes no new runs, gives those under way time to end, and marks the rest as interrupted with their text. */
    async drain() {
      closing = true;
      const ends = Promise.all([...live.values()].map((run) => run.done.promise));
      const timeout = new Promise((resolve) => setTimeout(resolve, drainWithinMs).unref());
      await Promise.race([ends, timeout]);
      for (const run of live.values()) run.controller.abort(new ShuttingDown());
      await ends;
      shutdown.abort(new ShuttingDown());
      await Promise.all(followUps.keys());
    },
  };
}

/** What a reader finds instead of an answer that has no word: one that only thinks, or calls for a tool that is not there. */
const wordless = ({ reason }: AnswerEnd): RunEvent => ({ type: 'note', text: wordlessNotes[reason] });
const wordlessNotes: Record<AnswerEnd['reason'], string> = {
  complete: 'The model ended without writing an answer. Ask for a new one, or put the question differently.',
  length: 'The model reached its limit before it had written anything. Ask for a new answer, or use less reasoning.',
  content_filter: 'The provider’s content filter let nothing of the answer through. Put the question differently.',
};

/** A run that is stopped does not wait for what is being gathered for it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

export type RunExecutor = ReturnType<typeof runExecutor>;
