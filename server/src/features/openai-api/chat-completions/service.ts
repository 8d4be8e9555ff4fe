import type { ChatCompletion } from '@roster/contracts/openai-api/chat-completions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProviderKeyService } from '#server/features/account/provider-key';
import type { AssistantModels } from '#server/features/openai-api/assistant-models';
import { type ApiCalls, type Cost, costOf } from '#server/features/openai-api/calls';
import { CallerLeft, checkBudgets, tellNotes, whileCalled } from '#server/features/openai-api/program-call';
import { toldToProgram } from '#server/features/openai-api/provider-failure';
import type { BudgetService } from '#server/features/usage/budgets';
import { apiError } from '#server/http/api-errors';
import type { Caller } from '#server/http/caller';
import { settled } from '#server/http/error-handler';
import { sendEventHeaders } from '#server/http/event-stream';
import type { OpenCalls } from '#server/http/open-calls';
import { ProviderError } from '#server/provider/error';
import { notAnAnswer } from '#server/provider/event-reader';
import type { Provider } from '#server/provider/provider';
import type { RelayCall, Relayed } from '#server/provider/relay';
import type { Secret } from '#server/security/secret';
import { questionOf, type SettingsOf } from './assistant.ts';
import { type Outcome, passOn, readWhole, usageIn } from './pass-on.ts';
import { type Added, type PreparedRequest, refusedAddition, requestForAssistant, requestForModel } from './request.ts';

type Dependencies = {
  provider: Pick<Provider, 'relay'>;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  budgets: Pick<BudgetService, 'check'>;
  assistantModels: Pick<AssistantModels, 'isNamed'>;
  settingsOf: SettingsOf;
  calls: ApiCalls;
  openCalls: OpenCalls;
};

type Call = { caller: Caller; body: ChatCompletion; request: FastifyRequest; reply: FastifyReply };

/** Answers a program's Chat Completions on the key of its person, and puts on record what each has cost. */
export function chatCompletionService(dependencies: Dependencies) {
  const { provider, keys, budgets, calls, openCalls } = dependencies;

  async function answer(call: Call, controller: AbortController): Promise<void> {
    const { caller, body, request, reply } = call;
    const { signal } = controller;
    const apiKey = await keys.open(caller.userId);
    const order = await prepared(dependencies, call, apiKey);
    await checkBudgets(budgets, caller, order.assistantId);
    const stored = await calls.begin(caller, order);
    let isEnded = false;
    const end = async (cost: Cost | null) => {
      if (isEnded) return;
      isEnded = true;
      await stored.end(cost);
    };
    const endWith: End = (outcome) => end(costOf(order.inputTokens, outcome));
    try {
      const { relayed, hidesUsage } = await ask(provider, order, { apiKey, streams: body.stream === true, signal });
      tellNotes(reply, order.notes);
      const isStream = relayed.contentType.includes('text/event-stream');
      if (isStream && body.stream !== true) throw notAskedFor(relayed);
      if (isStream) await answerInStream(call, relayed, endWith, { hidesUsage, signal });
      else await answerWhole(reply, relayed, endWith, signal);
    } catch (error) {
      // A refusal costs nothing; whether what broke off did, only the provider knows.
      const isRefused = error instanceof ProviderError && error.status !== undefined;
      await end(isRefused ? null : costOf(order.inputTokens, { usage: null, events: 0 }));
      if (error instanceof ProviderError && error.code === 'key_rejected')
        await keys.noteRejected(caller.userId, error.message);
      request.log.info({ event: 'api_call_failed', code: error instanceof ProviderError ? error.code : undefined });
      throw toldToProgram(error);
    }
  }

  return (call: Call): Promise<FastifyReply> => whileCalled(openCalls, call, (controller) => answer(call, controller));
}

/** The request as it is to go out. */
async function prepared(
  { assistantModels, settingsOf }: Pick<Dependencies, 'assistantModels' | 'settingsOf'>,
  { caller: { userId }, body, request }: Call,
  apiKey: Secret,
): Promise<PreparedRequest> {
  const { model } = body;
  if (assistantModels.isNamed(model))
    return requestForAssistant(body, await settingsOf(userId, { model, question: questionOf(body.messages) }, apiKey));
  return requestForModel(body, request.bodyText ?? JSON.stringify(body));
}

type End = (outcome: Pick<Outcome, 'usage' | 'events'>) => Promise<void>;

/** Asks the provider; what Roster has added of itself and is refused is left out. */
async function ask(provider: Dependencies['provider'], order: PreparedRequest, call: Omit<RelayCall, 'text'>) {
  const refused = new Set<Added>();
  for (;;) {
    const { text, added, hidesUsage } = order.write(refused);
    try {
      return { relayed: await provider.relay({ ...call, text }), hidesUsage };
    } catch (error) {
      const addition = error instanceof ProviderError ? refusedAddition(error, added) : undefined;
      if (addition === undefined) throw error;
      refused.add(addition);
    }
  }
}

/** Events that a program has not asked for, and would take for a text. */
function notAskedFor({ body }: Relayed): ProviderError {
  body.destroy();
  return notAnAnswer();
}

async function answerWhole(reply: FastifyReply, relayed: Relayed, end: End, signal: AbortSignal) {
  const whole = await readWhole(relayed, signal);
  const usage = usageIn(whole);
  await end({ usage, events: Math.ceil(whole.length / 4) });
  await reply
    .status(200)
    .type(relayed.contentType || 'application/json')
    .send(whole);
}

async function answerInStream(call: Call, relayed: Relayed, end: End, how: Parameters<typeof passOn>[2]) {
  const { request, reply } = call;
  sendEventHeaders(request, reply);
  const outcome = await passOn(relayed, reply.raw, how);
  const { failure } = outcome;
  // The headers have gone: from here on nothing can be answered but what the stream itself says.
  await end(outcome).catch((err: unknown) => request.log.error({ err }, 'the cost of a call was not recorded'));
  if (failure !== undefined && !(failure instanceof CallerLeft)) {
    const { body } = apiError(settled(toldToProgram(failure), request, reply));
    if (!reply.raw.destroyed) reply.raw.write(`data: ${JSON.stringify(body)}\n\n`);
  }
  reply.raw.end();
}
