import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  AssistantSettings,
  BudgetCheck,
  ResolveAssistantSettings,
} from '#server/features/public-api/assistant-models/assistant-settings';
import { builtInNames, mergeTools } from '#server/features/public-api/assistant-models/merge-tools';
import { withFallback } from '#server/features/public-api/assistant-models/with-fallback';
import type { ParsedRequest, RequestParser } from '#server/features/public-api/responses/parse-request';
import {
  fallBackToChat,
  isResponsesUnsupported,
  type ResponseSender,
} from '#server/features/public-api/responses/send';
import { answerInStream } from '#server/features/public-api/shared/answer-in-stream';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import { createBudgetCheck, sendNotes, whileClientWaits } from '#server/features/public-api/shared/call-context';
import { type CallLog, costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import { retryWithoutUnsupported } from '#server/features/public-api/shared/retry-without-unsupported';
import { whileRecorded } from '#server/features/public-api/shared/while-recorded';
import type { BudgetService } from '#server/features/usage/budgets';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { tierOf } from '#server/provider/connections/offer-budget';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import { unsupportedToolNote } from '#server/provider/unsupported/tools';
import type { Secret } from '#server/security/secret';
import { type Answer, relayedAnswer, translatedAnswer } from './answers.ts';
import { toResponses } from './by-responses/request.ts';
import type { Outcome } from './relay-stream.ts';
import { type ChatCompletionRequest, lastUserText, requestForAssistant, requestForModel } from './request.ts';

type Dependencies = {
  provider: Pick<Provider, 'lacksTool' | 'relay' | 'responses' | 'refusedFields'>;
  assistantModels: Pick<AssistantModels, 'isNamed'>;
  settingsOf: ResolveAssistantSettings;
  responses: { orderOf: RequestParser } & Pick<ResponseSender, 'byResponses'>;
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
      const answered = await ask(dependencies, prepared, { body, apiKey, signal });
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

type Draft = {
  userId: number;
  body: ChatCompletion;
  text: string | undefined;
  apiKey: Secret;
  check: BudgetCheck;
  /** Set if the assistant's fallback is asked. */
  outage?: string | undefined;
};

/** A request of Chat Completions, and the same for Responses if it needs tools that only those have. */
type ProviderRequest = ChatCompletionRequest & {
  byResponses?: {
    order: ParsedRequest;
    /** Notes about what is left out if Chat Completions have to be used after all. */
    otherwise: string[];
  };
};

/** Builds the request to send. @throws budget_exceeded before the provider is asked for anything */
async function prepare(dependencies: Dependencies, draft: Draft): Promise<ProviderRequest> {
  const { userId, body, text, apiKey, check, outage } = draft;
  const { assistantModels, settingsOf } = dependencies;
  const { model, messages } = body;
  if (!assistantModels.isNamed(model)) {
    await check(null);
    return requestForModel(body, text);
  }
  const settings = await settingsOf(userId, { model, question: lastUserText(messages), outage }, apiKey, check);
  return withTools(dependencies, draft, settings);
}

/** Built-in tools require Responses; Chat Completions have none. */
async function withTools(
  { provider, responses }: Dependencies,
  { userId, body, apiKey, check }: Draft,
  settings: AssistantSettings,
): Promise<ProviderRequest> {
  const assistant = toolsFor(body, settings);
  const prepared = requestForAssistant(body, assistant);
  const { hosted, notes: missing } = mergeTools(body, assistant, (model, tool) =>
    provider.lacksTool(model, tool, apiKey),
  );
  const names = builtInNames(hosted);
  const notes = [...prepared.notes, ...missing];
  const without = (why: string) => [...notes, ...names.map((name) => unsupportedToolNote(name, why))];
  if (names.length === 0) return { ...prepared, notes };
  const translated = toResponses(body);
  if ('untranslatable' in translated) return { ...prepared, notes: without(notWithField(translated.untranslatable)) };
  const order = await responses.orderOf(userId, translated.request, { apiKey, check, assistant });
  return {
    ...prepared,
    inputTokens: order.inputTokens,
    byResponses: {
      order: { ...order, notes: [...order.notes, ...translated.notes] },
      otherwise: without('the provider serves no Responses.'),
    },
  };
}

const noPictures = unsupportedToolNote('imageGeneration', 'Chat Completions cannot return images.');
const notWithField = (field: string) => `it cannot be combined with this request’s ‘${field}’.`;

/** Tools that Chat Completions can have: no images, and functions only if the client has named no tools. */
function toolsFor(body: ChatCompletion, settings: AssistantSettings) {
  const { functions, hosted, notes } = settings;
  const { imageGeneration, ...others } = hosted;
  const isNaming = body.tools != null || body.functions != null;
  return {
    ...settings,
    functions: isNaming ? [] : functions,
    hosted: others,
    notes: imageGeneration && body.tool_choice !== 'none' ? [...notes, noPictures] : notes,
  };
}

type ChatCall = { body: ChatCompletion; apiKey: Secret; signal: AbortSignal };

/**
 * Asks the provider by Responses if the request needs its tools and they are served, else by Chat Completions.
 * @throws ProviderError, or PublicApiError for what the provider cannot be asked
 */
async function ask(dependencies: Dependencies, prepared: ProviderRequest, call: ChatCall): Promise<Answer> {
  const { provider } = dependencies;
  const { byResponses: wanted } = prepared;
  if (!wanted) return askByChat(provider, prepared, call, prepared.notes);
  try {
    return await askByResponses(dependencies, wanted.order, call);
  } catch (error) {
    if (!isResponsesUnsupported(wanted.order, error)) throw error;
    const answer = await fallBackToChat(error, () => askByChat(provider, prepared, call, wanted.otherwise));
    await provider.responses.areNotServed(call.apiKey, wanted.order.model, error);
    return answer;
  }
}

async function askByChat(
  provider: Dependencies['provider'],
  { model, write }: ProviderRequest,
  { body, ...call }: ChatCall,
  notes: string[],
): Promise<Answer> {
  const streams = body.stream === true;
  const relay = (text: string) => provider.relay({ ...call, streams, text });
  const sent = await retryWithoutUnsupported({ model, apiKey: call.apiKey, provider, write, relay });
  const { hidesUsage } = sent.request;
  return relayedAnswer(sent.relayed, { streams, notes: [...notes, ...sent.notes], hidesUsage });
}

async function askByResponses(
  { responses }: Dependencies,
  order: ParsedRequest,
  { body, ...call }: ChatCall,
): Promise<Answer> {
  const streams = body.stream === true;
  const answered = await responses.byResponses(order, { ...call, streams });
  const { notes } = answered;
  const tellsUsage = body.stream_options?.include_usage === true;
  return translatedAnswer(answered, { streams, notes, model: modelIdOf(order.model), tellsUsage });
}
