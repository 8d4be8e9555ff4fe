import type { ConnectionApi } from '@roster/contracts/connections/connections';
import type { JsonObject } from '#server/lib/is-object';
import { ProviderError } from '#server/provider/transport/error';
import { type Capabilities, noResponses } from '#server/provider/unsupported/capabilities';
import type { Secret } from '#server/security/secret';

/** The words of gateways and servers for a missing path. */
const ofPath =
  /\b(no|unknown|unsupported|invalid|undefined|unmatched|unrecogni[sz]ed) (matching |such |available |healthy )?(route|path|endpoint|url|uri|api|method|operation|handler|channel|upstream)\b|\b(route|path|endpoint|url|uri|page|api|resource|handler|method)\b.{0,80}\b(not (be )?(found|supported|available|allowed|implemented|exist|enabled|recogni[sz]ed)|unsupported|does ?n[o']t exist|disabled|unknown|invalid)\b|^\W*not found\W*$|\bnot implemented\b|\bcannot post\b|\bcreateModelResponse\b|\/responses\b|\bresponses api\b/i;
/** Servers that route every path to Chat Completions. */
const wantsMessages = /\bmessages\b.{0,60}\b(required|missing)\b|\b(required|missing)\b.{0,40}\bmessages\b/i;
const ofKey = /missing scopes|insufficient permissions/i;

/** Status codes and their names that suffice without words; server errors must name the path. */
const refusals = new Map([
  [400, /^bad request$/i],
  [403, /^forbidden$/i],
  [405, /^method not allowed$/i],
  [415, /^unsupported media type$/i],
  [422, /^unprocessable (entity|content)$/i],
]);

/** No words, or only the name of the status, such as 'Forbidden' or '400 Bad Request'. */
const saysNoMore = (message: string | undefined, name: RegExp) =>
  message === undefined || name.test(message.replace(/[^a-z]+/gi, ' ').trim());

/**
 * True if the rejection may mean that the provider has no Responses API. The proof is that Chat Completions then answer
 * the same request, so call this only where that can be tried.
 */
export function mayLackResponses(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError)) return false;
  if (error.code === 'not_served') return true;
  const { code, status, providerMessage } = error;
  if (status === undefined || !['bad_request', 'missing_scope', 'provider_unavailable'].includes(code)) return false;
  const name = refusals.get(status);
  if (name && saysNoMore(providerMessage, name)) return true;
  return (
    providerMessage !== undefined &&
    !ofKey.test(providerMessage) &&
    (ofPath.test(providerMessage) || wantsMessages.test(providerMessage))
  );
}

/** Only this model was rejected; others may be served. */
const isOfModelAlone = ({ providerMessage = '' }: ProviderError) =>
  /\bmodel\b/i.test(providerMessage) && /responses/i.test(providerMessage);

/** A Chat Completion, streamed or whole, from servers that route every path there. */
export const isChatCompletion = ({ type, choices, output }: JsonObject) =>
  type === undefined && output === undefined && Array.isArray(choices);

export const noAnswerAtAll = () =>
  new ProviderError('not_served', 'The provider’s response contained no answer.', { status: 200 });

export type ResponsesAvailability = {
  /** True unless it is known that they are not served. */
  areServed: (apiKey: Secret, model: string) => boolean;
  /** Call after Chat Completions have answered a request that was rejected as not served. */
  areNotServed: (apiKey: Secret, model: string, refusal: ProviderError) => Promise<void>;
  /** Call after Responses have answered. */
  haveAnswered: (apiKey: Secret, model: string) => Promise<void>;
};

/** A connection whose owner has chosen the API: nothing is learned. */
const chosenApi = (areServed: boolean): ResponsesAvailability => ({
  areServed: () => areServed,
  areNotServed: async () => undefined,
  haveAnswered: async () => undefined,
});

/** Remembers by key and model whether Responses are served, unless `api` decides it. */
export const responsesAvailability = (traits: Capabilities, api: ConnectionApi = 'auto'): ResponsesAvailability =>
  api === 'auto' ? learnedAvailability(traits) : chosenApi(api === 'responses');

const learnedAvailability = (traits: Capabilities): ResponsesAvailability => ({
  areServed: (apiKey, model) => !traits.has('*', noResponses, apiKey) && !traits.has(model, noResponses, apiKey),
  areNotServed: (apiKey, model, refusal) => traits.learn(isOfModelAlone(refusal) ? model : '*', noResponses, apiKey),
  async haveAnswered(apiKey, model) {
    await traits.works('*', noResponses, apiKey);
    await traits.works(model, noResponses, apiKey);
  },
});
