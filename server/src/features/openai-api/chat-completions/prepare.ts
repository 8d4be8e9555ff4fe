import type { ChatCompletion } from '@roster/contracts/openai-api/chat-completions';
import type { AssistantModels } from '#server/features/openai-api/assistant-models';
import type { AssistantSettings, SettingsOf } from '#server/features/openai-api/assistant-settings';
import { hostedNames, joinedTools } from '#server/features/openai-api/joined-tools';
import type { ResponseOrder, ResponseOrders } from '#server/features/openai-api/responses/order';
import type { Provider } from '#server/provider/provider';
import { toolLeftOut } from '#server/provider/served-tools';
import type { Secret } from '#server/security/secret';
import { asResponse } from './by-responses/request.ts';
import { type PreparedRequest, questionOf, requestForAssistant, requestForModel } from './request.ts';

type Dependencies = {
  provider: Pick<Provider, 'lacksTool'>;
  assistantModels: Pick<AssistantModels, 'isNamed'>;
  settingsOf: SettingsOf;
  responses: { orderOf: ResponseOrders };
};

type Asked = { userId: number; body: ChatCompletion; text: string | undefined; apiKey: Secret };

/** A request of Chat Completions, and the same as one of Responses where tools are wanted that only those have. */
export type Prepared = PreparedRequest & {
  byResponses?: {
    order: ResponseOrder;
    /** What is left out where it has to be asked by Chat Completions after all. */
    otherwise: string[];
  };
};

/** The request as it is to go out. */
export async function prepare(dependencies: Dependencies, { userId, body, text, apiKey }: Asked): Promise<Prepared> {
  const { assistantModels, settingsOf } = dependencies;
  const { model, messages } = body;
  if (!assistantModels.isNamed(model)) return requestForModel(body, text ?? JSON.stringify(body));
  const settings = await settingsOf(userId, { model, question: questionOf(messages) }, apiKey);
  return withTools(dependencies, { userId, body, apiKey }, settings);
}

const noPictures = toolLeftOut('imageGeneration', 'Chat Completions have no pictures.');
const unsaidOf = (field: string) => `Responses, which have it, know nothing that says this request’s ${field}.`;

/** Tools that the provider runs are asked for by Responses: Chat Completions have none. */
async function withTools(
  { provider, responses }: Dependencies,
  { userId, body, apiKey }: Omit<Asked, 'text'>,
  { hosted: { imageGeneration: drawn, ...hosted }, ...settings }: AssistantSettings,
): Promise<Prepared> {
  const pictures = drawn && body.tool_choice !== 'none' ? [noPictures] : [];
  const assistant = { ...settings, hosted, notes: [...settings.notes, ...pictures] };
  const prepared = requestForAssistant(body, assistant);
  const joined = joinedTools({ tool_choice: body.tool_choice }, assistant, provider.lacksTool);
  const names = hostedNames(joined.hosted);
  if (names.length === 0) return { ...prepared, notes: [...prepared.notes, ...joined.notes] };
  const said = asResponse(body);
  const leftOut = (why: string) => names.map((name) => toolLeftOut(name, why));
  if ('unsaid' in said)
    return { ...prepared, notes: [...prepared.notes, ...joined.notes, ...leftOut(unsaidOf(said.unsaid))] };
  const order = await responses.orderOf(userId, said.request, apiKey, assistant);
  const notes = [...order.notes, ...said.notes];
  return {
    ...prepared,
    inputTokens: order.inputTokens,
    byResponses: {
      order: { ...order, notes },
      otherwise: [...prepared.notes, ...leftOut('the provider serves no Responses.')],
    },
  };
}
