import type { ResponseRequest } from '@roster/contracts/public-api/responses';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withFallback } from '#server/features/public-api/assistant-models/with-fallback';
import {
  ClientDisconnectedError,
  createBudgetCheck,
  sendNotes,
  whileClientWaits,
} from '#server/features/public-api/shared/call-context';
import { type Cost, costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import type { BudgetService } from '#server/features/usage/budgets';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { PublicApiError } from '#server/http/public-api/errors';
import { createWriter, sendEventHeaders } from '#server/http/streaming/event-stream';
import { AppError } from '#server/lib/errors';
import { tierOf } from '#server/provider/connections/offer-budget';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { failedOutcome, type Outcome, readAnswer } from './answer.ts';
import { type BackgroundRunner, CancelledError } from './background.ts';
import type { ParsedRequest, requestParser } from './parse-request.ts';
import type { ResponseRepository } from './repository.ts';
import type { ResponseSender } from './send.ts';
import type { PendingResponse, responseStore } from './store.ts';

type Dependencies = {
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  modelNames: ModelNames;
  budgets: Pick<BudgetService, 'check'>;
  openCalls: CallRegistry;
  orderOf: ReturnType<typeof requestParser>;
  ask: ResponseSender['ask'];
  store: ReturnType<typeof responseStore>;
  background: BackgroundRunner;
  begun: ResponseRepository['begun'];
};

export type Call = { caller: ApiPrincipal; body: ResponseRequest; request: FastifyRequest; reply: FastifyReply };
/** A request that is stored, but not sent yet. */
type StartedResponse = { order: ParsedRequest; open: PendingResponse; apiKey: Secret };

/** Answers Responses with the user's provider key: stores, asks, relays, and stores the end before reporting it. */
export function responseService(dependencies: Dependencies) {
  const { keys, budgets, openCalls, orderOf, store, modelNames } = dependencies;

  async function begin({ caller, body: given }: Call, outage?: string): Promise<StartedResponse> {
    const { userId } = caller;
    const body = { ...given, model: await modelNames.resolve(userId, given.model) };
    const answering = outage === undefined ? modelNames.answering : modelNames.fallbackOf;
    const apiKey = await keys.open(userId, await answering(userId, body.model), tierOf(body));
    const order = await orderOf(userId, body, { apiKey, check: createBudgetCheck(budgets, caller), outage });
    return { order, open: await store.begin(caller, order), apiKey };
  }

  const noted = notedWith(keys);
  const attended = attendedAnswers(dependencies, noted);
  const unattended = unattendedAnswers(dependencies, noted);

  return {
    create: (call: Call): Promise<FastifyReply> =>
      call.body.background === true
        ? unattended(call, begin)
        : whileClientWaits(openCalls, call, ({ signal }) =>
            withFallback(modelNames, call, signal, async (outage) => attended(call, await begin(call, outage), signal)),
          ),
  };
}

type Noted = (call: Call, model: string, error: unknown) => Promise<void>;

const notedWith =
  (keys: Dependencies['keys']): Noted =>
  async ({ caller, request }, model, error) => {
    if (error instanceof ProviderError && error.code === 'key_rejected')
      await keys.noteRejected(caller.userId, error.message, model);
    request.log.info({ event: 'api_call_failed', code: error instanceof ProviderError ? error.code : undefined });
  };

/** A refusal costs nothing; only the provider knows if a broken answer does. */
function costOfRefusal({ inputTokens }: ParsedRequest, error: unknown, signal: AbortSignal): Cost | null {
  const isRefused = error instanceof ProviderError ? error.status !== undefined : error instanceof AppError;
  return isRefused && !signal.aborted ? null : costOf(inputTokens, { usage: null, events: 0 });
}

/** Answers while the client waits. */
function attendedAnswers({ ask }: Pick<Dependencies, 'ask'>, noted: Noted) {
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

  return async (call: Call, begun: StartedResponse, signal: AbortSignal): Promise<void> => {
    const { order, open } = begun;
    const { naming } = order;
    const { body, reply, request } = call;
    const answered = await askFor(call, begun, signal);
    sendNotes(reply, answered.notes);
    if (body.stream === true) {
      sendEventHeaders(request, reply);
      const { write, release } = createWriter(answered.body, reply.raw);
      const outcome = await readAnswer(answered, open.base, { send: write, signal, naming });
      if (outcome.failure !== undefined) await noted(call, order.model, outcome.failure);
      write(await lastFrames(call, begun, outcome));
      release();
      reply.raw.end();
      return;
    }
    const outcome = await readAnswer(answered, open.base, { send: () => undefined, signal, naming });
    await end(order, open, outcome);
    if (outcome.failure !== undefined) {
      await noted(call, order.model, outcome.failure);
      throw outcome.failure;
    }
    await reply.status(200).type(json).send(outcome.response);
  };
}

const json = 'application/json; charset=utf-8';

/** Stores the end. Once the headers are sent, only the stream itself can report anything. */
async function lastFrames({ request }: Call, { order, open }: StartedResponse, outcome: Outcome): Promise<string> {
  try {
    await end(order, open, outcome);
    return outcome.lastFrames;
  } catch (error) {
    request.log.error({ err: error }, 'could not store the end of a response');
    return failedOutcome(open.base, error, { output: [], deltas: 0, number: 0 }).lastFrames;
  }
}

/** Background answers, which clients poll. Events are sent as fast as the client reads them. */
function unattendedAnswers({ openCalls, background, begun: markBegun, ask }: Dependencies, noted: Noted) {
  async function write(
    call: Call,
    { order, open, apiKey }: StartedResponse,
    send: (frames: string) => void,
    signal: AbortSignal,
  ) {
    await markBegun(call.caller.userId, open.id ?? 0);
    try {
      const answered = await ask(order, { apiKey, signal, streams: true });
      const { naming } = order;
      const outcome = await readAnswer(answered, open.base, { send, signal, naming });
      await end(order, open, outcome);
      if (outcome.failure !== undefined) await noted(call, order.model, outcome.failure);
      send(outcome.lastFrames);
    } catch (error) {
      const outcome = failedOutcome(open.base, error, { output: [], deltas: 0, number: 0 });
      await open.end(costOfRefusal(order, error, signal), ended(outcome));
      await noted(call, order.model, error);
      send(outcome.lastFrames);
    }
  }

  return async (call: Call, begin: (call: Call) => Promise<StartedResponse>): Promise<FastifyReply> => {
    const { caller, body, reply, request } = call;
    if (body.store === false)
      throw new PublicApiError('invalid_input', "Background mode requires 'store' to be true.", {
        param: 'background',
      });
    background.refuseWhenClosing();
    const held = openCalls.begin(caller, { isKept: true });
    let begun: StartedResponse;
    try {
      begun = await begin(call);
    } catch (error) {
      held.done();
      throw error;
    }
    const { open, order } = begun;
    sendNotes(reply, order.notes);
    if (body.stream !== true) {
      void background.start(open.id ?? 0, held, (signal) => write(call, begun, () => undefined, signal));
      return reply
        .status(200)
        .type(json)
        .send({ ...open.base, status: 'queued' });
    }
    sendEventHeaders(request, reply);
    const { raw } = reply;
    const send = (frames: string) => {
      if (!raw.destroyed) raw.write(frames);
      // The response can be read again, so a client that does not read is disconnected.
      if (raw.writableLength > maxUnread) raw.destroy();
    };
    await background.start(open.id ?? 0, held, (signal) => write(call, begun, send, signal));
    raw.end();
    return reply;
  };
}

const maxUnread = 4 * 1024 * 1024;

/** A response that its client ended has not failed. */
function ended(outcome: Outcome): Outcome {
  const { failure, response } = outcome;
  if (!(failure instanceof ClientDisconnectedError) && !(failure instanceof CancelledError)) return outcome;
  return { ...outcome, response: { ...response, status: 'cancelled', error: null } };
}

/** Stores how it ended, and its cost. */
const end = ({ inputTokens }: ParsedRequest, open: PendingResponse, outcome: Outcome) =>
  open.end(costOf(inputTokens, outcome), ended(outcome));
