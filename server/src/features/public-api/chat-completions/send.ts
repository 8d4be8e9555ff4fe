import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import {
  fallBackToChat,
  isResponsesUnsupported,
  type ResponseSender,
} from '#server/features/public-api/responses/send';
import { retryWithoutUnsupported } from '#server/features/public-api/shared/retry-without-unsupported';
import type { Provider } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import { type Answer, relayedAnswer, translatedAnswer } from './answers.ts';
import type { Prepared } from './prepare.ts';

type Dependencies = {
  provider: Pick<Provider, 'relay' | 'responses' | 'refusedFields'>;
  responses: Pick<ResponseSender, 'byResponses'>;
};

type ChatCall = { body: ChatCompletion; apiKey: Secret; signal: AbortSignal };

/** Asks the provider by Responses if the request needs its tools and they are served, else by Chat Completions. */
export function chatSender({ provider, responses }: Dependencies) {
  async function byChat({ model, write }: Prepared, { body, ...call }: ChatCall, notes: string[]): Promise<Answer> {
    const streams = body.stream === true;
    const relay = (text: string) => provider.relay({ ...call, streams, text });
    const sent = await retryWithoutUnsupported({ model, apiKey: call.apiKey, provider, write, relay });
    const { hidesUsage } = sent.request;
    return relayedAnswer(sent.relayed, { streams, notes: [...notes, ...sent.notes], hidesUsage });
  }

  async function byResponses(
    { order }: NonNullable<Prepared['byResponses']>,
    { body, ...call }: ChatCall,
  ): Promise<Answer> {
    const streams = body.stream === true;
    const answered = await responses.byResponses(order, { ...call, streams });
    const { notes } = answered;
    const tellsUsage = body.stream_options?.include_usage === true;
    return translatedAnswer(answered, { streams, notes, model: modelIdOf(order.model), tellsUsage });
  }

  /** @throws ProviderError, or PublicApiError for what the provider cannot be asked */
  return async (prepared: Prepared, call: ChatCall): Promise<Answer> => {
    const { byResponses: wanted } = prepared;
    if (!wanted) return byChat(prepared, call, prepared.notes);
    try {
      return await byResponses(wanted, call);
    } catch (error) {
      if (!isResponsesUnsupported(wanted.order, error)) throw error;
      const answer = await fallBackToChat(error, () => byChat(prepared, call, wanted.otherwise));
      await provider.responses.areNotServed(call.apiKey, wanted.order.model, error);
      return answer;
    }
  };
}
