import { AppError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';

/**
 * Reads the entries of an import file: one assistant, a list, `{assistants: […]}`, or a page of the retired API’s list.
 */
export function parseEntries(document: unknown): unknown[] {
  const entries = findEntries(document);
  if (entries.length === 0) throw new AppError('invalid_input', 'The file holds no assistants.');
  return entries;
}

function findEntries(document: unknown): unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document))
    throw new AppError('invalid_input', 'The file must hold an assistant or a list of assistants.');
  if (document.format === 'roster.assistants' && document.version !== 1)
    throw new AppError('invalid_input', 'This file was exported by a newer Roster than this one.');
  if (Array.isArray(document.assistants)) return document.assistants;
  if (document.object === 'list' && Array.isArray(document.data)) return document.data;
  return [document];
}
