import {
  type Assistant,
  type AssistantSettings,
  assistantDefaults,
  untitled,
} from '@roster/contracts/assistants/assistants';
import type { AssistantTools } from '@roster/contracts/assistants/tools';
import {
  type ApiAssistant,
  type ApiAssistantChanges,
  ApiAssistantFields,
  type NewApiAssistant,
} from '@roster/contracts/public-api/assistants/assistants';
import type { ApiTool, ToolResources } from '@roster/contracts/public-api/assistants/tools';
import { isBlank } from '@roster/contracts/text/blank';
import { tidyName } from '@roster/contracts/text/name';
import type { ApiFields } from '#server/features/assistants/shared/api-fields-repository';

/** The provider's default. */
const usualTemperature = 1;

/** Stored fields that Roster's own do not cover, with defaults for missing ones. */
export function readFields(kept: ApiFields | undefined) {
  const { name, tools, tool_resources, metadata, top_p, response_format } = ApiAssistantFields.parse(kept ?? {});
  return {
    name,
    tools: tools ?? [],
    tool_resources: tool_resources ?? {},
    metadata: metadata ?? {},
    top_p: top_p ?? 1,
    response_format: response_format ?? ('auto' as const),
  };
}
export type StoredFields = ReturnType<typeof readFields>;

type AssistantInput = Omit<NewApiAssistant | ApiAssistantChanges, 'tool_resources'> & {
  tool_resources?: ToolResources | null | undefined;
};

/** Roster's own fields that a request sets. Omitted fields stay omitted. */
export function toSettings(given: AssistantInput, before: AssistantTools = {}) {
  const { name, description, model, temperature, reasoning_effort, instructions, tools } = given;
  const settings: Partial<AssistantSettings> = {};
  if (name !== undefined) settings.name = name === null || isBlank(name) ? untitled : tidyName(name);
  if (description !== undefined) settings.description = description?.trim() ?? '';
  if (model !== undefined) settings.model = model.trim();
  if (temperature !== undefined) settings.temperature = temperature ?? usualTemperature;
  if (reasoning_effort !== undefined) settings.reasoningEffort = reasoning_effort;
  if (instructions !== undefined) settings.instructions = instructions ?? '';
  if (tools !== undefined) settings.tools = toolsAfter(before, tools ?? []);
  return settings;
}

/**
 * The form's switch and the tool that clients name are one setting; clients say nothing about the form's other tools.
 */
function toolsAfter({ codeInterpreter: _, ...others }: AssistantTools, tools: ApiTool[]): AssistantTools {
  return hasCode(tools) ? { ...others, codeInterpreter: {} } : others;
}
const hasCode = (tools: ApiTool[]) => tools.some(({ type }) => type === 'code_interpreter');

export const newSettings = (given: AssistantInput & { model: string }): AssistantSettings => ({
  ...assistantDefaults,
  name: untitled,
  temperature: usualTemperature,
  ...toSettings(given),
  model: given.model.trim(),
});

/** Remaining fields, merged into the stored ones. null resets a field to its default. */
export function mergeStoredFields(before: ApiFields, given: AssistantInput): ApiFields {
  const after: ApiFields = { ...before };
  const put = (field: keyof ApiAssistantFields, value: unknown) => {
    if (value === null) delete after[field];
    else if (value !== undefined) after[field] = value;
  };
  put('tools', given.tools);
  put('tool_resources', given.tool_resources);
  put('metadata', given.metadata);
  put('top_p', given.top_p);
  put('response_format', given.response_format);
  if (given.name === null || (given.name !== undefined && isBlank(given.name))) after.name = given.name;
  else if (given.name !== undefined) delete after.name;
  return after;
}

/** The name that a client gave, unless a page has set another since. */
export const shownName = (name: string, kept: StoredFields): ApiAssistant['name'] =>
  kept.name !== undefined && name === untitled ? kept.name : name;

/** Tools with what a page may have changed since: the code interpreter, and the search of its files. */
export function shownTools(
  { tools: kept }: StoredFields,
  { tools: { codeInterpreter }, files }: Pick<Assistant, 'tools' | 'files'>,
): ApiTool[] {
  const tools = codeInterpreter ? kept : kept.filter(({ type }) => type !== 'code_interpreter');
  const added: ApiTool[] = [
    ...(codeInterpreter && !hasCode(kept) ? [{ type: 'code_interpreter' as const }] : []),
    ...(files > 0 && !kept.some(({ type }) => type === 'file_search') ? [{ type: 'file_search' as const }] : []),
  ];
  return [...tools, ...added];
}
