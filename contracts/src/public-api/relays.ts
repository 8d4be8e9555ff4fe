import { z } from 'zod';
import { apiEndpoint } from './endpoint.ts';
import { ModelName } from './model-name.ts';

/** The fields that Roster reads; every other field is passed to the provider unchanged. */
const EmbeddingRequest = z.looseObject({ model: ModelName, input: z.unknown() });
const CompletionRequest = z.looseObject({
  model: ModelName,
  prompt: z.unknown(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});
/** Without a model, the provider uses its own. */
const ModerationRequest = z.looseObject({ model: ModelName.nullish(), input: z.unknown() });
const ImageRequest = z.looseObject({ model: ModelName.nullish(), stream: z.boolean().nullish() });
const SpeechRequest = z.looseObject({ model: ModelName, stream_format: z.string().nullish() });
/** `stream` is a text, as everything in a form. Fields whose names end in `[]` may be there several times. */
export const TranscriptionForm = z
  .object({ model: ModelName, stream: z.string().optional() })
  .catchall(z.union([z.string(), z.array(z.string())]));
export type TranscriptionForm = z.output<typeof TranscriptionForm>;

/** OpenAI accepts 25 MB; servers of one's own may accept more. */
const audioSizeLimit = 50 * 1024 * 1024;

const bodyLimit = 20 * 1024 * 1024;
// The provider’s own response.
const output = z.unknown();

/** The calls that are forwarded to the provider of their model. */
export const apiRelays = {
  embeddings: apiEndpoint({
    method: 'POST',
    path: '/v1/embeddings',
    right: 'chat',
    summary: 'Creates embeddings of texts with a model of the provider or of a connection.',
    body: EmbeddingRequest,
    bodyLimit,
    output,
  }),
  completions: apiEndpoint({
    method: 'POST',
    path: '/v1/completions',
    right: 'chat',
    summary: 'Continues a text with an older completion model; returns the whole text, or streams it.',
    body: CompletionRequest,
    bodyLimit,
    output,
  }),
  moderations: apiEndpoint({
    method: 'POST',
    path: '/v1/moderations',
    right: 'chat',
    summary: 'Classifies texts and images.',
    body: ModerationRequest,
    bodyLimit,
    output,
  }),
  images: apiEndpoint({
    method: 'POST',
    path: '/v1/images/generations',
    right: 'chat',
    summary: 'Generates images; returns them at once, or streams events.',
    body: ImageRequest,
    bodyLimit,
    output,
  }),
  speech: apiEndpoint({
    method: 'POST',
    path: '/v1/audio/speech',
    right: 'chat',
    summary: 'Turns text into speech; returns audio, or streams events.',
    body: SpeechRequest,
    bodyLimit,
    output,
  }),
  transcriptions: apiEndpoint({
    method: 'POST',
    path: '/v1/audio/transcriptions',
    right: 'chat',
    rate: 'uploads',
    summary: 'Transcribes a recording of at most 50 MB, sent as the part `file`.',
    accepts: 'multipart',
    body: TranscriptionForm,
    bodyLimit: audioSizeLimit,
    output,
  }),
};
