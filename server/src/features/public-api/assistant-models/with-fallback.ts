import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import { publicFailure } from '#server/features/public-api/shared/provider-failure';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { isOutage } from '#server/provider/fallback';

type Call = { caller: ApiPrincipal; body: { model: string }; request: FastifyRequest; reply: FastifyReply };

/**
 * Answers a call, and once more with the fallback of its assistant if the model is down, over its limit or gone and
 * the client has received nothing. `outage` is the reason for the second attempt.
 */
export async function withFallback(
  { fallbackOf, explained }: Pick<ModelNames, 'fallbackOf' | 'explained'>,
  { caller, body, request, reply }: Call,
  signal: AbortSignal,
  answer: (outage?: string) => Promise<void>,
): Promise<void> {
  try {
    await answer();
  } catch (error) {
    const isUnanswered = !signal.aborted && !reply.sent && !reply.raw.headersSent;
    const outage = isUnanswered ? await outageFor({ fallbackOf }, { caller, body, request }, error) : null;
    if (outage === null) throw publicFailure(await explained(caller.userId, body.model, error));
    await answer(outage).catch((again: unknown) => {
      throw publicFailure(again);
    });
  }
}

/** The reason to ask the fallback of the named assistant; null if there is none, or another model would not help. */
export async function outageFor(
  { fallbackOf }: Pick<ModelNames, 'fallbackOf'>,
  { caller, body, request }: Omit<Call, 'reply'>,
  error: unknown,
): Promise<string | null> {
  if (!isOutage(error) || (await fallbackOf(caller.userId, body.model)) === null) return null;
  request.log.info({ event: 'fallback_asked', code: error.code });
  return error.message;
}
