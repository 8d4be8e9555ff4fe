import type { FastifyReply } from 'fastify';
import { withFallback } from '#server/features/public-api/assistant-models/with-fallback';
import { createBudgetCheck, sendNotes, whileClientWaits } from '#server/features/public-api/shared/call-context';
import { costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import type { BudgetService } from '#server/features/usage/budgets';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { createWriter, sendEventHeaders } from '#server/http/streaming/event-stream';
import { tierOf } from '#server/provider/connections/offer-budget';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { readAnswer } from './answer.ts';
import type { BackgroundRunner } from './background.ts';
import { backgroundResponses } from './background-responses.ts';
import type { requestParser } from './parse-request.ts';
import type { ResponseRepository } from './repository.ts';
import type { ResponseSender } from './send.ts';
import {
  type Call,
  costOfRefusal,
  ended,
  type NoteFailure,
  notedWith,
  type PreparedResponse,
  type StartedResponse,
  storedEnd,
} from './started-response.ts';
import type { responseStore } from './store.ts';

type Dependencies = {
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  modelNames: ModelNames;
  budgets: Pick<BudgetService, 'check'>;
  openCalls: CallRegistry;
  orderOf: ReturnType<typeof requestParser>;
  ask: ResponseSender['ask'];
  store: ReturnType<typeof responseStore>;
  background: BackgroundRunner;
  started: ResponseRepository['started'];
};

/** Answers Responses with the user's provider key: stores, asks, relays, and stores the end before reporting it. */
export function responseService(dependencies: Dependencies) {
  const { keys, budgets, openCalls, orderOf, store, modelNames } = dependencies;

  async function prepare({ caller, body: given }: Call, outage?: string): Promise<PreparedResponse> {
    const { userId } = caller;
    const body = { ...given, model: await modelNames.resolve(userId, given.model) };
    const answering = outage === undefined ? modelNames.answering : modelNames.fallbackOf;
    const apiKey = await keys.open(userId, await answering(userId, body.model), tierOf(body));
    const order = await orderOf(userId, body, { apiKey, check: createBudgetCheck(budgets, caller), outage });
    return { order, apiKey };
  }

  async function begin(call: Call, outage?: string): Promise<StartedResponse> {
    const prepared = await prepare(call, outage);
    return { ...prepared, open: await store.begin(call.caller, prepared.order) };
  }

  const noted = notedWith(keys);
  const inForeground = foregroundResponses(dependencies, noted);
  const inBackground = backgroundResponses(dependencies, { prepare, begin, noted });

  return {
    create: (call: Call): Promise<FastifyReply> =>
      call.body.background === true
        ? inBackground(call)
        : whileClientWaits(openCalls, call, ({ signal }) =>
            withFallback(modelNames, call, signal, async (outage) =>
              inForeground(call, await begin(call, outage), signal),
            ),
          ),
  };
}

/** Answers while the client waits. */
function foregroundResponses({ ask }: Pick<Dependencies, 'ask'>, noted: NoteFailure) {
  async function askFor(call: Call, { order, open, apiKey }: StartedResponse, signal: AbortSignal) {
    try {
      return await ask(order, { apiKey, signal, streams: call.body.stream === true });
    } catch (error) {
      // Not stored: the client has not received its id.
      await open.end(costOfRefusal(order, error, signal), undefined);
      await noted(call, order.model, error);
      throw error;
    }
  }

  return async (call: Call, startedResponse: StartedResponse, signal: AbortSignal): Promise<void> => {
    const { order, open } = startedResponse;
    const { naming } = order;
    const { body, reply, request } = call;
    const answered = await askFor(call, startedResponse, signal);
    sendNotes(reply, answered.notes);
    if (body.stream === true) {
      sendEventHeaders(request, reply);
      const { write, release } = createWriter(answered.body, reply.raw);
      const outcome = await readAnswer(answered, open.base, { send: write, signal, naming });
      if (outcome.failure !== undefined) await noted(call, order.model, outcome.failure);
      write(await storedEnd(call, open, costOf(order.inputTokens, outcome), outcome));
      release();
      reply.raw.end();
      return;
    }
    const outcome = await readAnswer(answered, open.base, { send: () => undefined, signal, naming });
    await open.end(costOf(order.inputTokens, outcome), ended(outcome));
    if (outcome.failure !== undefined) {
      await noted(call, order.model, outcome.failure);
      throw outcome.failure;
    }
    await reply.status(200).type(json).send(outcome.response);
  };
}

const json = 'application/json; charset=utf-8';
