import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toClientError } from '#server/http/error-handler';
import { apiError } from '#server/http/public-api/errors';
import { sendEventHeaders } from '#server/http/streaming/event-stream';
import { ClientDisconnectedError } from './call-context.ts';
import { publicFailure } from './provider-failure.ts';

type Streaming<Outcome extends { failure: unknown }> = {
  passOn: (raw: ServerResponse, signal: AbortSignal) => Promise<Outcome>;
  end: (outcome: Outcome) => Promise<void>;
  signal: AbortSignal;
};

/** Answers with events, the last of which reports a failure. */
export async function answerInStream<Outcome extends { failure: unknown }>(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { passOn, end, signal }: Streaming<Outcome>,
) {
  sendEventHeaders(request, reply);
  const outcome = await passOn(reply.raw, signal);
  const { failure } = outcome;
  // The headers are sent: from here on, only the stream itself can report anything.
  await end(outcome).catch((err: unknown) => request.log.error({ err }, 'could not record the cost of a call'));
  if (failure !== undefined && !(failure instanceof ClientDisconnectedError)) {
    const { body } = apiError(toClientError(publicFailure(failure), request, reply));
    if (!reply.raw.destroyed) reply.raw.write(`data: ${JSON.stringify(body)}\n\n`);
  }
  reply.raw.end();
}
