import {
  AssistantDraft,
  AssistantSettings,
  assistantDefaults,
  assistantFieldNames,
  descriptionLimit,
  importedInstructionsLimit,
  instructionsLimit,
  nameLimit,
  ProviderAssistantId,
  untitled,
} from '@roster/contracts/assistants/assistants';
import { Starters } from '@roster/contracts/assistants/avatar';
import { PresetId } from '@roster/contracts/connections/connections';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import { z } from 'zod';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { type AssistantApiFields, parseApiFields } from './api-fields.ts';
import { importWarnings, quoteBriefly, toArray } from './import-warnings.ts';
import { parseBuiltInTools } from './parse-built-in-tools.ts';
import type { ImportedDraft } from './shared/repository.ts';

/** The default temperatures of the provider and of Roster’s form. */
const defaultTemperatures = { provider: 1, roster: assistantDefaults.temperature };

const text = (field: string) => z.string(`${field} must be text`).nullish();
const Source = z.looseObject(
  {
    name: text('Name'),
    description: text('Description'),
    model: z
      .string('Model is missing')
      .trim()
      .max(200, 'Model exceeds 200 characters')
      .refine((model) => !isBlank(model), 'Model is missing'),
    instructions: text('Instructions').refine(
      (instructions) => codePointLength(instructions ?? '') <= importedInstructionsLimit,
      'Instructions exceed 256000 characters',
    ),
    temperature: z
      .number('Temperature must be a number')
      .min(0, 'Temperature must be from 0 to 2')
      .max(2, 'Temperature must be from 0 to 2')
      .nullish(),
  },
  'This entry is not an assistant',
);

/** The connection of the model, by what another installation knows of it. */
export const NamedConnection = z.object({ preset: PresetId.catch('other'), name: z.string().max(200) });
const connectionIn = (given: unknown): NamedConnection | null => NamedConnection.safeParse(given).data ?? null;
export type NamedConnection = z.output<typeof NamedConnection>;

/** An assistant ready to be stored, with notes on what changed; or why it cannot be stored. */
export type ParsedAssistant = { id: string | null; name: string | null } & (
  | {
      draft: ImportedDraft;
      connection: NamedConnection | null;
      fallbackConnection: NamedConnection | null;
      apiFields: AssistantApiFields;
      createdAt: string | undefined;
      notes: string[];
    }
  | { problem: string }
);

/** Reads an assistant or agent of the provider, or an entry of Roster’s own export. */
export function parseAssistant(raw: unknown): ParsedAssistant {
  const id = isObject(raw) ? providerIdOf(raw) : null;
  const parsed = Source.safeParse(raw);
  if (!parsed.success) {
    const name = isObject(raw) && typeof raw.name === 'string' ? cut(tidyName(raw.name), nameLimit) : null;
    return { id, name, problem: parsed.error.issues[0]?.message ?? 'This entry cannot be read' };
  }
  const source = { ...parsed.data, reasoningEffort: effortIn(parsed.data) };
  const notes: string[] = [];
  const draft = { ...settingsOf(source, notes), openaiAssistantId: id };
  const apiFields = parseApiFields(source, notes);
  const createdAt = timeOf(isObject(raw) ? raw.created_at : undefined);
  const connections = {
    connection: connectionIn(parsed.data.connection),
    fallbackConnection: connectionIn(parsed.data.fallbackConnection),
  };
  const warnings = [...notes, ...importWarnings(source)];
  return { id, name: draft.name, draft, ...connections, apiFields, createdAt, notes: warnings };
}

/** Converts the provider’s seconds; undefined if they are invalid or in the future. */
function timeOf(seconds: unknown): string | undefined {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds <= 0) return undefined;
  return seconds * 1_000 <= Date.now() ? new Date(seconds * 1_000).toISOString() : undefined;
}

type Source = z.output<typeof Source>;

/** Readers of fields that the provider has in another shape or within other limits. */
const fieldParsers: {
  [Name in keyof AssistantSettings]?: (source: Source, notes: string[]) => AssistantSettings[Name];
} = {
  name: ({ name }, notes) => nameOf(tidyName(name ?? ''), notes),
  description: ({ description }, notes) => descriptionOf(clean(description), notes),
  // A number of a connection in another installation says nothing here.
  model: ({ model }) => clean(modelIdOf(clean(model))) || clean(model),
  fallbackModel: ({ fallbackModel }) => fallbackIn(fallbackModel),
  temperature: temperatureOf,
  instructions: ({ instructions }, notes) => instructionsOf(instructions ?? '', notes),
  starters: ({ starters }, notes) => startersIn(starters, notes),
  tools: parseBuiltInTools,
};

/** Reads all fields of an assistant: some with a reader, the others as Roster exports them. */
function settingsOf(source: Source, notes: string[]): AssistantSettings {
  const fields = assistantFieldNames.map((name) => {
    const read = fieldParsers[name];
    return [name, read ? read(source, notes) : exportedValue(name, source[name], notes)];
  });
  return AssistantSettings.parse(Object.fromEntries(fields));
}

/** Notes for values that a field cannot take. */
const unknownValues: { [Name in keyof AssistantSettings]?: string } = {
  reasoningEffort: 'Roster does not know its reasoning effort; the model’s default is used.',
  icon: 'Roster does not have its icon.',
  color: 'Roster does not have its color.',
  responseSchema: 'The answer format cannot be imported.',
};

/** Falls back to the default of a new assistant if the value is missing or invalid. */
function exportedValue(name: keyof AssistantSettings, given: unknown, notes: string[]): unknown {
  const field = AssistantDraft.shape[name];
  const read = field.safeParse(typeof given === 'string' ? stripNul(given) : (given ?? undefined));
  if (read.success) return read.data;
  notes.push(unknownValues[name] ?? `${name} (${quoteBriefly(given)}) cannot be imported.`);
  return field.parse(undefined);
}

const fallbackIn = (given: unknown) =>
  (typeof given === 'string' &&
    Array.from(modelIdOf(clean(given)))
      .slice(0, 200)
      .join('')) ||
  null;

function providerIdOf(raw: JsonObject): string | null {
  const found = [raw.id, raw.openaiAssistantId].find((id) => ProviderAssistantId.safeParse(id).success);
  return typeof found === 'string' ? found : null;
}

/** PostgreSQL’s text cannot hold U+0000. */
const stripNul = (value: string) => value.replaceAll('\0', '');
const clean = (value: string | null | undefined) => stripNul(value ?? '').trim();

const cut = (value: string, limit: number) =>
  codePointLength(value) <= limit ? value : Array.from(value).slice(0, limit).join('').trimEnd();

function nameOf(name: string, notes: string[]): string {
  if (isBlank(name)) notes.push(`It has no name and is called '${untitled}'.`);
  const short = isBlank(name) ? '' : cut(name, nameLimit);
  if (short !== '' && short !== name) notes.push(`The name was cut to ${nameLimit} characters.`);
  return short || untitled;
}

function descriptionOf(description: string, notes: string[]): string {
  const short = cut(description, descriptionLimit);
  if (short !== description) notes.push(`The description was cut to ${descriptionLimit} characters.`);
  return short;
}

function instructionsOf(instructions: string, notes: string[]): string {
  const length = codePointLength(instructions);
  if (length > instructionsLimit)
    notes.push(
      `The instructions have ${length} characters, more than the form's ${instructionsLimit}; they are kept whole.`,
    );
  return stripNul(instructions);
}

function startersIn(given: unknown, notes: string[]): string[] {
  const lines = toArray(given).map((line) => (typeof line === 'string' ? stripNul(line) : line));
  const read = Starters.safeParse(lines);
  if (!read.success) notes.push('Its conversation starters cannot be imported.');
  return read.data ?? [];
}

/**
 * Keeps full precision, as for temperatures set by API clients: the form does not round values that it does not change.
 */
function temperatureOf(source: Source, notes: string[]): number {
  const { object, temperature } = source;
  if (typeof temperature !== 'number') {
    const defaultTemperature =
      object === 'assistant' || object === 'agent' ? defaultTemperatures.provider : defaultTemperatures.roster;
    if (object === 'agent') notes.push(`Agents have no temperature; it is ${defaultTemperature}.`);
    return defaultTemperature;
  }
  return temperature;
}

/** Assistants and agents have the effort in different places. */
const effortIn = ({ reasoning, reasoning_effort: flat, reasoningEffort: own }: JsonObject) =>
  own ?? flat ?? (isObject(reasoning) ? reasoning.effort : undefined);
