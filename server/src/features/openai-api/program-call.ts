import type { FastifyReply } from 'fastify';
import type { BudgetService } from '#server/features/usage/budgets';
import type { Caller } from '#server/http/caller';
import type { OpenCalls } from '#server/http/open-calls';
import { ProviderError } from '#server/provider/error';
import { refuseOverTokenBudget } from './token-budget.ts';

/** The program has closed its connection: nobody is there for the rest of the answer. */
export class CallerLeft extends Error {
  override name = 'CallerLeft';
}

/** Answers a program as long as it is there, its token is good, and it does not take too long. */
export async function whileCalled(
  openCalls: OpenCalls,
  { caller, reply }: { caller: Caller; reply: FastifyReply },
  answer: (controller: AbortController) => Promise<void>,
): Promise<FastifyReply> {
  const { controller, done } = openCalls.begin(caller);
  const timer = setTimeout(
    () => controller.abort(new ProviderError('provider_timeout', 'The provider did not answer in time.')),
    openCalls.longestMs,
  );
  const onClose = () => controller.abort(new CallerLeft('The program has closed its connection.'));
  reply.raw.once('close', onClose);
  try {
    await answer(controller);
  } catch (error) {
    if (!(error instanceof CallerLeft)) throw error;
    // Nobody is there to be answered.
    reply.hijack();
    reply.raw.destroy();
  } finally {
    clearTimeout(timer);
    reply.raw.off('close', onClose);
    done();
  }
  return reply;
}

/** Before anything is spent. */
export const budgetCheck =
  (budgets: Pick<BudgetService, 'check'>, caller: Caller) =>
  async (assistantId: number | null): Promise<void> => {
    refuseOverTokenBudget(caller);
    await budgets.check(caller.userId, assistantId, 'Raise it in Analytics.');
  };

/** Headers are ASCII. */
const inHeader = (text: string) =>
  text
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 1_000);

/** Says what could not be done as it was asked for. */
export function tellNotes(reply: FastifyReply, notes: string[]) {
  if (notes.length > 0) reply.header('x-roster-note', inHeader(notes.join(' ')));
}
