import type { ResponseRequest } from '@roster/contracts/openai-api/responses';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#server/errors';
import type { ProviderKeyService } from '#server/features/account/provider-key';
import { costOf } from '#server/features/openai-api/calls';
import { CallerLeft, checkBudgets, tellNotes, whileCalled } from '#server/features/openai-api/program-call';
import { toldToProgram } from '#server/features/openai-api/provider-failure';
import type { BudgetService } from '#server/features/usage/budgets';
import type { Caller } from '#server/http/caller';
import { sendEventHeaders } from '#server/http/event-stream';
import type { OpenCalls } from '#server/http/open-calls';
import { ProviderError } from '#server/provider/error';
import type { Secret } from '#server/security/secret';
import { type Answered, failedOutcome, type Outcome, readAnswer } from './answer.ts';
import type { responseAsking } from './asking.ts';
import type { ResponseOrder, responseOrders } from './order.ts';
import type { OpenResponse, responseStore } from './store.ts';

type Dependencies = {
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  budgets: Pick<BudgetService, 'check'>;
  openCalls: OpenCalls;
  orderOf: ReturnType<typeof responseOrders>;
  ask: ReturnType<typeof responseAsking>;
  store: ReturnType<typeof responseStore>;
};

export type Call = { caller: Caller; body: ResponseRequest; request: FastifyRequest; reply: FastifyReply };

/** Answers a program's Responses on the key of its person: stores, asks, passes on, and stores how it ended before it says so. */
export function responseService(dependencies: Dependencies) {
  const { keys, budgets, openCalls, orderOf, ask, store } = dependencies;

  async function askFor(
    call: Call,
    order: ResponseOrder,
    open: OpenResponse,
    how: { apiKey: Secret; signal: AbortSignal },
  ) {
    try {
      return await ask(order, { ...how, streams: call.body.stream === true });
    } catch (error) {
      // Nobody has been told of it. A refusal costs nothing; whether what broke off did, only the provider knows.
      const isRefused = error instanceof ProviderError ? error.status !== undefined : error instanceof AppError;
      const isFree = isRefused && !how.signal.aborted;
      await open.end(isFree ? null : costOf(order.inputTokens, { usage: null, events: 0 }), undefined);
      await noted(call, error);
      throw toldToProgram(error);
    }
  }

  async function noted({ caller, request }: Call, error: unknown) {
    if (error instanceof ProviderError && error.code === 'key_rejected')
      await keys.noteRejected(caller.userId, error.message);
    request.log.info({ event: 'api_call_failed', code: error instanceof ProviderError ? error.code : undefined });
  }

  async function answer(call: Call, { signal }: AbortController): Promise<void> {
    const { caller, body, reply } = call;
    const apiKey = await keys.open(caller.userId);
    const order = await orderOf(caller.userId, body, apiKey);
    await checkBudgets(budgets, caller, order.assistant?.assistantId ?? null);
    const open = await store.begin(caller, order);
    const answered = await askFor(call, order, open, { apiKey, signal });
    tellNotes(reply, answered.notes);
    if (body.stream === true) return answerInStream(call, { order, open, answered, signal });
    const outcome = await readAnswer(answered, open.base, { send: () => undefined, signal });
    await end(order, open, outcome);
    if (outcome.failure !== undefined) {
      await noted(call, outcome.failure);
      throw toldToProgram(outcome.failure);
    }
    await reply.status(200).type('application/json; charset=utf-8').send(outcome.response);
  }

  async function answerInStream(
    call: Call,
    {
      order,
      open,
      answered,
      signal,
    }: { order: ResponseOrder; open: OpenResponse; answered: Answered; signal: AbortSignal },
  ) {
    const { request, reply } = call;
    sendEventHeaders(request, reply);
    const { raw } = reply;
    const resume = () => answered.body.resume();
    raw.on('drain', resume);
    const send = (frames: string) => {
      if (!raw.destroyed && !raw.write(frames)) answered.body.pause();
    };
    const outcome = await readAnswer(answered, open.base, { send, signal });
    raw.off('drain', resume);
    if (outcome.failure !== undefined) await noted(call, outcome.failure);
    // The headers have gone: from here on nothing can be answered but what the stream itself says.
    const last = await end(order, open, outcome).then(
      () => outcome.lastFrames,
      (error: unknown) => {
        request.log.error({ err: error }, 'the end of a response was not stored');
        return failedOutcome(open.base, error, { output: [], deltas: 0, number: 0 }).lastFrames;
      },
    );
    if (!raw.destroyed) raw.write(last);
    raw.end();
  }

  return {
    create: (call: Call): Promise<FastifyReply> =>
      whileCalled(openCalls, call, (controller) => answer(call, controller)),
  };
}

/** Stores how it ended, with what it has cost. */
async function end({ inputTokens }: ResponseOrder, open: OpenResponse, outcome: Outcome) {
  const { failure } = outcome;
  const isLeft = failure instanceof CallerLeft;
  const ended: Outcome = isLeft
    ? { ...outcome, response: { ...outcome.response, status: 'cancelled', error: null } }
    : outcome;
  await open.end(costOf(inputTokens, outcome), ended);
}
