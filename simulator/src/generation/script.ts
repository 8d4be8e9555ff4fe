import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../http/fields.ts';
import { lastUserText, type Question } from './question.ts';

export type WebPage = { url: string; title: string };

/** A prepared answer to one question, word for word. */
export type ScriptedAnswer = {
  answer: string;
  /** Other answers, by model. */
  byModel: { readonly [model: string]: string };
  /** Directives as a user would write them, such as `[[web]]`. */
  directives: string;
  /** The arguments of the functions that it calls. */
  callArguments: JsonObject | null;
  webPages: readonly WebPage[] | null;
  /** The code that it runs, and what that prints. */
  code: string | null;
  logs: string | null;
  /** The file of the image that it draws, read when it is drawn. */
  picture: string | null;
};

/** Prepared answers, by the whole text of the question. */
export type Script = ReadonlyMap<string, ScriptedAnswer>;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function pagesIn(value: unknown): WebPage[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter(isObject).map(({ url, title }) => ({ url: textOf(url) ?? '', title: textOf(title) ?? '' }));
}

function entryOf(given: unknown, index: number): [string, ScriptedAnswer] {
  const fields = isObject(given) ? given : {};
  const [question, answer] = [textOf(fields.question), textOf(fields.answer)];
  if (question === null || answer === null)
    throw new Error(`SIMULATOR_SCRIPT: entry ${index + 1} needs a question and an answer.`);
  const others = isObject(fields.byModel) ? Object.entries(fields.byModel) : [];
  return [
    question.trim(),
    {
      answer,
      byModel: Object.fromEntries(others.flatMap(([model, text]) => (typeof text === 'string' ? [[model, text]] : []))),
      directives: textOf(fields.directives) ?? '',
      callArguments: isObject(fields.callArguments) ? fields.callArguments : null,
      webPages: pagesIn(fields.webPages),
      code: textOf(fields.code),
      logs: textOf(fields.logs),
      picture: textOf(fields.picture),
    },
  ];
}

/** Reads a script: a JSON list of questions with their answers. @throws Error that names the entry that is wrong */
export function readScript(file: string): Script {
  const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(content)) throw new Error('SIMULATOR_SCRIPT: the file must contain a list.');
  return new Map(content.map(entryOf));
}

export const scriptedAnswer = (script: Script, { turns }: Question): ScriptedAnswer | null =>
  script.get(lastUserText(turns).trim()) ?? null;

export const scriptedText = ({ answer, byModel }: ScriptedAnswer, { model }: Question): string =>
  byModel[model] ?? answer;
