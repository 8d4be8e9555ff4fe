import { type AssistantVersionDetail, type VersionField, versionFields } from '@roster/contracts/assistants/versions';
import type { ToolApproval } from '@roster/contracts/tool-servers/tool-choice';
import { modelName } from '#web/api/model-names.ts';

/** Labels of a version's fields. */
export const fieldNames: Record<VersionField, string> = {
  name: 'Name',
  description: 'Description',
  model: 'Model',
  fallbackModel: 'Fallback',
  temperature: 'Temperature',
  reasoningEffort: 'Reasoning effort',
  instructions: 'Instructions',
  starters: 'Conversation starters',
  tags: 'Tags',
  icon: 'Icon',
  color: 'Color',
  tools: 'Tools',
  responseSchema: 'Answer format',
  earlierMessages: 'Long conversations',
  files: 'Files',
  chosenTools: 'Connected tools',
  programFields: 'Set by programs',
};

const approvals: Record<ToolApproval, string> = { always: 'asks every time', once: 'asks once', never: 'does not ask' };
const gone = (isThere: boolean, what: string) => (isThere ? '' : ` (${what})`);

function toolLines({ webSearch, codeInterpreter }: AssistantVersionDetail['settings']['tools']): string[] {
  const { domains = [], location = {} } = webSearch ?? {};
  const place = [location.city, location.region, location.country].filter(Boolean).join(', ');
  return [
    ...(webSearch ? ['Web search'] : []),
    ...(domains.length > 0 ? [`Web search limited to: ${domains.join(', ')}`] : []),
    ...(place === '' ? [] : [`Web search from: ${place}`]),
    ...(codeInterpreter ? ['Code interpreter'] : []),
  ];
}

/** Fields as comparable text; empty if unset. */
const texts: Record<VersionField, (version: AssistantVersionDetail) => string> = {
  name: ({ settings }) => settings.name,
  description: ({ settings }) => settings.description,
  model: ({ settings }) => modelName(settings.model),
  fallbackModel: ({ settings }) => (settings.fallbackModel === null ? '' : modelName(settings.fallbackModel)),
  temperature: ({ settings }) => String(settings.temperature),
  reasoningEffort: ({ settings }) => settings.reasoningEffort ?? '',
  instructions: ({ settings }) => settings.instructions,
  starters: ({ settings }) => settings.starters.join('\n'),
  tags: ({ settings }) => settings.tags.join(', '),
  icon: ({ settings }) => settings.icon ?? '',
  color: ({ settings }) => settings.color ?? '',
  tools: ({ settings }) => toolLines(settings.tools).join('\n'),
  responseSchema: ({ settings }) => settings.responseSchema ?? '',
  earlierMessages: ({ settings }) =>
    settings.earlierMessages === 'summarize' ? 'Earlier messages are summarized automatically' : '',
  files: ({ files }) => files.map(({ filename, isThere }) => `${filename}${gone(isThere, 'deleted')}`).join('\n'),
  chosenTools: ({ chosenTools }) =>
    chosenTools
      .map(
        ({ serverName, name, approval, isThere }) =>
          `${serverName || 'An unavailable server'}: ${name}, ${approvals[approval]}${gone(isThere, 'no longer available')}`,
      )
      .join('\n'),
  programFields: ({ programFields }) => (programFields ? JSON.stringify(programFields, undefined, 2) : ''),
};

export type FieldDifference = { field: VersionField; before: string; after: string };

/** Fields that differ between two versions, as text. */
export const fieldDifferences = (before: AssistantVersionDetail, after: AssistantVersionDetail): FieldDifference[] =>
  versionFields
    .map((field) => ({ field, before: texts[field](before), after: texts[field](after) }))
    .filter((one) => one.before !== one.after);

/** Every field against nothing, to show the first version. */
export const allFields = (version: AssistantVersionDetail): FieldDifference[] =>
  versionFields
    .map((field) => ({ field, before: '', after: texts[field](version) }))
    .filter(({ after }) => after !== '');

/** Describes what restoring cannot bring back. */
export function unrestorableParts({ files, chosenTools }: AssistantVersionDetail): string[] {
  return [
    ...files.filter(({ isThere }) => !isThere).map(({ filename }) => `The file ${filename} was deleted.`),
    ...chosenTools.filter(({ isThere }) => !isThere).map(({ name }) => `The tool ${name} is no longer available.`),
  ];
}
