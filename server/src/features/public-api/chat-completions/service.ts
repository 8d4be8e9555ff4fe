import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withFallback } from '#server/features/public-api/assistant-models/with-fallback';
import {
  ClientDisconnectedError,
  createBudgetCheck,
  sendNotes,
  whileClientWaits,
} from '#server/features/public-api/shared/call-context';
import { type CallLog, type Cost, costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import { publicFailure } from '#server/features/public-api/shared/provider-failure';
import type { BudgetService } from '#server/features/usage/budgets';
import { toClientError } from '#server/http/error-handler';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { apiError } from '#server/http/public-api/errors';
import { sendEventHeaders } from '#server/http/streaming/event-stream';
import { AppError } from '#server/lib/errors';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { ProviderError } from '#server/provider/transport/error';
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
    const apiKey = await keys.open(userId, await answering(userId, model));
    const check = createBudgetCheck(budgets, caller);
    const text = isPlain ? request.bodyText : undefined;
    const prepared = await prepare(dependencies, { userId, body, text, apiKey, check, outage });
    const stored = await calls.begin(caller, prepared);
    let isEnded = false;
    const end = async (cost: Cost | null) => {
      if (isEnded) return;
      isEnded = true;
      await stored.end(cost);
    };
    const endWith: End = (outcome) => end(costOf(prepared.inputTokens, outcome));
    try {
      const answered = await ask(prepared, { body, apiKey, signal });
      sendNotes(reply, answered.notes);
      if (answered.isStream) await answerInStream(call, answered, endWith, signal);
      else await answerWhole(reply, answered, endWith, signal);
    } catch (error) {
      // A refusal costs nothing; only the provider knows if a broken answer does.
      const isRefused = error instanceof ProviderError ? error.status !== undefined : error instanceof AppError;
      await end(isRefused && !signal.aborted ? null : costOf(prepared.inputTokens, { usage: null, events: 0 }));
      if (error instanceof ProviderError && error.code === 'key_rejected')
        await keys.noteRejected(userId, error.message, prepared.model);
      request.log.info({ event: 'api_call_failed', code: error instanceof ProviderError ? error.code : undefined });
      throw error;
    }
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

async function answerInStream({ request, reply }: Call, answer: Answer, end: End, signal: AbortSignal) {
  sendEventHeaders(request, reply);
  const outcome = await answer.passOn(reply.raw, signal);
  const { failure } = outcome;
  // The headers are sent: from here on, only the stream itself can report anything.
  await end(outcome).catch((err: unknown) => request.log.error({ err }, 'could not record the cost of a call'));
  if (failure !== undefined && !(failure instanceof ClientDisconnectedError)) {
    const { body } = apiError(toClientError(publicFailure(failure), request, reply));
    if (!reply.raw.destroyed) reply.raw.write(`data: ${JSON.stringify(body)}\n\n`);
  }
  reply.raw.end();
}
