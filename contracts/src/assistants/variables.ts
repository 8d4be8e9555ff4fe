import { parsePrompt } from '../prompts/variables.ts';
import { isLanguageTag, isTimeZone } from '../text/locale.ts';

/** Names that are filled in when an assistant is asked. No email address: instructions go to the provider. */
export const instructionVariables = [
  'current_date',
  'current_time',
  'current_weekday',
  'time_zone',
  'user_name',
  'language',
  'assistant_name',
  'model',
] as const;
export type InstructionVariable = (typeof instructionVariables)[number];

/** null: there is no value, so the variable stays as it is written. */
export type InstructionValues = Record<InstructionVariable, string | null>;

/** A piece of instructions. The sources of all pieces, in order, are the whole text. */
type InstructionPiece = {
  source: string;
  /** In lower case; null: text, or a variable with options of its own. */
  name: string | null;
  /** The variable that is filled in; null: it stays as it is written. */
  variable: InstructionVariable | null;
};

const knownName = (name: string): InstructionVariable | null =>
  instructionVariables.find((variable) => variable === name) ?? null;

/**
 * Splits instructions as prompts are split. Upper case and spaces inside the braces are allowed, because Open WebUI
 * writes `{{CURRENT_DATE}}` and LibreChat `{{current_date}}`.
 */
export const parseInstructions = (text: string): InstructionPiece[] =>
  parsePrompt(text).map(({ source, variable }) => {
    const isPlain = variable?.kind === 'text' && variable.default === null;
    const name = isPlain ? variable.name.toLowerCase() : null;
    return { source, name, variable: name === null ? null : knownName(name) };
  });

/** The variables that are filled in, each once, in the order in which they are first written. */
export const variablesIn = (text: string): InstructionVariable[] => [
  ...new Set(parseInstructions(text).flatMap(({ variable }) => variable ?? [])),
];

/** Fills in the known variables. Everything else stays to the letter, and a value is not searched for variables. */
export const fillInstructions = (text: string, values: InstructionValues): string =>
  parseInstructions(text)
    .map(({ source, variable }) => (variable === null ? source : (values[variable] ?? source)))
    .join('');

export type InstructionContext = {
  now: Date;
  /** An IANA name; null: unknown, so times are in UTC. */
  timeZone: string | null;
  /** A BCP 47 tag; null: unknown. */
  language: string | null;
  userName: string;
  /** null: a model answers without an assistant. */
  assistantName: string | null;
  /** The id that the provider knows. */
  model: string;
};

/**
 * The values at one moment. Dates are in English with the month as a word: a model reads them the same way whatever
 * language the instructions are in, and nobody takes 11/12 for the other day. Times have 24 hours and name their zone.
 */
export function instructionValues(context: InstructionContext): InstructionValues {
  const timeZone = context.timeZone !== null && isTimeZone(context.timeZone) ? context.timeZone : 'UTC';
  const written = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone }).format(context.now);
  const time = written({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return {
    current_date: written({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }),
    current_time: `${time} (${timeZone})`,
    current_weekday: written({ weekday: 'long' }),
    time_zone: timeZone,
    user_name: context.userName,
    // Fits into a sentence such as 'Answer in {{language}}.' until a page has named the language.
    language: languageName(context.language) ?? 'the language of the user',
    assistant_name: context.assistantName,
    model: context.model,
  };
}

/** How instructions call a user: by name, or by the first part of the email address. */
export const userNameOf = ({ name, email }: { name: string | null; email: string }): string =>
  name ?? email.slice(0, Math.max(0, email.lastIndexOf('@')));

/** In English: 'German (Switzerland)'. */
function languageName(tag: string | null): string | null {
  if (tag === null || !isLanguageTag(tag)) return null;
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? null;
}

/** Names that other products fill in, as Roster writes them. */
export const otherNames: ReadonlyMap<string, string> = new Map([
  ['current_datetime', '{{current_date}}, {{current_time}}'],
  ['iso_datetime', '{{current_date}}, {{current_time}}'],
  ['current_timezone', '{{time_zone}}'],
  ['user_language', '{{language}}'],
  ['current_user', '{{user_name}}'],
]);

const lettersOf = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, '');

/** The least number of letters to add, remove or replace. */
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (let column = 1; column <= other.length; column++)
      next.push(
        Math.min(
          (before[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (before[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1),
        ),
      );
    before = next;
  }
  return before.at(-1) ?? 0;
}

/** Writes a misspelled variable as it is probably meant; undefined: it resembles none. `name`: in lower case. */
function likelyVariable(name: string): string | undefined {
  if (knownName(name) !== null) return undefined;
  const other = otherNames.get(name);
  if (other !== undefined) return other;
  const letters = lettersOf(name);
  const near = instructionVariables
    .map((variable) => ({ variable, apart: distance(letters, lettersOf(variable)) }))
    .filter(({ variable, apart }) => apart <= (variable.length < 8 ? 1 : 2))
    .sort((a, b) => a.apart - b.apart)[0];
  return near && `{{${near.variable}}}`;
}

type UnknownVariable = { source: string; instead: string };

/** Variables that stay as they are written but look like known ones, each once. */
export function misspelledIn(text: string): UnknownVariable[] {
  const found = new Map<string, string>();
  for (const { source, name, variable } of parseInstructions(text)) {
    const instead = name === null || variable !== null || found.has(source) ? undefined : likelyVariable(name);
    if (instead !== undefined) found.set(source, instead);
  }
  return [...found].map(([source, instead]) => ({ source, instead }));
}
