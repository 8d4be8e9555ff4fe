import type { Assistant } from '@roster/contracts/assistants/assistants';
import { ReasoningEffort } from '@roster/contracts/models/models';
import {
  type NewApiRun,
  type NewApiThreadAndRun,
  ToolChoice,
  TruncationStrategy,
} from '@roster/contracts/public-api/assistants/runs';
import { ApiTools, ResponseFormat, ToolResources } from '@roster/contracts/public-api/assistants/tools';
import { z } from 'zod';
import { maxCodeFiles } from '#server/conversation/code-files';
import type { ApiFields } from '#server/features/assistants/shared/api-fields-repository';
import { readFields, shownTools } from '#server/features/public-api/shared/assistant-fields';
import { PublicApiError } from '#server/http/public-api/errors';

/** Resources of the assistant and the thread together. */
const RunResources = z.object({
  code_interpreter: z
    .object({
      file_ids: z
        .array(z.string())
        .max(2 * maxCodeFiles)
        .optional(),
    })
    .optional(),
  file_search: z.object({ vector_store_ids: z.array(z.string()).max(2).optional() }).optional(),
});
type RunResources = z.output<typeof RunResources>;

/** Complete options of a run, stored so that later changes do not affect it. */
const RunOptions = z.object({
  /** Public id, which the run keeps when the assistant is deleted. */
  assistant: z.string(),
  assistantId: z.number(),
  /** null if stored before versions existed. */
  assistantVersion: z.number().nullable().default(null),
  model: z.string(),
  /** null if the client has chosen the model. */
  fallback: z.string().nullable().default(null),
  instructions: z.string(),
  /** Variables are filled in in the first `length` characters; null: the client has sent all of the instructions. */
  variables: z.object({ assistantName: z.string(), length: z.number() }).nullable().default(null),
  tools: ApiTools,
  tool_resources: RunResources,
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  reasoning_effort: ReasoningEffort.nullable(),
  max_prompt_tokens: z.number().nullable(),
  max_completion_tokens: z.number().nullable(),
  truncation_strategy: TruncationStrategy,
  tool_choice: ToolChoice,
  parallel_tool_calls: z.boolean(),
  response_format: ResponseFormat,
});
export type RunOptions = z.output<typeof RunOptions>;

export const readOptions = (stored: string): RunOptions => RunOptions.parse(JSON.parse(stored));

type RunRequest = NewApiRun | (NewApiThreadAndRun & { additional_instructions?: null; reasoning_effort?: null });
type RunAssistant = { id: string; assistant: Assistant; fields: ApiFields | undefined; threadResources: unknown };

const united = (...lists: (readonly string[] | undefined)[]) => [...new Set(lists.flatMap((list) => list ?? []))];

/** An answer reads the resources of its assistant and of its thread. */
function resourcesOf(own: ToolResources, ofThread: ToolResources): RunResources {
  const files = united(own.code_interpreter?.file_ids, ofThread.code_interpreter?.file_ids);
  const stores = united(own.file_search?.vector_store_ids, ofThread.file_search?.vector_store_ids);
  return {
    ...(files.length > 0 && { code_interpreter: { file_ids: files } }),
    ...(stores.length > 0 && { file_search: { vector_store_ids: stores } }),
  };
}

/** The assistant as it is now, with the run's overrides. */
export function buildOptions(given: RunRequest, { id, assistant, fields, threadResources }: RunAssistant): RunOptions {
  const kept = readFields(fields);
  const instructions = [given.instructions ?? assistant.instructions, given.additional_instructions ?? ''];
  const tools = given.tools ?? shownTools(kept, assistant);
  const ofThread = ToolResources.safeParse(threadResources).data ?? {};
  const named = 'tool_resources' in given ? (given.tool_resources ?? {}) : {};
  const options: RunOptions = {
    assistant: id,
    assistantId: assistant.id,
    assistantVersion: assistant.version,
    model: given.model?.trim() ?? assistant.model,
    fallback: given.model == null ? assistant.fallbackModel : null,
    instructions: instructions.filter((part) => part !== '').join('\n\n'),
    variables:
      given.instructions == null ? { assistantName: assistant.name, length: assistant.instructions.length } : null,
    tools,
    tool_resources: resourcesOf({ ...kept.tool_resources, ...named }, ofThread),
    temperature: given.temperature ?? assistant.temperature,
    top_p: given.top_p ?? kept.top_p,
    reasoning_effort: given.reasoning_effort ?? assistant.reasoningEffort,
    max_prompt_tokens: given.max_prompt_tokens ?? null,
    max_completion_tokens: given.max_completion_tokens ?? null,
    truncation_strategy: given.truncation_strategy ?? { type: 'auto', last_messages: null },
    tool_choice: given.tool_choice ?? 'auto',
    parallel_tool_calls: given.parallel_tool_calls ?? true,
    response_format: given.response_format ?? kept.response_format,
  };
  refuseNotServed(options);
  return options;
}

/** Never ignored: the answer would differ from what was requested. */
function refuseNotServed({ tools, tool_choice: choice }: RunOptions) {
  const types = new Set(tools.map(({ type }) => type));
  if (typeof choice !== 'object') return;
  const names = tools.flatMap((tool) => (tool.type === 'function' ? [tool.function.name] : []));
  if (choice.type === 'function' ? names.includes(choice.function.name) : types.has(choice.type)) return;
  throw new PublicApiError('invalid_input', 'Tool choice names a tool that is not among the tools of the run.', {
    param: 'tool_choice',
    code: 'unsupported_value',
  });
}
