import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import type {
  AssistantSettings,
  BudgetCheck,
  ResolveAssistantSettings,
} from '#server/features/public-api/assistant-models/assistant-settings';
import { builtInNames, mergeTools } from '#server/features/public-api/assistant-models/merge-tools';
import type { ParsedRequest, RequestParser } from '#server/features/public-api/responses/parse-request';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import type { Provider } from '#server/provider/provider';
import { unsupportedToolNote } from '#server/provider/unsupported/tools';
import type { Secret } from '#server/security/secret';
import { toResponses } from './by-responses/request.ts';
import { lastUserText, type PreparedRequest, requestForAssistant, requestForModel } from './request.ts';

type Dependencies = {
  provider: Pick<Provider, 'lacksTool'>;
  assistantModels: Pick<AssistantModels, 'isNamed'>;
  settingsOf: ResolveAssistantSettings;
  responses: { orderOf: RequestParser };
};

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
export type Prepared = PreparedRequest & {
  byResponses?: {
    order: ParsedRequest;
    /** Notes about what is left out if Chat Completions have to be used after all. */
    otherwise: string[];
  };
};

/** Builds the request to send. @throws budget_exceeded before the provider is asked for anything */
export async function prepare(dependencies: Dependencies, draft: Draft): Promise<Prepared> {
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

const noPictures = unsupportedToolNote('imageGeneration', 'Chat Completions have no pictures.');
const notWithField = (field: string) => `it cannot be had together with this request’s ‘${field}’.`;

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

/** Built-in tools require Responses; Chat Completions have none. */
async function withTools(
  { provider, responses }: Dependencies,
  { userId, body, apiKey, check }: Draft,
  settings: AssistantSettings,
): Promise<Prepared> {
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
