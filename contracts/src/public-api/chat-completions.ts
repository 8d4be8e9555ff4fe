import { z } from 'zod';
import { apiEndpoint } from './endpoint.ts';
import { ModelName } from './model-name.ts';

/** The fields that Roster reads; every other field is passed to the provider unchanged. */
export const ChatCompletion = z.looseObject({
  /** A model of the provider, or an assistant: `asst_…` or `name@roster`. */
  model: ModelName,
  messages: z.array(z.unknown()).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
export type ChatCompletion = z.output<typeof ChatCompletion>;

export const apiChatCompletions = {
  create: apiEndpoint({
    method: 'POST',
    path: '/v1/chat/completions',
    right: 'chat',
    summary: 'Asks a model or an assistant; returns the whole answer, or streams it.',
    body: ChatCompletion,
    // The provider’s own response.
    output: z.unknown(),
    bodyLimit: 20 * 1024 * 1024,
  }),
};
