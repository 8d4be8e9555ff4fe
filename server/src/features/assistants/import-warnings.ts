import { truncate } from '@roster/contracts/text/truncate';
import { isObject, type JsonObject } from '#server/lib/is-object';

export const toArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const fileCount = (list: unknown[]) => (list.length === 1 ? 'one file' : `${list.length} files`);
/** Notes quote texts by others, so these are cut. */
export const quoteBriefly = (value: unknown) =>
  typeof value === 'string' && value !== '' ? truncate(value, 60) : 'unnamed';
export const listSome = (names: unknown[]) =>
  names.slice(0, 5).map(quoteBriefly).join(', ') + (names.length > 5 ? ' and others' : '');

/** Notes on what an assistant or agent of the provider has and a Roster assistant cannot have, one sentence each. */
export function importWarnings(raw: JsonObject): string[] {
  return [
    ...(toArray(raw.file_ids).length > 0 ? [`Its ${fileCount(toArray(raw.file_ids))} cannot be imported.`] : []),
    ...fileNotes(toArray(raw.files)),
    ...settingNotes(raw),
  ];
}

/** For Roster’s own export: the files are in the account, not in the imported file. */
function fileNotes(files: unknown[]): string[] {
  if (files.length === 0) return [];
  return [`Its files cannot be imported: ${listSome(files)}. Give it the files again.`];
}

function settingNotes(raw: JsonObject): string[] {
  const { multi_agent: multiAgent, service_tier: tier, text } = raw;
  const verbosity = isObject(text) ? text.verbosity : undefined;
  const isOther = (value: unknown, usual: unknown[]) => value !== undefined && value !== null && !usual.includes(value);
  return [
    isOther(verbosity, ['medium']) && `The verbosity ${quoteBriefly(verbosity)} cannot be imported.`,
    isOther(tier, ['auto', 'default']) && `The service tier ${quoteBriefly(tier)} cannot be imported.`,
    isObject(multiAgent) && multiAgent.enabled === true && 'Its sub-agents cannot be imported.',
  ].filter((note) => note !== false);
}
