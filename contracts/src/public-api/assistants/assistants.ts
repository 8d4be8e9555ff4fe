import { z } from 'zod';
import { importedInstructionsLimit } from '../../assistants/assistants.ts';
import { ModelText } from '../../model-text.ts';
import { ReasoningEffort } from '../../models/models.ts';
import { textUpTo } from '../../text/text.ts';
import { apiEndpoint } from '../endpoint.ts';
import { ApiId, apiDeleted, apiList, apiPage } from '../list.ts';
import { Metadata } from '../metadata.ts';
import { ApiTool, ApiTools, NewToolResources, ResponseFormat, ToolResources } from './tools.ts';

const upTo = (field: string, limit: number) => textUpTo(limit, `${field} cannot exceed ${limit} characters`);

const fields = {
  name: upTo('Name', 256).nullish(),
  description: upTo('Description', 512).nullish(),
  instructions: upTo('Instructions', importedInstructionsLimit).nullish(),
  reasoning_effort: ReasoningEffort.nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  tools: ApiTools.nullish(),
  metadata: Metadata.nullish(),
  response_format: ResponseFormat.nullish(),
};

/** Stored fields of an assistant beyond Roster’s own. A missing field has its default. */
export const ApiAssistantFields = z.strictObject({
  /** Stored if it is null or blank, which pages cannot show. */
  name: fields.name,
  tools: ApiTools.optional(),
  tool_resources: ToolResources.optional(),
  metadata: Metadata.optional(),
  top_p: z.number().min(0).max(1).optional(),
  response_format: ResponseFormat.optional(),
});
export type ApiAssistantFields = z.output<typeof ApiAssistantFields>;

export const NewApiAssistant = z.strictObject({
  ...fields,
  model: ModelText,
  tool_resources: NewToolResources.nullish(),
});
export type NewApiAssistant = z.output<typeof NewApiAssistant>;

export const ApiAssistantChanges = z.strictObject({
  ...fields,
  model: ModelText.optional(),
  tool_resources: ToolResources.nullish(),
});
export type ApiAssistantChanges = z.output<typeof ApiAssistantChanges>;

export const ApiAssistant = z.object({
  id: z.string(),
  object: z.literal('assistant'),
  created_at: z.number().int(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  model: z.string(),
  instructions: z.string().nullable(),
  tools: z.array(ApiTool),
  tool_resources: ToolResources,
  metadata: z.record(z.string(), z.string()),
  temperature: z.number(),
  top_p: z.number(),
  response_format: ResponseFormat,
  reasoning_effort: ReasoningEffort.nullable(),
});
export type ApiAssistant = z.output<typeof ApiAssistant>;

const byId = z.strictObject({ id: ApiId });
const reads = { right: ['assistants', 'chat'], isBeta: true } as const;
/** Allows instructions in any script and schemas of functions. */
const writes = { right: 'assistants', keepsTexts: true, isBeta: true, bodyLimit: 4 * 1024 * 1024 } as const;

export const apiAssistants = {
  create: apiEndpoint({
    ...writes,
    method: 'POST',
    path: '/v1/assistants',
    summary: 'Creates an assistant. It also appears on the Assistants page.',
    body: NewApiAssistant,
    output: ApiAssistant,
  }),
  list: apiEndpoint({
    ...reads,
    method: 'GET',
    path: '/v1/assistants',
    summary: 'Lists the assistants.',
    query: z.strictObject(apiPage),
    output: apiList(ApiAssistant),
  }),
  get: apiEndpoint({
    ...reads,
    method: 'GET',
    path: '/v1/assistants/:id',
    summary: 'Returns one assistant.',
    params: byId,
    output: ApiAssistant,
  }),
  modify: apiEndpoint({
    ...writes,
    method: 'POST',
    path: '/v1/assistants/:id',
    summary: 'Changes an assistant. Fields that are left out stay unchanged.',
    params: byId,
    body: ApiAssistantChanges,
    output: ApiAssistant,
  }),
  remove: apiEndpoint({
    ...writes,
    method: 'DELETE',
    path: '/v1/assistants/:id',
    summary: 'Deletes an assistant; its threads stay.',
    params: byId,
    output: apiDeleted('assistant.deleted'),
  }),
};
