import {
  AssistantSettings,
  type assistants as api,
  type FileImportResult,
  type ImportCandidate,
  type ImportResult,
  nameLimit,
  untitled,
} from '@roster/contracts/assistants/assistants';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { dayOf } from '@roster/contracts/usage/day';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import type { ModelService } from '#server/features/models/service';
import { throwProviderFailure } from '#server/http/provider-failure';
import { AppError } from '#server/lib/errors';
import { isObject } from '#server/lib/is-object';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider, ProviderAssistant } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Actor } from '#server/security/actor';
import { resolveReferences } from './api-fields.ts';
import { placeFallback, placeModel } from './import-connections.ts';
import { fromOtherProduct } from './other-products.ts';
import { type ParsedAssistant, parseAssistant } from './parse-import.ts';
import { type ApiFields, apiFieldsRepository } from './shared/api-fields-repository.ts';
import { type AssistantRepository, assistantRepository } from './shared/repository.ts';
import type { VersionRecorder } from './versions/recorder.ts';

/**
 * Reads the entries of an import file: one assistant, a list, `{assistants: […]}`, or a page of the retired API’s list.
 */
function parseEntries(document: unknown): unknown[] {
  const entries = findEntries(document);
  if (entries.length === 0) throw new AppError('invalid_input', 'The file contains no assistants.');
  return entries;
}

function findEntries(document: unknown): unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document))
    throw new AppError('invalid_input', 'The file must contain an assistant or a list of assistants.');
  if (document.format === 'roster.assistants' && document.version !== 1)
    throw new AppError('invalid_input', 'This file was exported by a newer Roster than this one.');
  if (Array.isArray(document.assistants)) return document.assistants;
  if (document.object === 'list' && Array.isArray(document.data)) return document.data;
  return [document];
}

const importLimit = 100;

type Dependencies = {
  db: Kysely<Database>;
  versions: Pick<VersionRecorder, 'begin'>;
  provider: Pick<Provider, 'assistants'>;
  keys: ProviderKeyService;
  models: Pick<ModelService, 'usable' | 'defaultModel'>;
  catalogue: Catalogue;
  now: () => number;
  /** Maps the user’s vector stores, known by these names, to their ids here. */
  storesNamed: (userId: number, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Does the same for files. */
  filesNamed: (userId: number, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** `id`: the provider’s id, or the position in the file. The response names the entry by it. */
type Entry = { id: string; reading: ResolvedReading };
type Refusal = ImportResult['failed'][number];

/** A reading whose vector stores and files are resolved to those of Roster. */
type ResolvedReading = Extract<ParsedAssistant, { problem: string }> | Importable;
type Importable = Omit<
  Extract<ParsedAssistant, { draft: unknown }>,
  'apiFields' | 'connection' | 'fallbackConnection'
> & {
  api: ApiFields | undefined;
  /** The file names a connection for the model, and it is not here. */
  isConnectionMissing: boolean;
};

async function resolveReadings<Read extends { reading: ParsedAssistant }>(
  { db, storesNamed, filesNamed }: Dependencies,
  userId: number,
  all: Read[],
): Promise<(Omit<Read, 'reading'> & { reading: ResolvedReading })[]> {
  const named = all.flatMap(({ reading }) => ('apiFields' in reading ? reading.apiFields : []));
  const isNamed = all.some(
    ({ reading }) => 'connection' in reading && (reading.connection !== null || reading.fallbackConnection !== null),
  );
  const connections = isNamed ? await connectionRepository(db).listUsable(userId) : [];
  const found = {
    stores: await storesNamed(
      userId,
      named.flatMap(({ stores }) => stores),
    ),
    files: await filesNamed(
      userId,
      named.flatMap(({ codeFiles }) => codeFiles),
    ),
  };
  return all.map(({ reading, ...entry }) => {
    if ('problem' in reading) return { ...entry, reading };
    const { apiFields, connection, fallbackConnection, ...rest } = reading;
    const { api, notes } = resolveReferences(apiFields, found);
    const placed = placeModel(rest.draft.model, connection, connections);
    const { fallbackModel, notes: ofFallback } = placeFallback(
      rest.draft.fallbackModel,
      fallbackConnection,
      connections,
    );
    const draft = { ...rest.draft, model: placed.model, fallbackModel };
    const all = [...reading.notes, ...placed.notes, ...ofFallback, ...notes];
    return { ...entry, reading: { ...rest, draft, api, isConnectionMissing: placed.notes.length > 0, notes: all } };
  });
}

const entryOf = ({ id, raw }: ProviderAssistant) => ({ id, reading: parseAssistant(raw) });

/** Lists the provider’s assistants with the typed key, otherwise with the saved one. */
async function listed(
  { provider, keys }: Dependencies,
  userId: number,
  typedKey: string | undefined,
): Promise<ProviderAssistant[]> {
  const apiKey = await keys.typedOrSaved(userId, typedKey);
  try {
    return await provider.assistants(apiKey);
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'key_rejected' && typedKey === undefined)
      await keys.noteRejected(userId, error.message);
    return throwProviderFailure(error);
  }
}

/**
 * A retired model does not prevent an import: the user can choose another one later. A model in the key’s list is not
 * retired, whatever the catalogue says.
 */
async function modelNotes(
  { models, catalogue, now }: Dependencies,
  userId: number,
  entries: readonly Pick<Entry, 'reading'>[],
): Promise<(read: Importable) => string[]> {
  const named = entries.flatMap(({ reading }) => ('draft' in reading ? reading.draft.model : []));
  const usable = await models.usable(userId, named);
  const today = dayOf(now());
  return ({ draft: { model }, isConnectionMissing }) => {
    // A note already asks for another model.
    if (isConnectionMissing || usable?.has(model)) return [];
    const { lifecycle, shutdownDate, successor } = catalogue.describe(model, null, today);
    const instead = successor ? `Choose another one, such as ${successor}.` : 'Choose another one.';
    if (lifecycle === 'gone') return [`The model ${modelIdOf(model)} retired on ${shutdownDate}. ${instead}`];
    if (usable)
      return [`The model ${modelIdOf(model)} is not among those your API key can use; it may have retired. ${instead}`];
    return [];
  };
}

/** Lists what can be imported from the provider, with notes on what would be lost. */
async function candidates(
  dependencies: Dependencies,
  { userId, recheckAccess }: Actor,
  typedKey: string | undefined,
): Promise<ImportCandidate[]> {
  const { db } = dependencies;
  const list = await listed(dependencies, userId, typedKey);
  await db.transaction().execute(recheckAccess);
  const before = await assistantRepository(db).importedFrom(
    userId,
    list.map(({ id }) => id),
  );
  const read = list.map((one) => ({ ...entryOf(one), source: one.source }));
  const entries = await resolveReadings(dependencies, userId, read);
  const notesOnModel = await modelNotes(dependencies, userId, entries);
  return entries.map(({ id, source, reading }) => {
    const common = { id, source, importedAs: before.get(id) ?? null };
    if ('problem' in reading || reading.id !== id) {
      const problem = 'problem' in reading ? reading.problem : 'Its id has an unknown form';
      const notes = [`It cannot be imported: ${problem}.`];
      return { ...common, name: reading.name || untitled, model: '', description: '', notes };
    }
    const { name, model, description } = reading.draft;
    return { ...common, name, model, description, notes: [...reading.notes, ...notesOnModel(reading)] };
  });
}

/** Stores the valid entries. `refused`: entries that could not be read at all. */
async function importAll(
  dependencies: Dependencies,
  { userId, recheckAccess }: Actor,
  entries: Entry[],
  refused: Refusal[] = [],
): Promise<ImportResult> {
  const notesOnModel = await modelNotes(dependencies, userId, entries);
  return dependencies.db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const assistants = assistantRepository(trx);
    await assistants.lock(userId);
    const { chosen, failed } = await judge(assistants, userId, entries);
    const hasDefault = (await assistants.newestId(userId)) !== undefined;
    const stored = await assistants.insert(
      userId,
      chosen.map(({ draft, createdAt }, index) => ({ ...draft, createdAt, isDefault: !hasDefault && index === 0 })),
    );
    for (const [index, { id }] of stored.entries()) {
      const api = chosen[index]?.api;
      if (api) await apiFieldsRepository(trx).put(userId, id, api);
    }
    await dependencies.versions.begin(
      trx,
      userId,
      { kind: 'import' },
      stored.map((assistant, index) => ({ assistant, api: chosen[index]?.api })),
    );
    const imported = stored.map((assistant, index) => {
      const read = chosen[index];
      return { ...assistant, notes: read ? [...read.notes, ...notesOnModel(read)] : [] };
    });
    return { imported, failed: [...refused, ...failed] };
  });
}

/** Fetches the list again, so that the provider’s data is stored and not the browser’s copy. */
async function importFromProvider(
  dependencies: Dependencies,
  actor: Actor,
  ids: string[],
  typedKey: string | undefined,
): Promise<ImportResult> {
  const assistants = await listed(dependencies, actor.userId, typedKey);
  const list = new Map(assistants.map((assistant) => [assistant.id, assistant]));
  const wanted = [...new Set(ids)].map((id) => ({ id, found: list.get(id) }));
  const readable = wanted.flatMap(({ found }) => found ?? []);
  const entries = await resolveReadings(dependencies, actor.userId, readable.map(entryOf));
  const unknown = wanted.filter(({ found }) => !found);
  return importAll(
    dependencies,
    actor,
    entries,
    unknown.map(({ id }) => ({ id, name: null, reason: 'This API key cannot use it.' })),
  );
}

function parseForeign(entry: unknown, defaultModel: string): ParsedAssistant {
  const { raw, notes } = fromOtherProduct(entry, defaultModel);
  const reading = parseAssistant(raw);
  if ('problem' in reading) return reading;
  // The default may be a model of a connection, which a file cannot name.
  const isDefault = isObject(raw) && raw.model === defaultModel;
  const draft = isDefault ? { ...reading.draft, model: defaultModel } : reading.draft;
  return { ...reading, draft, notes: [...notes, ...reading.notes] };
}

/** Reports the result of importing a file, and stores nothing. */
async function preview(dependencies: Dependencies, userId: number, entries: Entry[]): Promise<FileImportResult> {
  const notesOnModel = await modelNotes(dependencies, userId, entries);
  const { chosen, failed } = await judge(assistantRepository(dependencies.db), userId, entries);
  const planned = chosen.map((read, index) => {
    const { name, model, description } = read.draft;
    return { id: `#${index + 1}`, name, model, description, notes: [...read.notes, ...notesOnModel(read)] };
  });
  return { imported: [], failed, planned };
}

/** Imports assistants from the provider or a file. Each entry succeeds or fails by itself. */
export function importService(dependencies: Dependencies) {
  return {
    candidates: (actor: Actor, { apiKey }: z.output<typeof api.fetchFromProvider.body>) =>
      candidates(dependencies, actor, apiKey),

    fromProvider: (actor: Actor, { assistantIds, apiKey }: z.output<typeof api.importBatch.body>) =>
      importFromProvider(dependencies, actor, assistantIds, apiKey),

    async fromFile(actor: Actor, document: unknown, isPreview: boolean): Promise<FileImportResult> {
      const defaultModel = await dependencies.models.defaultModel(actor.userId);
      const read = parseEntries(document).map((entry, index) => {
        const reading = parseForeign(entry, defaultModel);
        return { id: reading.id ?? `#${index + 1}`, reading };
      });
      const entries = await resolveReadings(dependencies, actor.userId, read);
      if (isPreview) return preview(dependencies, actor.userId, entries);
      return { ...(await importAll(dependencies, actor, entries)), planned: [] };
    },
  };
}

export type ImportService = ReturnType<typeof importService>;

/** Decides which entries can be stored. Call it while this user’s assistants are locked. */
async function judge(assistants: AssistantRepository, userId: number, entries: Entry[]) {
  const readings = entries.map(({ reading }) => reading);
  const before = await assistants.importedFrom(
    userId,
    readings.flatMap(({ id }) => id ?? []),
  );
  const withoutId = readings.filter(({ id }) => id === null).flatMap(({ name }) => name ?? []);
  const present = await assistants.named(userId, [...new Set(withoutId)].flatMap(namesLike));
  const names = new Set(present.map(({ name }) => name));
  const taken = new Set<string>();
  const chosen: Importable[] = [];
  const failed: Refusal[] = [];

  function problemOf(reading: ResolvedReading): string | undefined {
    if ('problem' in reading) return `${reading.problem}.`;
    const earlier = reading.id === null ? sameAs(reading.draft, present) : before.get(reading.id);
    if (earlier) return reading.id === null ? alreadyThere(earlier) : `It was imported already, as '${earlier.name}'.`;
    if (reading.id !== null && taken.has(reading.id)) return 'The file contains it more than once.';
    if (chosen.length >= importLimit)
      return `You can import ${importLimit} assistants at once. Import the rest afterwards.`;
    return undefined;
  }

  for (const { id, reading } of entries) {
    const reason = problemOf(reading);
    if (reason !== undefined) failed.push({ id, name: reading.name, reason });
    else if ('draft' in reading) chosen.push(reading.id === null ? withFreeName(reading, names) : reading);
    if (reading.id !== null) taken.add(reading.id);
  }
  return { chosen, failed };
}

const alreadyThere = ({ name }: { name: string }) => `It is already there: '${name}' is the same in every field.`;

const numbersTried = 20;

const numbered = (name: string, number: number) => {
  const suffix = ` ${number}`;
  return `${Array.from(name)
    .slice(0, nameLimit - suffix.length)
    .join('')}${suffix}`;
};

/** The name, and those that it gets if it is taken. */
export const namesLike = (name: string) => [
  name,
  ...Array.from({ length: numbersTried }, (_, at) => numbered(name, at + 2)),
];

/** A second assistant with a name gets a number. */
function withFreeName<Read extends Importable>(reading: Read, names: Set<string>): Read {
  const { name } = reading.draft;
  if (!names.has(name)) return reading;
  const free = namesLike(name).find((one) => !names.has(one)) ?? name;
  names.add(free);
  const note = `It is called '${free}', because there is another assistant '${name}'.`;
  return { ...reading, draft: { ...reading.draft, name: free }, notes: [...reading.notes, note] };
}

/** An assistant with the same fields, whose name an earlier import may have numbered. */
function sameAs<Present extends AssistantSettings>(draft: AssistantSettings, present: Present[]): Present | undefined {
  const like = new Set(namesLike(draft.name));
  return present.find((one) => like.has(one.name) && fingerprint(one) === fingerprint(draft));
}

const fingerprint = (fields: AssistantSettings) => {
  const { name: _, ...rest } = AssistantSettings.parse(fields);
  return JSON.stringify(Object.values(rest));
};
