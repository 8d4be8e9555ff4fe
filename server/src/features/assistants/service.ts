import {
  type Assistant,
  type AssistantChanges,
  type AssistantDraft,
  type AssistantExport,
  AssistantSettings,
  type assistants as api,
  instructionsLimit,
  type NewAssistant,
  nameLimit,
} from '@roster/contracts/assistants/assistants';
import { parseModelReference } from '@roster/contracts/models/model-reference';
import { codePointLength } from '@roster/contracts/text/length';
import { tidyName } from '@roster/contracts/text/name';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import type { ModelService } from '#server/features/models/service';
import { toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import { connectionRepository } from '#server/provider/connections/connection-repository';
import type { Actor } from '#server/security/actor';
import { giveParts } from './give-parts.ts';
import { releaseStore } from './knowledge/queue.ts';
import { knowledgeRepository } from './knowledge/repository.ts';
import { setFiles } from './knowledge/set-files.ts';
import type { NamedConnection } from './parse-import.ts';
import { type ApiFields, apiFieldsRepository } from './shared/api-fields-repository.ts';
import { type AssistantRepository, assistantRepository } from './shared/repository.ts';
import type { VersionRecorder } from './versions/recorder.ts';
import { loadState, type ToolSelectionsIn } from './versions/state.ts';

export type ModelCheck = Pick<ModelService, 'usable'>;
type Dependencies = {
  database: Pick<OpenDatabase, 'db' | 'reader'>;
  models: ModelCheck;
  choicesIn: ToolSelectionsIn;
  versions: VersionRecorder;
};

const notFound = () => new AppError('not_found', 'Assistant not found.');

function refuse(field: keyof AssistantDraft, message: string): AppError {
  return new AppError('invalid_input', message, { fields: { [field]: message } });
}

/** Imported instructions may exceed the form’s limit: they may stay or shrink, but not grow unless that is wanted. */
function checkInstructions({ instructions: wanted, longInstructions }: AssistantChanges, stored: string) {
  if (wanted === undefined || longInstructions) return;
  const length = codePointLength(wanted);
  if (length <= instructionsLimit || wanted === stored) return;
  if (length > codePointLength(stored))
    throw refuse('instructions', `Instructions cannot exceed ${instructionsLimit} characters`);
}

/** Runs `work` while this user’s assistants are locked. */
export const withAssistantsLocked = <T>(
  db: Kysely<Database>,
  userId: number,
  work: (assistants: AssistantRepository, trx: Kysely<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    const assistants = assistantRepository(trx);
    await assistants.lock(userId);
    return work(assistants, trx);
  });

export async function checkModel(
  models: ModelCheck,
  userId: number,
  model: string,
  field: 'model' | 'fallbackModel' = 'model',
) {
  const problem = (await models.usable(userId, [model]))?.problemOf(model);
  if (problem) throw refuse(field, problem);
}

type ModelFields = Pick<AssistantChanges, 'model' | 'fallbackModel'>;

/** Checks the models that a change names. One that was stored before may be gone by now. */
async function checkModels(models: ModelCheck, userId: number, named: ModelFields, stored: ModelFields = {}) {
  for (const field of ['model', 'fallbackModel'] as const) {
    const model = named[field];
    if (model && model !== stored[field]) await checkModel(models, userId, model, field);
  }
}

async function find(assistants: Pick<AssistantRepository, 'find'>, userId: number, id: number): Promise<Assistant> {
  const assistant = await assistants.find(userId, id);
  if (!assistant) throw notFound();
  return assistant;
}

/** Stores a new assistant, as the default if it is the first. */
export async function insertAssistant(
  assistants: AssistantRepository,
  userId: number,
  settings: AssistantSettings,
): Promise<Assistant> {
  const isDefault = (await assistants.newestId(userId)) === undefined;
  const [created] = await assistants.insert(userId, [{ ...settings, isDefault, openaiAssistantId: null }]);
  if (!created) throw new Error('The database returned no row for a new assistant');
  return created;
}

async function create(
  { database, models, choicesIn, versions }: Dependencies,
  { userId, recheckAccess }: Actor,
  { fileIds = [], chosenTools = [], longInstructions: _, ...draft }: NewAssistant,
) {
  await checkModels(models, userId, draft);
  return withAssistantsLocked(database.db, userId, async (assistants, trx) => {
    await recheckAccess(trx);
    const created = await insertAssistant(assistants, userId, draft);
    if (fileIds.length === 0 && chosenTools.length === 0) {
      await versions.begin(trx, userId, { kind: 'person' }, [{ assistant: created }]);
      return created;
    }
    await giveParts(trx, choicesIn, { userId, assistantId: created.id }, { fileIds, chosenTools });
    await versions.beginWith(trx, userId, { kind: 'person' }, created.id);
    return find(assistants, userId, created.id);
  });
}

const copiedName = (name: string) => tidyName(Array.from(`Copy of ${name}`).slice(0, nameLimit).join(''));

async function duplicate(
  { database, choicesIn, versions }: Dependencies,
  { userId, recheckAccess }: Actor,
  id: number,
): Promise<Assistant> {
  return withAssistantsLocked(database.db, userId, async (assistants, trx) => {
    await recheckAccess(trx);
    const copied = await loadState(trx, choicesIn, userId, id);
    if (!copied) throw notFound();
    const { settings, files, chosenTools, programFields } = copied.state;
    const name = copiedName(settings.name);
    const created = await insertAssistant(assistants, userId, { ...settings, name });
    const fileIds = files.map(({ fileId }) => fileId);
    if (fileIds.length > 0)
      await setFiles(trx, userId, created.id, await knowledgeRepository(trx).hold(userId, fileIds));
    await choicesIn(trx).replace(userId, created.id, chosenTools);
    if (programFields) await apiFieldsRepository(trx).put(userId, created.id, programFields);
    await versions.beginWith(trx, userId, { kind: 'duplicate', name: settings.name }, created.id);
    return find(assistants, userId, created.id);
  });
}

const versionConflict = ({ version: now }: Assistant, version: number) =>
  new AppError(
    'conflict',
    `The assistant has changed: you edited version ${version}, and it is now at version ${now}. Nothing was saved.`,
  );

async function update(
  { database: { db }, models, versions }: Dependencies,
  { userId, recheckAccess }: Actor,
  id: number,
  changes: AssistantChanges,
  version?: number,
): Promise<Assistant> {
  const before = await find(assistantRepository(db), userId, id);
  await checkModels(models, userId, changes, before);
  return withAssistantsLocked(db, userId, async (assistants, trx) => {
    await recheckAccess(trx);
    const stored = await find(assistants, userId, id);
    if (version !== undefined && stored.version !== version) throw versionConflict(stored, version);
    checkInstructions(changes, stored.instructions);
    await versions.record(trx, { userId, assistantId: id, origin: { kind: 'person' } }, () =>
      assistants.update(userId, id, AssistantSettings.parse({ ...stored, ...changes })),
    );
    return find(assistants, userId, id);
  });
}

/**
 * Also releases its vector store and files. If it was the default, the newest remaining one becomes the default. false:
 * the user has no such assistant.
 */
export async function deleteAssistant(
  assistants: AssistantRepository,
  trx: Kysely<Database>,
  userId: number,
  id: number,
) {
  await knowledgeRepository(trx).forgetUses(userId, id);
  await releaseStore(trx, userId, id);
  const removed = await assistants.delete(userId, id);
  if (!removed) return false;
  const successor = removed.wasDefault ? await assistants.newestId(userId) : undefined;
  if (successor !== undefined) await assistants.setDefault(userId, successor);
  return true;
}

const remove = ({ database }: Dependencies, userId: number, id: number) =>
  withAssistantsLocked(database.db, userId, async (assistants, trx) => {
    if (!(await deleteAssistant(assistants, trx, userId, id))) throw notFound();
  });

/** The assistants of each user. While there are any, exactly one is the default. */
export function assistantService(dependencies: Dependencies) {
  const { db, reader } = dependencies.database;
  const assistants = assistantRepository(db);

  return {
    async list(userId: number, { limit, cursor }: z.output<typeof api.list.query>) {
      const rows = await assistants.page(userId, limit + 1, cursor);
      return toPage(rows, limit, ({ id }) => String(id));
    },

    create: (actor: Actor, draft: NewAssistant) => create(dependencies, actor, draft),
    update: (actor: Actor, id: number, changes: AssistantChanges) => update(dependencies, actor, id, changes),
    /**
     * Saves only if this is still the current version.
     * @throws conflict
     */
    updateVersion: (actor: Actor, id: number, version: number, changes: AssistantChanges) =>
      update(dependencies, actor, id, changes, version),
    /** @throws if these changes could not be saved */
    async checkChanges(userId: number, stored: Assistant, changes: AssistantChanges) {
      await checkModels(dependencies.models, userId, changes, stored);
      checkInstructions(changes, stored.instructions);
    },
    duplicate: (actor: Actor, id: number) => duplicate(dependencies, actor, id),
    remove: (userId: number, id: number) => remove(dependencies, userId, id),

    setDefault: (userId: number, id: number): Promise<Assistant> =>
      withAssistantsLocked(db, userId, async (inTransaction) => {
        await find(inTransaction, userId, id);
        return inTransaction.setDefault(userId, id);
      }),

    async exportOne(userId: number, id: number): Promise<AssistantExport> {
      return toExport([await find(assistants, userId, id)], await exportExtras(db, userId, [id]));
    },

    /** Uses the read connection, since all of them can be megabytes. */
    async exportAll(userId: number): Promise<AssistantExport> {
      const all = await assistantRepository(reader).all(userId);
      return toExport(
        all,
        await exportExtras(
          reader,
          userId,
          all.map(({ id }) => id),
        ),
      );
    },
  };
}

export type AssistantService = ReturnType<typeof assistantService>;

type ExportExtras = {
  names: ReadonlyMap<number, string[]>;
  api: ReadonlyMap<number, ApiFields>;
  connections: ReadonlyMap<number, NamedConnection>;
};

export const exportExtras = async (db: Kysely<Database>, userId: number, ids: number[]): Promise<ExportExtras> => ({
  names: await knowledgeRepository(db).namesOf(userId, ids),
  api: await apiFieldsRepository(db).of(userId, ids),
  connections: new Map(
    (await connectionRepository(db).listUsable(userId)).map(({ id, preset, name }) => [id, { preset, name }]),
  ),
});

/** The id of a connection means nothing elsewhere. */
function exportedModel(reference: string, connections: ExportExtras['connections']) {
  const { connectionId, model } = parseModelReference(reference);
  return { model, connection: connectionId === null ? undefined : connections.get(connectionId) };
}

export const toExport = (
  list: Assistant[],
  { names, api, connections }: ExportExtras = { names: new Map(), api: new Map(), connections: new Map() },
): AssistantExport => ({
  format: 'roster.assistants',
  version: 1,
  exportedAt: new Date().toISOString(),
  assistants: list.map((assistant) => {
    const fields = api.get(assistant.id);
    const { model, connection } = exportedModel(assistant.model, connections);
    const fallback = assistant.fallbackModel === null ? null : exportedModel(assistant.fallbackModel, connections);
    return {
      ...AssistantSettings.parse(assistant),
      model,
      ...(connection && { connection }),
      fallbackModel: fallback?.model ?? null,
      ...(fallback?.connection && { fallbackConnection: fallback.connection }),
      openaiAssistantId: assistant.openaiAssistantId,
      files: names.get(assistant.id) ?? [],
      ...(fields && { api: fields }),
    };
  }),
});
