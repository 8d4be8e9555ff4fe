import {
  type PromptDraft,
  PromptName,
  type PromptSource,
  promptExportFormat,
  promptImportLimit,
  promptNameLimit,
  promptTextLimit,
  promptTitleLimit,
} from '@roster/contracts/prompts/prompts';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import { AppError } from '#server/lib/errors';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { convertVariables } from './convert-variables.ts';

type Times = { createdAt?: string | undefined; updatedAt?: string | undefined; usedAt?: string | undefined };

/** An entry of a file: a prompt with notes on what is different, or why it cannot be stored. */
export type ParsedPrompt = { position: number; notes: string[] } & (
  | { draft: PromptDraft; times: Times }
  | { name: string; title: string; problem: string }
);

export type ParsedFile = { source: PromptSource; entries: ParsedPrompt[]; left: number };

/** Enough of a name or title, which may be as long as the file. */
const readCharacters = 2_000;

const nothingFound = () =>
  new AppError(
    'invalid_input',
    'The file contains no prompts. Choose a JSON export from Roster, Open WebUI or LibreChat.',
  );

/** Finds the list: bare, under `prompts` or `promptGroups`, or a single entry. */
function findEntries(document: unknown): unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) throw nothingFound();
  if (document.format === promptExportFormat && document.version !== 1)
    throw new AppError('invalid_input', 'This file was exported by a newer version of Roster.');
  if (Array.isArray(document.prompts)) return document.prompts;
  if (Array.isArray(document.promptGroups)) return document.promptGroups;
  return [document];
}

function sourceOf(document: unknown, entries: readonly unknown[]): PromptSource {
  if (isObject(document) && document.format === promptExportFormat) return 'roster';
  const entry = entries.find(isObject);
  if (entry && ('productionPrompt' in entry || 'prompt' in entry)) return 'librechat';
  return entry && 'text' in entry ? 'roster' : 'open-webui';
}

const stringOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : '';
const firstOf = (...values: unknown[]) => values.map(stringOf).find((value) => !isBlank(value)) ?? '';

function textOf({ text, content, prompt, productionPrompt }: JsonObject): string {
  const nested = [productionPrompt, prompt].find(isObject);
  return firstOf(text, content, nested?.prompt, prompt);
}

/** The nearest name that is valid here; empty: there is none. */
const toPromptName = (given: string) =>
  Array.from(
    given
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
      .replace(/^[-\p{M}]+/u, ''),
  )
    .slice(0, promptNameLimit)
    .join('')
    .replace(/-+$/, '');

const timeOf = (value: unknown): string | undefined => {
  const at = typeof value === 'string' && value.length < 40 ? Date.parse(value) : Number.NaN;
  return at > 0 && at <= Date.now() ? new Date(at).toISOString() : undefined;
};

const quote = (text: string) => `“${truncate(text, 60)}”`;

function parseEntry(raw: unknown, position: number): ParsedPrompt {
  const refused = (problem: string, name = '', title = ''): ParsedPrompt => ({
    ...{ position, name, title, problem, notes: [] },
  });
  if (!isObject(raw)) return refused('This entry is not a prompt.');
  const notes: string[] = [];
  const given = firstOf(raw.command, raw.name, raw.title).slice(0, readCharacters).trim().replace(/^\/+/, '');
  const fullTitle = tidyName(firstOf(raw.title, raw.name, given).slice(0, readCharacters));
  const title = truncate(fullTitle, promptTitleLimit);
  const name = toPromptName(given);
  if (name === '') return refused('It has no name.', '', title);
  const original = textOf(raw);
  if (original === '') return refused('It has no text.', name, title);
  const { text, kept } = convertVariables(original);
  if (codePointLength(text) > promptTextLimit)
    return refused(`Its text exceeds ${promptTextLimit} characters.`, name, title);
  const isExact = PromptName.safeParse(given);
  if (raw.command !== undefined && !(isExact.success && isExact.data === name))
    notes.push(`The name ${quote(given)} becomes /${name}: names have letters, digits and hyphens.`);
  if (title !== fullTitle) notes.push(`The title is cut to ${promptTitleLimit} characters.`);
  if (text !== original) notes.push('Variables are written as Roster writes them.');
  if (kept.length > 0) notes.push(`Not variables here, kept as text: ${truncate(kept.join(', '), 200)}`);
  const times = {
    createdAt: timeOf(raw.createdAt),
    updatedAt: timeOf(raw.updatedAt),
    usedAt: timeOf(raw.usedAt),
  };
  return { position, notes, draft: { name, title: title === '' ? name : title, text }, times };
}

/**
 * Reads a file of Roster, Open WebUI or LibreChat. An entry that cannot be read is refused alone.
 * @throws AppError if the document holds no list of prompts
 */
export function parsePromptFile(document: unknown): ParsedFile {
  const all = findEntries(document);
  if (all.length === 0) throw nothingFound();
  const read = all.slice(0, promptImportLimit);
  return {
    source: sourceOf(document, read),
    entries: read.map((raw, index) => parseEntry(raw, index + 1)),
    left: all.length - read.length,
  };
}
