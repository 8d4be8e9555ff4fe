import { AssistantSettings, nameLimit, ProviderAssistantId } from '@roster/contracts/assistants/assistants';
import { VersionField, VersionOrigin } from '@roster/contracts/assistants/versions';
import type { Kysely } from 'kysely';
import type { ImportedAssistant } from '#server/conversation/imported';
import type { Database } from '#server/db/schema';
import { resolveReferences } from './api-fields.ts';
import { namesLike } from './import.ts';
import { knowledgeRepository } from './knowledge/repository.ts';
import { setFiles } from './knowledge/set-files.ts';
import { parseAssistant } from './parse-import.ts';
import { deleteAssistant } from './service.ts';
import { apiFieldsRepository } from './shared/api-fields-repository.ts';
import { importedAssistantRepository } from './shared/imported-repository.ts';
import { assistantRepository } from './shared/repository.ts';
import { versionRepository } from './versions/repository.ts';
import { type AssistantState, nonEmptyFields } from './versions/state.ts';

/** Files here, by their id in the export. */
type FileIds = ReadonlyMap<string, { fileId: number; filename: string }>;
type Read = { number: number; origin: VersionOrigin; changed: VersionField[]; at: string; state: AssistantState };

/** Vector stores and connected tools of another installation are not here. */
const nothingFound = { stores: new Map<string, string>(), files: new Map<string, string>() };

function readVersion({ fields, files }: ImportedAssistant['versions'][number], here: FileIds): Read | undefined {
  const reading = parseAssistant(fields);
  const { number, origin, changed, createdAt } = fields;
  if ('problem' in reading || typeof number !== 'number' || !Number.isInteger(number) || number < 1) return undefined;
  return {
    number,
    origin: VersionOrigin.safeParse(origin).data ?? { kind: 'import' },
    changed: Array.isArray(changed) ? changed.flatMap((name) => VersionField.safeParse(name).data ?? []) : [],
    at: typeof createdAt === 'string' ? createdAt : new Date().toISOString(),
    state: {
      settings: AssistantSettings.parse(reading.draft),
      files: files.flatMap(({ sourceId }) => here.get(sourceId) ?? []),
      chosenTools: [],
      programFields: nonEmptyFields(resolveReferences(reading.apiFields, nothingFound).api),
    },
  };
}

/** The versions that can be read, each number once, the oldest first. */
function readVersions({ versions }: ImportedAssistant, here: FileIds): Read[] {
  const read = versions.flatMap((version) => readVersion(version, here) ?? []);
  return [...new Map(read.map((version) => [version.number, version])).values()].sort((a, b) => a.number - b.number);
}

async function freeName(trx: Kysely<Database>, userId: number, name: string): Promise<string> {
  const candidates = namesLike(name);
  const taken = new Set((await assistantRepository(trx).named(userId, candidates)).map((one) => one.name));
  return candidates.find((one) => !taken.has(one)) ?? name.slice(0, nameLimit);
}

const providerIdOf = (value: unknown) => ProviderAssistantId.safeParse(value).data ?? null;

/** Stores an assistant of an account export with its versions. False: it is here already, or cannot be read. */
async function store(
  trx: Kysely<Database>,
  { userId, importId }: { userId: number; importId: number },
  imported: ImportedAssistant,
  here: FileIds,
): Promise<boolean> {
  const assistants = assistantRepository(trx);
  await assistants.lock(userId);
  const rows = importedAssistantRepository(trx);
  const versions = readVersions(imported, here);
  const last = versions.at(-1);
  if (!last || (await rows.idOf(userId, imported.sourceId)) !== null) return false;
  const { settings, files, programFields } = last.state;
  const name = await freeName(trx, userId, settings.name);
  const isFirst = (await assistants.newestId(userId)) === undefined;
  const given = providerIdOf(imported.openaiAssistantId);
  const isImported = given !== null && (await assistants.importedFrom(userId, [given])).size > 0;
  const [stored] = await assistants.insert(userId, [
    {
      ...{ ...settings, name, isDefault: isFirst, openaiAssistantId: isImported ? null : given },
      createdAt: imported.createdAt ?? last.at,
    },
  ]);
  if (!stored) throw new Error('The database returned no row for an imported assistant');
  const { id } = stored;
  const { sourceId } = imported;
  await rows.mark(userId, id, { importId, sourceId, version: last.number, updatedAt: imported.updatedAt ?? last.at });
  if (programFields) await apiFieldsRepository(trx).put(userId, id, programFields);
  for (const version of versions) await versionRepository(trx).insert(userId, [{ assistantId: id, ...version }]);
  if (files.length > 0) {
    const held = await knowledgeRepository(trx).hold(
      userId,
      files.map(({ fileId }) => fileId),
    );
    await setFiles(trx, userId, id, held);
  }
  if (imported.isDefault && (await rows.isDefaultOf(userId, importId))) await assistants.setDefault(userId, id);
  return true;
}

/** Assistants that imports bring. */
export const importedAssistants = {
  store,
  /** The assistant that an import has brought; null: none, or it was deleted. */
  idOf: (trx: Kysely<Database>, userId: number, sourceId: string): Promise<number | null> =>
    importedAssistantRepository(trx).idOf(userId, sourceId),
  /** Deletes one that nobody has changed or used here. Returns true if there may be more. Call in a transaction. */
  async removeOne(trx: Kysely<Database>, userId: number, importId: number): Promise<boolean> {
    const assistants = assistantRepository(trx);
    await assistants.lock(userId);
    const id = await importedAssistantRepository(trx).untouched(userId, importId);
    return id !== undefined && deleteAssistant(assistants, trx, userId, id);
  },
};
