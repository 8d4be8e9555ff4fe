import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withFallback } from '#server/features/public-api/assistant-models/with-fallback';
import { answerInStream } from '#server/features/public-api/shared/answer-in-stream';
import { createBudgetCheck, sendNotes, whileClientWaits } from '#server/features/public-api/shared/call-context';
import { type CallLog, costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import { whileRecorded } from '#server/features/public-api/shared/while-recorded';
import type { BudgetService } from '#server/features/usage/budgets';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { tierOf } from '#server/provider/connections/offer-budget';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Answer } from './answers.ts';
import { prepare } from './prepare.ts';
import type { Outcome } from './relay-stream.ts';
import { chatSender } from './send.ts';

type Dependencies = Parameters<typeof prepare>[0] &
  Parameters<typeof chatSender>[0] & {
    keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
    modelNames: ModelNames;
    budgets: Pick<BudgetService, 'check'>;
    calls: CallLog;
    openCalls: CallRegistry;
  };

type Call = { caller: ApiPrincipal; body: ChatCompletion; request: FastifyRequest; reply: FastifyReply };

/** Answers chat completions with the user's provider key, and records the cost of each. */
export function chatCompletionService(dependencies: Dependencies) {
  const { keys, budgets, calls, openCalls, modelNames } = dependencies;
  const ask = chatSender(dependencies);

  async function answer(call: Call, signal: AbortSignal, outage?: string): Promise<void> {
    const { caller, request, reply } = call;
    const { userId } = caller;
    const model = await modelNames.resolve(userId, call.body.model);
    const isPlain = model === call.body.model;
    const body = isPlain ? call.body : { ...call.body, model };
    const answering = outage === undefined ? modelNames.answering : modelNames.fallbackOf;
    const apiKey = await keys.open(userId, await answering(userId, model), tierOf(body));
    const check = createBudgetCheck(budgets, caller);
    const text = modelIdOf(model) === call.body.model ? request.bodyText : undefined;
    const prepared = await prepare(dependencies, { userId, body, text, apiKey, check, outage });
    const stored = await calls.begin(caller, prepared);
    const recorded = { stored, userId, model: prepared.model, inputTokens: prepared.inputTokens, keys, signal };
    await whileRecorded({ ...recorded, log: request.log }, async (end) => {
      const endWith: End = (outcome) => end(costOf(prepared.inputTokens, outcome));
      const answered = await ask(prepared, { body, apiKey, signal });
      sendNotes(reply, answered.notes);
      if (answered.isStream) await answerInStream(call, { passOn: answered.passOn, end: endWith, signal });
      else await answerWhole(reply, answered, endWith, signal);
    });
  }

  return (call: Call): Promise<FastifyReply> =>
    whileClientWaits(openCalls, call, ({ signal }) =>
      withFallback(modelNames, call, signal, (outage) => answer(call, signal, outage)),
    );
}

type End = (outcome: Omit<Outcome, 'failure'>) => Promise<void>;

async function answerWhole(reply: FastifyReply, answer: Answer, end: End, signal: AbortSignal) {
  const { type, body, ...outcome } = await answer.whole(signal);
  await end(outcome);
  if (outcome.failure !== undefined) throw outcome.failure;
  await reply.status(200).type(type).send(body);
}
