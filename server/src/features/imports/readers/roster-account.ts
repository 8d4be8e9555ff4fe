import type { LeftOutReason } from '@roster/contracts/imports';
import type { ImportedFile, ImportedPart } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { ArchiveEntry } from './archive.ts';
import { type Assets, baseName } from './assets.ts';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { chosenModelIn, idIn, listIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { jsonLines, jsonValues } from './json-values.ts';
import type { RosterIds } from './roster.ts';

const parts = [
  'account.json',
  'access-tokens.json',
  'preferences.json',
  'budgets.json',
  'project-budgets.json',
  'prices.json',
  'prompts.json',
  'assistant-index.jsonl',
  'assistant-versions.jsonl',
  'assistant-drafts.jsonl',
  'tool-servers.json',
  'projects.json',
  'queued-messages.jsonl',
  'comparisons.jsonl',
  'test-sets.jsonl',
  'responses.jsonl',
  'vector-stores.jsonl',
  'fine-tuning/jobs.jsonl',
  'fine-tuning/models.json',
  'fine-tuning/datasets/INDEX.jsonl',
];
const filesAtOnce = 20;

/** Files of an account export beside conversations and files. */
export const isAccountPart = (name: string) => parts.some((part) => name === part || name.endsWith(`/${part}`));

const isNamed = (part: string) => (name: string) => name === part || name.endsWith(`/${part}`);

async function* valuesOf(entries: ArchiveEntry[], part: string): AsyncGenerator<JsonObject> {
  for (const entry of entries.filter(({ name }) => isNamed(part)(name)))
    for await (const value of part.endsWith('.jsonl') ? jsonLines(entry.read()) : jsonValues(entry.read()))
      if (isObject(value)) yield value;
}

async function firstOf(entries: ArchiveEntry[], part: string): Promise<JsonObject> {
  for await (const value of valuesOf(entries, part)) return value;
  return {};
}

/** Numbers repeat in other installations; together with the time of creation they do not. */
const sourceIdOf = (id: unknown, createdAt: unknown) => `roster:${textIn(createdAt)} ${idIn(id)}`;

/** An account export of Roster: its parts beside the conversations. */
export async function readAccount(entries: ArchiveEntry[], assets: Assets) {
  const account = await firstOf(entries, 'account.json');
  if (account.format !== 'roster.account') return undefined;
  const projects = listIn((await firstOf(entries, 'projects.json')).projects).filter(isObject);
  const index = new Map<string, JsonObject>();
  for await (const line of valuesOf(entries, 'assistant-index.jsonl')) index.set(idIn(line.assistantId) ?? '', line);
  const ids: RosterIds = {
    assistants: new Map([...index].map(([id, { createdAt }]) => [id, sourceIdOf(id, createdAt)])),
    projects: new Map(projects.map(({ id, createdAt }) => [idIn(id) ?? '', sourceIdOf(id, createdAt)])),
  };
  const filesOf = (value: JsonObject, leftOut: LeftOut): ImportedFile[] => {
    const names = listIn(value.files);
    return assets.take(
      listIn(value.checksums).flatMap((checksum, at) => {
        const id = idIn(checksum);
        return id === null ? [] : [{ id, filename: titleIn(names[at]), isGenerated: false }];
      }),
      leftOut,
    );
  };
  const reading = { entries, assets, ids, index, projects, filesOf };
  return {
    ids,
    /** Comes before the conversations, which refer to it. */
    before: () => partsBefore(reading),
    /** `conversations`: their ids by the name of their file. */
    after: (conversations: ReadonlyMap<string, string>) => queued(reading, conversations),
    left: () => left(entries, account),
  };
}

export type RosterAccount = NonNullable<Awaited<ReturnType<typeof readAccount>>>;

type Reading = {
  entries: ArchiveEntry[];
  assets: Assets;
  ids: RosterIds;
  index: ReadonlyMap<string, JsonObject>;
  projects: JsonObject[];
  filesOf: (value: JsonObject, leftOut: LeftOut) => ImportedFile[];
};

const read = (part: ImportedPart, leftOut: LeftOut = {}): ReadConversation => ({
  conversation: null,
  leftOut,
  part,
  source: 'roster',
});

async function* partsBefore(reading: Reading): AsyncGenerator<ReadConversation> {
  const { entries, assets } = reading;
  for (let at = 0; at < assets.ids.length; at += filesAtOnce) {
    const leftOut: LeftOut = {};
    const some = assets.ids.slice(at, at + filesAtOnce).map((id) => ({ id, filename: null, isGenerated: false }));
    yield read({ kind: 'files', files: assets.take(some, leftOut) }, leftOut);
  }
  for await (const preferences of valuesOf(entries, 'preferences.json'))
    yield read({ kind: 'preferences', preferences });
  for await (const document of valuesOf(entries, 'prompts.json')) {
    const count = listIn(document.prompts).length;
    if (count > 0) yield read({ kind: 'prompts', count, document });
  }
  yield* assistants(reading);
  for (const project of reading.projects) yield projectOf(reading, project);
}

/** Versions of one assistant follow each other in the file. */
async function* assistants(reading: Reading): AsyncGenerator<ReadConversation> {
  let versions: { fields: JsonObject; files: ImportedFile[] }[] = [];
  let current: string | null = null;
  for await (const fields of valuesOf(reading.entries, 'assistant-versions.jsonl')) {
    const id = idIn(fields.assistantId);
    if (id !== current && current !== null && versions.length > 0) {
      yield assistantOf(reading, current, versions);
      versions = [];
    }
    current = id;
    // Missing files are counted with the conversations and files themselves.
    versions.push({ fields, files: reading.filesOf(fields, {}) });
  }
  if (current !== null && versions.length > 0) yield assistantOf(reading, current, versions);
}

function assistantOf({ index, ids }: Reading, id: string, versions: { fields: JsonObject; files: ImportedFile[] }[]) {
  const { isDefault, openaiAssistantId, createdAt, updatedAt } = index.get(id) ?? {};
  const sourceId = ids.assistants.get(id) ?? sourceIdOf(id, versions[0]?.fields.createdAt);
  const times = { createdAt: timeIn(createdAt), updatedAt: timeIn(updatedAt) };
  return read({ kind: 'assistant', sourceId, isDefault: isDefault === true, openaiAssistantId, ...times, versions });
}

function projectOf({ ids, filesOf }: Reading, project: JsonObject): ReadConversation {
  const { id, name, icon, color, instructions, assistantId, model, archivedAt, createdAt, updatedAt } = project;
  const leftOut: LeftOut = {};
  return read(
    {
      kind: 'project',
      sourceId: sourceIdOf(id, createdAt),
      name: titleIn(name) ?? '',
      icon,
      color,
      instructions: textIn(instructions),
      assistant: ids.assistants.get(idIn(assistantId) ?? '') ?? null,
      model: chosenModelIn(model),
      files: filesOf(project, leftOut),
      archivedAt: timeIn(archivedAt),
      createdAt: timeIn(createdAt),
      updatedAt: timeIn(updatedAt),
    },
    leftOut,
  );
}

async function* queued({ entries, assets }: Reading, conversations: ReadonlyMap<string, string>) {
  for await (const line of valuesOf(entries, 'queued-messages.jsonl')) {
    const conversation = conversations.get(baseName(textIn(line.conversation)));
    const leftOut: LeftOut = {};
    const references = listIn(line.files).flatMap((file) => {
      const { sha256, filename } = objectIn(file);
      const id = idIn(sha256);
      return id === null ? [] : [{ id, filename: titleIn(filename), isGenerated: false }];
    });
    const files = assets.take(references, leftOut);
    const models = listIn(line.models).flatMap((model) => chosenModelIn(model) ?? []);
    const text = textIn(line.text);
    if (conversation !== undefined && (text !== '' || files.length > 0))
      yield read({ kind: 'queued', conversation, text, files, models, createdAt: timeIn(line.createdAt) }, leftOut);
  }
}

/** Counts what stays behind: secrets, and what belongs to the other installation or to the account at the provider. */
async function left(entries: ArchiveEntry[], account: JsonObject): Promise<ReadConversation> {
  const leftOut: LeftOut = {};
  const notTaken: NonNullable<ReadConversation['notTaken']> = [];
  const count = async (reason: LeftOutReason, ...files: string[]) => {
    for (const file of files) for await (const _ of valuesOf(entries, file)) addTo(leftOut, reason);
  };
  addTo(leftOut, 'keys', [account.apiKey, account.adminKey].filter((key) => objectIn(key).isSet === true).length);
  await count('keys', 'access-tokens.json');
  const { servers } = await firstOf(entries, 'tool-servers.json');
  for (const [at, server] of listIn(servers).entries())
    notTaken.push({ reason: 'tool_servers', id: String(at), name: titleIn(objectIn(server).name) });
  await count('limits', 'budgets.json', 'project-budgets.json', 'prices.json');
  await count('drafts', 'assistant-drafts.jsonl');
  await count('comparisons', 'comparisons.jsonl', 'test-sets.jsonl');
  await count('training', 'fine-tuning/jobs.jsonl', 'fine-tuning/models.json', 'fine-tuning/datasets/INDEX.jsonl');
  await count('program_data', 'responses.jsonl', 'vector-stores.jsonl');
  return { conversation: null, leftOut, notTaken };
}
