import type { ResponseRequest } from '@roster/contracts/public-api/responses';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ClientDisconnectedError } from '#server/features/public-api/shared/call-context';
import { type Cost, costOf } from '#server/features/public-api/shared/call-log';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { failedOutcome, type Outcome } from './answer.ts';
import { CancelledError } from './background.ts';
import type { ParsedRequest } from './parse-request.ts';
import type { PendingResponse } from './store.ts';

export type Call = { caller: ApiPrincipal; body: ResponseRequest; request: FastifyRequest; reply: FastifyReply };
export type PreparedResponse = { order: ParsedRequest; apiKey: Secret };
/** A request that is stored, but not sent yet. */
export type StartedResponse = PreparedResponse & { open: PendingResponse };

export type NoteFailure = (call: Call, model: string, error: unknown) => Promise<void>;

export const notedWith =
  (keys: Pick<ProviderKeyService, 'noteRejected'>): NoteFailure =>
  async ({ caller, request }, model, error) => {
    if (error instanceof ProviderError && error.code === 'key_rejected')
      await keys.noteRejected(caller.userId, error.message, model);
    request.log.info({ event: 'api_call_failed', code: error instanceof ProviderError ? error.code : undefined });
  };

/** A refusal costs nothing; only the provider knows if a broken answer does. */
export function costOfRefusal({ inputTokens }: ParsedRequest, error: unknown, signal: AbortSignal): Cost | null {
  const isRefused = error instanceof ProviderError ? error.status !== undefined : error instanceof AppError;
  return isRefused && !signal.aborted ? null : costOf(inputTokens, { usage: null, events: 0 });
}

/** A response that its client ended has not failed. */
export function ended(outcome: Outcome): Outcome {
  const { failure, response } = outcome;
  if (!(failure instanceof ClientDisconnectedError) && !(failure instanceof CancelledError)) return outcome;
  return { ...outcome, response: { ...response, status: 'cancelled', error: null } };
}

/** Stores the end. Once the headers are sent, only the stream itself can report anything. */
export async function storedEnd({ request }: Call, open: PendingResponse, cost: Cost | null, outcome: Outcome) {
  try {
    await open.end(cost, ended(outcome));
    return outcome.lastFrames;
  } catch (error) {
    request.log.error({ err: error }, 'could not store the end of a response');
    return failedOutcome(open.base, error, { output: [], deltas: 0, number: 0 }).lastFrames;
  }
}
