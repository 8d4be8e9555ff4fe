import type { FastifyRequest } from 'fastify';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { ProviderError } from '#server/provider/transport/error';
import { type CallLog, type Cost, costOf } from './call-log.ts';

type RecordedCall = Awaited<ReturnType<CallLog['begin']>>;

type RecordingOptions = {
  stored: Pick<RecordedCall, 'end'>;
  userId: number;
  model: string | null;
  /** Estimate, recorded if it is not known what the provider has done. */
  inputTokens: number;
  keys: Pick<ProviderKeyService, 'noteRejected'>;
  signal: AbortSignal;
  log: FastifyRequest['log'];
};

/**
 * Asks the provider in a stored call, which always ends with its cost: the one that `work` reports, or what its failure
 * says. @throws the failure
 */
export async function whileRecorded(
  { stored, userId, model, inputTokens, keys, signal, log }: RecordingOptions,
  work: (end: (cost: Cost | null) => Promise<void>) => Promise<void>,
): Promise<void> {
  let isEnded = false;
  const end = async (cost: Cost | null) => {
    if (isEnded) return;
    isEnded = true;
    await stored.end(cost);
  };
  try {
    await work(end);
  } catch (error) {
    // A refusal costs nothing; only the provider knows if a broken answer does.
    const isRefused = error instanceof ProviderError ? error.status !== undefined : error instanceof AppError;
    await end(isRefused && !signal.aborted ? null : costOf(inputTokens, { usage: null, events: 0 }));
    if (error instanceof ProviderError && error.code === 'key_rejected')
      await keys.noteRejected(userId, error.message, model);
    log.info({ event: 'api_call_failed', code: error instanceof ProviderError ? error.code : undefined });
    throw error;
  }
}
