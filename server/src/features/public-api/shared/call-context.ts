import type { FastifyReply } from 'fastify';
import type { BudgetService } from '#server/features/usage/budgets';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { ProviderError } from '#server/provider/transport/error';
import { refuseOverTokenBudget } from './token-budget.ts';

/** The client has closed its connection. */
export class ClientDisconnectedError extends Error {
  override name = 'ClientDisconnectedError';
}

/** Runs `work` while the client is connected, its token is valid, and the time limit has not passed. */
export async function whileClientWaits(
  openCalls: CallRegistry,
  { caller, reply }: { caller: ApiPrincipal; reply: FastifyReply },
  answer: (controller: AbortController) => Promise<void>,
): Promise<FastifyReply> {
  const { controller, done } = openCalls.begin(caller);
  const timer = setTimeout(
    () => controller.abort(new ProviderError('provider_timeout', 'The provider did not answer in time.')),
    openCalls.longestMs,
  );
  const onClose = () => controller.abort(new ClientDisconnectedError('The client has closed its connection.'));
  reply.raw.once('close', onClose);
  try {
    await answer(controller);
  } catch (error) {
    if (!(error instanceof ClientDisconnectedError)) throw error;
    // Nobody is left to receive an answer.
    reply.hijack();
    reply.raw.destroy();
  } finally {
    clearTimeout(timer);
    reply.raw.off('close', onClose);
    done();
  }
  return reply;
}

/** Call before anything is spent. */
export const createBudgetCheck =
  (budgets: Pick<BudgetService, 'check'>, caller: ApiPrincipal) =>
  async (assistantId: number | null): Promise<void> => {
    refuseOverTokenBudget(caller);
    await budgets.check(caller.userId, { assistantId, threadId: null }, 'Raise it in Analytics.');
  };

/** Headers are limited to ASCII. */
const inHeader = (text: string) =>
  text
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 1_000);

/** Sets a header that says what could not be done as requested. */
export function sendNotes(reply: FastifyReply, notes: string[]) {
  if (notes.length > 0) reply.header('x-roster-note', inHeader(notes.join(' ')));
}
