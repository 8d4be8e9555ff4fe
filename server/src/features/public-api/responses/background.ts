import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { restartingError } from '#server/lib/errors';
import { settlesWithin } from '#server/lib/with-timeout';
import { ProviderError } from '#server/provider/transport/error';
import type { ProviderTimeouts } from '#server/provider/transport/timeouts';
import type { ResponseRepository } from './repository.ts';

const drainWithinMs = 25_000;
const cancelWithinMs = 5_000;
const lookEveryMs = 100;

/** The client has cancelled the response. */
export class CancelledError extends Error {
  override name = 'CancelledError';
}

type Dependencies = {
  repository: Pick<ResponseRepository, 'wanted' | 'find' | 'requestCancel'>;
  log: FastifyBaseLogger;
  providerTimes: Pick<ProviderTimeouts, 'backgroundMs'>;
};

type HeldResponse = { controller: AbortController; done: () => void };
type Live = { controller: AbortController; ended: Promise<void> };

/** Waits, for a limited time, until another process has complied. */
async function endElsewhere({ find }: Pick<ResponseRepository, 'find'>, userId: number, id: number) {
  const giveUpAt = performance.now() + cancelWithinMs;
  while (performance.now() < giveUpAt) {
    const found = await find(userId, id);
    if (!found || (found.state !== 'queued' && found.state !== 'in_progress')) return;
    await wait(lookEveryMs);
  }
}

/** Responses that are written in the background. Each belongs to the process that started it. */
export function createBackgroundRunner({ repository, log, providerTimes }: Dependencies) {
  const live = new Map<number, Live>();
  let isClosing = false;

  async function run(id: number, { controller, done }: HeldResponse, write: (signal: AbortSignal) => Promise<void>) {
    const timer = setTimeout(
      () => controller.abort(new ProviderError('provider_timeout', 'The response took too long.')),
      providerTimes.backgroundMs,
    );
    try {
      await write(controller.signal);
    } catch (err) {
      log.error({ err, responseId: id }, 'could not store the end of a response');
    } finally {
      clearTimeout(timer);
      live.delete(id);
      done();
    }
  }

  return {
    /** @throws restarting */
    refuseWhenClosing() {
      if (isClosing) throw restartingError();
    },
    start(id: number, held: HeldResponse, write: (signal: AbortSignal) => Promise<void>): Promise<void> {
      const ended = run(id, held, write);
      live.set(id, { controller: held.controller, ended });
      return ended;
    },
    /** Resolves when the response has ended, or is about to. An ended response stays unchanged. */
    async cancel(userId: number, id: number) {
      if (!(await repository.requestCancel(userId, id))) return;
      const here = live.get(id);
      here?.controller.abort(new CancelledError('The response was cancelled.'));
      await (here ? here.ended : endElsewhere(repository, userId, id));
    },
    /** Ends responses that another process was asked to cancel or delete. */
    async endCancelled() {
      const ids = [...live.keys()];
      if (ids.length === 0) return;
      const wanted = await repository.wanted(ids);
      for (const id of ids)
        if (!wanted.has(id)) live.get(id)?.controller.abort(new CancelledError('The response was cancelled.'));
    },
    /** Gives active responses time to end; the rest fail. */
    async close() {
      isClosing = true;
      const ends = Promise.all([...live.values()].map(({ ended }) => ended));
      await settlesWithin(drainWithinMs, ends);
      for (const { controller } of live.values()) controller.abort(restartingError());
      await ends;
    },
  };
}

export type BackgroundRunner = ReturnType<typeof createBackgroundRunner>;
