import { z } from 'zod';
import { endpoint, NoContent, Time } from './endpoint.ts';

/** The typo guard for OpenAI's own keys, in the specification's words; proof is a call to the provider. */
export const openAiKeyPattern = /^sk-[A-Za-z0-9_-]{32,509}$/;
export const keyFormatMessage = "Invalid API Key format - should start with 'sk-' followed by at least 32 characters";

/** A provider key as typed: trimmed, printable ASCII, at most 512 characters. Whether it must begin with `sk-` depends on the provider. */
export const ApiKey = z
  .string()
  .max(1024, 'The API Key cannot exceed 512 characters')
  .trim()
  .min(1, 'API Key is required')
  .max(512, 'The API Key cannot exceed 512 characters')
  .regex(/^[\x21-\x7e]*$/, 'The API Key can hold only letters, digits and signs without spaces');

export const UserConfig = z.object({
  hasApiKey: z.boolean(),
  apiKeyAddedAt: Time.nullable(),
  apiKeyLast4: z.string().nullable(),
  /** false: the provider could not be reached when the key was saved, or has rejected it since. */
  apiKeyVerified: z.boolean(),
  /** What is to be said about the key, in the provider's words where there are any. */
  apiKeyNotice: z.string().nullable(),
});
export type UserConfig = z.output<typeof UserConfig>;

export const account = {
  config: endpoint({
    method: 'GET',
    path: '/api/user/config',
    access: 'user',
    summary: 'Whether a provider key is saved, and what is known about it. Never the key.',
    output: UserConfig,
  }),
  saveApiKey: endpoint({
    method: 'POST',
    path: '/api/settings/apikey',
    access: 'user',
    rate: 'keyUse',
    summary: 'Tries the key at the provider and stores it encrypted. A rejected key is not stored.',
    body: z.strictObject({ apiKey: ApiKey }),
    output: UserConfig,
  }),
  removeApiKey: endpoint({
    method: 'DELETE',
    path: '/api/settings/apikey',
    access: 'user',
    summary: 'Removes the saved key.',
    output: NoContent,
    status: 204,
  }),
};
