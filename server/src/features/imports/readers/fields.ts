import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import { isObject, type JsonObject } from '#server/lib/is-object';

const titleLength = 255;
const modelLength = 200;
const idLength = 200;

/** PostgreSQL stores no NUL, and UTF-8 has no halves of surrogate pairs. */
export const cleanText = (text: string) => text.replaceAll('\0', '').toWellFormed();

export const textIn = (value: unknown): string => (typeof value === 'string' ? cleanText(value) : '');
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});
export const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** An id as a text; null if there is none. */
export function idIn(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  const text = textIn(value).trim();
  return text === '' ? null : text.slice(0, idLength);
}

export function titleIn(value: unknown): string | null {
  const title = tidyName(textIn(value)).replace(/\s+/g, ' ').trim();
  return title === '' ? null : truncate(title, titleLength);
}

/** The provider's id. A connection of the installation that it comes from says nothing here. */
export function modelIn(value: unknown): string | null {
  const model = modelIdOf(textIn(value).trim());
  return model === '' ? null : model.slice(0, modelLength);
}

/** A model that answers from now on; null if it was chosen from a connection, which is not there. */
export const chosenModelIn = (value: unknown): string | null =>
  connectionIdOf(textIn(value).trim()) === null ? modelIn(value) : null;

const earliest = Date.UTC(2000, 0);
const latest = Date.UTC(2100, 0);

const timeAt = (milliseconds: number): string | null =>
  milliseconds >= earliest && milliseconds < latest ? new Date(milliseconds).toISOString() : null;

/** Exports write seconds, milliseconds or finer units, which differ by their size. */
function timeOfNumber(value: number): string | null {
  let milliseconds = value < 1e11 ? value * 1000 : value;
  while (milliseconds >= 1e14) milliseconds /= 1000;
  return timeAt(Math.round(milliseconds));
}

/** A time as a number or a text; null if it is none, or cannot be right. */
export function timeIn(value: unknown): string | null {
  if (typeof value === 'number') return timeOfNumber(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return timeOfNumber(Number(text));
  return timeAt(Date.parse(text));
}

export const joinTexts = (texts: string[]) => texts.filter((text) => text.trim() !== '').join('\n\n');
