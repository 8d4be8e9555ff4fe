import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ResponseRequest, ResponseState } from '@roster/contracts/public-api/responses';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { StoredItem } from './items.ts';

/** A response as clients read it. */
export type ResponseObject = JsonObject & {
  id: string;
  object: 'response';
  status: ResponseState;
  output: StoredItem[];
};

type ResponseIdentity = {
  id: string;
  createdAt: number;
  previousId: string | null;
  isStored: boolean;
  isBackground: boolean;
  model: string;
};

/** A function as responses show it. */
const shownTool = (tool: unknown) =>
  isObject(tool) && tool.type === 'function' ? { parameters: null, strict: null, ...tool } : tool;

/** Fields of a response that are fixed from its start: what was requested, and the defaults for the rest. */
export function responseBase(
  body: ResponseRequest,
  tools: unknown,
  { id, createdAt, previousId, ...named }: ResponseIdentity,
): ResponseObject {
  const given = (name: string, usual: unknown) => body[name] ?? usual;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: named.isBackground,
    completed_at: null,
    error: null,
    frequency_penalty: given('frequency_penalty', 0),
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    metadata: body.metadata ?? {},
    model: modelIdOf(named.model),
    output: [],
    parallel_tool_calls: given('parallel_tool_calls', true),
    presence_penalty: given('presence_penalty', 0),
    previous_response_id: previousId,
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: given('reasoning', { effort: null, summary: null }),
    safety_identifier: given('safety_identifier', null),
    service_tier: given('service_tier', 'default'),
    store: named.isStored,
    temperature: given('temperature', 1),
    text: given('text', { format: { type: 'text' } }),
    tool_choice: given('tool_choice', 'auto'),
    tools: Array.isArray(tools) ? tools.map(shownTool) : [],
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    usage: null,
    ...(body.user !== undefined && { user: body.user }),
  };
}

/** Fields that Roster sets, whatever the provider says. */
const owned = [
  'id',
  'object',
  'created_at',
  'background',
  'instructions',
  'metadata',
  'previous_response_id',
  'store',
] as const;

const isNaming = (tool: unknown) =>
  isObject(tool) &&
  (tool.type === 'file_search' ||
    (tool.type === 'code_interpreter' && isObject(tool.container) && tool.container.file_ids !== undefined));

/** Converts the provider's response for the client: with missing fields, and Roster's names. */
export function toClientResponse(base: ResponseObject, of: JsonObject, status: ResponseState, output: StoredItem[]) {
  const own = Object.fromEntries(owned.map((name) => [name, base[name]]));
  // Searches name vector stores, and containers name files, which have other names at the provider.
  const namesThings = Array.isArray(base.tools) && base.tools.some(isNaming);
  return {
    ...base,
    ...of,
    ...own,
    ...(namesThings && { tools: base.tools }),
    id: base.id,
    object: base.object,
    status,
    output,
  };
}

export const usageObject = (counts: TokenCounts): JsonObject => ({
  input_tokens: counts.inputTokens,
  input_tokens_details: { cached_tokens: counts.cachedTokens, cache_write_tokens: counts.cacheWriteTokens },
  output_tokens: counts.outputTokens,
  output_tokens_details: { reasoning_tokens: counts.reasoningTokens },
  total_tokens: counts.inputTokens + counts.outputTokens,
});
