import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from '../endpoint.ts';
import { nameText } from '../text/text.ts';
import { ConnectionHeaderChanges, ConnectionHeaders } from './headers.ts';

export const connectionsPerUser = 50;
const connectionNameLimit = 60;

export const presetIds = [
  'openai',
  'azure',
  'openrouter',
  'anthropic',
  'gemini',
  'mistral',
  'deepseek',
  'groq',
  'xai',
  'together',
  'fireworks',
  'perplexity',
  'ollama',
  'lm-studio',
  'llama-cpp',
  'other',
] as const;
export const PresetId = z.enum(presetIds);
export type PresetId = z.output<typeof PresetId>;

/** The header that carries the key. */
export const KeyHeader = z.enum(['authorization', 'api-key', 'x-api-key']);
export type KeyHeader = z.output<typeof KeyHeader>;

/** `auto`: Responses where the provider serves them, otherwise Chat Completions. */
export const ConnectionApi = z.enum(['auto', 'responses', 'chat']);
export type ConnectionApi = z.output<typeof ConnectionApi>;

/** The operator's rule for the addresses of connections: `CONNECTIONS`. */
export const ConnectionPolicy = z.enum(['listed', 'open', 'off']);
export type ConnectionPolicy = z.output<typeof ConnectionPolicy>;

/** Abilities of a provider that are tried, one by one. */
export const abilities = [
  'models',
  'answer',
  'streaming',
  'reasoning',
  'tools',
  'images',
  'jsonSchema',
  'files',
  'embeddings',
  'fineTuning',
] as const;
export const Ability = z.enum(abilities);
export type Ability = z.output<typeof Ability>;

export const AbilityCheck = z.object({
  ability: Ability,
  /** `unknown`: not tried, for the reason given. */
  result: z.enum(['works', 'fails', 'unknown']),
  /** In the provider's own words where it has some; null: nothing to say. */
  reason: z.string().nullable(),
});
export type AbilityCheck = z.output<typeof AbilityCheck>;

export const ConnectionPreset = z.object({
  id: PresetId,
  name: z.string(),
  /** null: the person enters it. */
  baseUrl: z.string().nullable(),
  /** An example of the address to enter. */
  example: z.string().nullable(),
  /** The page where a key is made. */
  keyPage: z.string().nullable(),
  key: z.enum(['needed', 'optional', 'none']),
  keyHeader: KeyHeader,
  /** The calls that the provider serves; unknown ones are left out. */
  serves: z.array(Ability),
  /** True if this installation lets a connection to it be made; `notice` says why not. */
  allowed: z.boolean(),
  notice: z.string().nullable(),
  asOf: z.string(),
  source: z.string(),
});
export type ConnectionPreset = z.output<typeof ConnectionPreset>;

export const Connection = z.object({
  id: Id,
  preset: PresetId,
  name: z.string(),
  baseUrl: z.string(),
  hasKey: z.boolean(),
  /** Empty for a short key; null: no key. */
  keyLast4: z.string().nullable(),
  /** The values are never returned. */
  headerNames: z.array(z.string()),
  api: ConnectionApi,
  /** Seconds until the first word of an answer; null: as the installation. */
  firstTokenSeconds: z.number().int().nullable(),
  isPaused: z.boolean(),
  /** The provider's words about the key or the address when it was last used; null: nothing is wrong. */
  notice: z.string().nullable(),
  checks: z.array(AbilityCheck),
  checkedAt: Time.nullable(),
  createdAt: Time,
});
export type Connection = z.output<typeof Connection>;

/** A connection offered by an administrator, as the people see it who may use it: nothing of its key or its address. */
export const OfferedConnection = z.object({
  id: Id,
  preset: PresetId,
  name: z.string(),
  /** The person's own limit; null: none. */
  monthlyUsd: z.number().nullable(),
  /** The person's own spending this month. */
  spentUsd: z.number(),
  /** The person's budget, or the one of all together, is used up this month. */
  isUsedUp: z.boolean(),
});
export type OfferedConnection = z.output<typeof OfferedConnection>;

/** A base URL without a trailing slash, query or password. The server decides whether it may be reached. */
const BaseUrl = z
  .string()
  .trim()
  .max(2_000)
  .pipe(z.url({ protocol: /^https?$/, error: 'Enter an address such as https://api.example.com/v1' }));
const Key = z
  .string()
  .trim()
  .min(1, 'Enter a key')
  .max(512, 'A key has at most 512 characters')
  .regex(/^[\x21-\x7e]+$/, 'A key has letters, digits and symbols without spaces');
const Name = nameText(connectionNameLimit, `Name cannot exceed ${connectionNameLimit} characters`, 'Name is required');
const FirstTokenSeconds = z.int().min(10).max(7_200).nullable();

export const NewConnection = z.strictObject({
  preset: PresetId,
  /**
   * Unique among the person's connections, ignoring case; no `/`, which separates it from a model in /v1, and not `@7`,
   * which would name connection 7 there.
   */
  name: Name.refine((name) => !name.includes('/'), 'Name cannot contain /').refine(
    (name) => !/^@\d+$/.test(name),
    'Name cannot be @ and a number',
  ),
  /** Left out: the preset's. */
  baseUrl: BaseUrl.optional(),
  key: Key.optional(),
  headers: ConnectionHeaders.default([]),
  api: ConnectionApi.default('auto'),
  firstTokenSeconds: FirstTokenSeconds.default(null),
});
export type NewConnection = z.output<typeof NewConnection>;

/** The address stays: a key never goes to another one. */
export const ConnectionChange = z.strictObject({
  name: NewConnection.shape.name.optional(),
  /** null: removes the key. */
  key: Key.nullable().optional(),
  headers: ConnectionHeaderChanges.optional(),
  api: ConnectionApi.optional(),
  firstTokenSeconds: FirstTokenSeconds.optional(),
  isPaused: z.boolean().optional(),
  /** From 0; the others keep their order. */
  position: z.int().min(0).max(connectionsPerUser).optional(),
});
export type ConnectionChange = z.output<typeof ConnectionChange>;

export const ConnectionUses = z.object({
  assistants: z.number().int(),
  conversations: z.number().int(),
  projects: z.number().int(),
  testSets: z.number().int(),
  /** Fine-tuning jobs that have not ended; they cannot be followed any more. */
  trainings: z.number().int(),
});
export type ConnectionUses = z.output<typeof ConnectionUses>;

/** Something that the provider has refused, which Roster leaves out until it tries again. */
export const ConnectionRefusal = z.object({
  /** null: whatever the model. */
  model: z.string().nullable(),
  /** The field or call, such as `temperature` or `responses`. */
  what: z.string(),
  learnedAt: Time,
  /** From then on it is tried again. */
  askAt: Time,
});
export type ConnectionRefusal = z.output<typeof ConnectionRefusal>;

/** A server that answered at its usual address on the machine Roster runs on. */
export const LocalServer = z.object({ preset: PresetId, baseUrl: z.string(), models: z.number().int() });
export type LocalServer = z.output<typeof LocalServer>;

const byId = z.strictObject({ id: PathId });

export const connections = {
  list: endpoint({
    method: 'GET',
    path: '/api/connections',
    access: 'user',
    summary:
      'Lists your connections to providers other than the installation’s own, in your order. Never returns keys or the values of headers.',
    output: z.object({
      policy: ConnectionPolicy,
      connections: z.array(Connection),
      /** Offered by an administrator, and read-only. */
      offered: z.array(OfferedConnection),
    }),
  }),
  presets: endpoint({
    method: 'GET',
    path: '/api/connection-presets',
    access: 'user',
    summary: 'Lists the providers that a connection can start from, with their addresses and how they accept keys.',
    output: z.object({ policy: ConnectionPolicy, presets: z.array(ConnectionPreset) }),
  }),
  local: endpoint({
    method: 'GET',
    path: '/api/connections/local',
    access: 'user',
    rate: 'keyUse',
    summary: 'Lists servers such as Ollama that answer on the machine of this installation, if they may be used.',
    output: z.object({ servers: z.array(LocalServer) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/connections',
    access: 'user',
    rate: 'keyUse',
    status: 201,
    summary: 'Adds a connection. A key that the provider refuses is not stored.',
    body: NewConnection,
    output: Connection,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/connections/:id',
    access: 'user',
    rate: 'keyUse',
    summary:
      'Renames, reorders or pauses a connection, or replaces its key or its headers. Its address cannot be changed.',
    params: byId,
    body: ConnectionChange,
    output: Connection,
  }),
  check: endpoint({
    method: 'POST',
    path: '/api/connections/:id/check',
    access: 'user',
    rate: 'keyUse',
    summary: 'Tries what the provider can do with short requests, which the provider may bill, and stores the results.',
    params: byId,
    body: z.strictObject({ model: z.string().max(200).optional() }),
    output: Connection,
  }),
  uses: endpoint({
    method: 'GET',
    path: '/api/connections/:id/uses',
    access: 'user',
    summary: 'Lists what uses a connection, to be shown before it is removed.',
    params: byId,
    output: ConnectionUses,
  }),
  refusals: endpoint({
    method: 'GET',
    path: '/api/connections/:id/refusals',
    access: 'user',
    summary: 'Lists what the provider has refused recently and is therefore not sent, with the time of the next try.',
    params: byId,
    output: z.object({ refusals: z.array(ConnectionRefusal) }),
  }),
  askAgain: endpoint({
    method: 'POST',
    path: '/api/connections/:id/ask-again',
    access: 'user',
    rate: 'keyUse',
    summary: 'Tries everything that the provider has refused again with the next calls.',
    params: byId,
    status: 204,
    output: NoContent,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/connections/:id',
    access: 'user',
    summary: 'Removes a connection with its key. Conversations stay readable.',
    params: byId,
    status: 204,
    output: NoContent,
  }),
};
