import {
  type modelMigrations as api,
  type CompletedMigration,
  type MigrationPlan,
  type ModelMigration,
  migrationLimit,
  type UndoneMigration,
  type UnsupportedSetting,
} from '@roster/contracts/assistants/model-migrations';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { lockUser } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import type { VersionRecorder } from '#server/features/assistants/versions/recorder';
import type { ModelService } from '#server/features/models/service';
import type { LastUsed } from '#server/features/usage/last-used';
import { toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Actor } from '#server/security/actor';
import { type MigratableAssistant, modelMigrationRepository } from './repository.ts';
import { unsupportedSettings } from './unsupported-settings.ts';

const migrationPreviewLimit = 200;

type Dependencies = {
  db: Kysely<Database>;
  catalogue: Pick<Catalogue, 'parameters'>;
  models: Pick<ModelService, 'usable'>;
  versions: Pick<VersionRecorder, 'recordModels'>;
  recentUse: Pick<LastUsed, 'of'>;
  now: () => number;
};
type MigrationRequest = z.output<typeof api.move.body>;

const notFound = () => new AppError('not_found', 'Assistant not found.');
const noMove = () => new AppError('not_found', 'Migration not found.');
const conflict = (message: string) => new AppError('conflict', message);

function checkOther({ fromModel, toModel }: Pick<MigrationRequest, 'fromModel' | 'toModel'>) {
  if (fromModel !== toModel) return;
  const message = 'Choose a different model from the one the assistants use';
  throw new AppError('invalid_input', message, { fields: { toModel: message } });
}

async function checkUsable(models: Pick<ModelService, 'usable'>, userId: number, model: string) {
  const message = (await models.usable(userId, [model]))?.problemOf(model);
  if (!message) return;
  throw new AppError('invalid_input', message, { fields: { toModel: message } });
}

const countOf = (lists: UnsupportedSetting[][], parameter: UnsupportedSetting) =>
  lists.filter((list) => list.includes(parameter)).length;
const counted = (lists: UnsupportedSetting[][]) => ({
  withoutTemperature: countOf(lists, 'temperature'),
  withoutEffort: countOf(lists, 'reasoningEffort'),
});

const labelOf = ({ id, name }: MigratableAssistant) => ({ id, name });
const leftAloneOf = ({ id, name, model }: MigratableAssistant) => ({ id, name, model });

async function plan(
  dependencies: Dependencies,
  userId: number,
  { fromModel, toModel }: z.output<typeof api.plan.query>,
): Promise<MigrationPlan> {
  checkOther({ fromModel, toModel });
  const { db, recentUse, now } = dependencies;
  const moves = modelMigrationRepository(db);
  const found = await moves.using(userId, fromModel);
  const lists = found.map(unsupportedSettings(dependencies.catalogue, toModel));
  const usage = await recentUse.of(userId, { model: fromModel, successor: toModel }, now());
  return {
    count: found.length < migrationLimit ? found.length : await moves.countUsing(userId, fromModel),
    assistants: found
      .slice(0, migrationPreviewLimit)
      .map((assistant, place) => ({ ...labelOf(assistant), notTaken: lists[place] ?? [] })),
    ...counted(lists),
    usage,
  };
}

/** The assistants to migrate, and the chosen ones that use another model. */
async function chosen(trx: Kysely<Database>, userId: number, { fromModel, assistantIds }: MigrationRequest) {
  const moves = modelMigrationRepository(trx);
  if (assistantIds === undefined) return { moving: await moves.using(userId, fromModel), others: [] };
  const ids = [...new Set(assistantIds)];
  const found = await moves.named(userId, ids);
  if (found.length < ids.length) throw notFound();
  return {
    moving: found.filter(({ model }) => model === fromModel),
    others: found.filter(({ model }) => model !== fromModel),
  };
}

async function move(
  dependencies: Dependencies,
  { userId, recheckAccess }: Actor,
  wanted: MigrationRequest,
): Promise<CompletedMigration> {
  const { db, models, versions } = dependencies;
  const { fromModel, toModel } = wanted;
  checkOther(wanted);
  await checkUsable(models, userId, toModel);
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUser(trx, userId);
    const { moving, others } = await chosen(trx, userId, wanted);
    if (moving.length === 0) throw conflict(`None of the selected assistants still uses ${modelIdOf(fromModel)}.`);
    const notTaken = unsupportedSettings(dependencies.catalogue, toModel);
    const lists = moving.map(notTaken);
    const isDropped = (_: MigratableAssistant, place: number) => lists[place]?.includes('reasoningEffort') ?? false;
    const dropped = new Map(moving.filter(isDropped).map(({ id, reasoningEffort }) => [id, reasoningEffort]));
    const origin = { kind: 'move' as const, name: toModel };
    const numbers = await versions.recordModels(
      trx,
      { userId, origin },
      new Map(moving.map(({ id }) => [id, { model: toModel, ...(dropped.has(id) && { reasoningEffort: null }) }])),
    );
    const moves = modelMigrationRepository(trx);
    const createdAt = new Date().toISOString();
    const id = await moves.insert(userId, {
      ...{ fromModel, toModel, createdAt, moved: moving.length },
      ...counted(lists),
    });
    await moves.insertMoved(
      userId,
      id,
      [...numbers].map(([assistantId, made]) => ({
        ...{ assistantId, ...made },
        droppedEffort: dropped.get(assistantId) ?? null,
      })),
    );
    const done = await moves.find(userId, id);
    if (!done) throw new Error('A migration that was just stored is missing');
    return { ...done, leftAlone: others.map(leftAloneOf), remaining: await moves.countUsing(userId, fromModel) };
  });
}

async function foundMove(db: Kysely<Database>, userId: number, id: number): Promise<ModelMigration> {
  const found = await modelMigrationRepository(db).find(userId, id);
  if (!found) throw noMove();
  if (found.undoneAt !== null) throw conflict('This migration has already been undone.');
  return found;
}

async function undo(
  { db, models, versions }: Dependencies,
  { userId, recheckAccess }: Actor,
  id: number,
): Promise<UndoneMigration> {
  const { fromModel } = await foundMove(db, userId, id);
  const usable = await models.usable(userId, [fromModel]);
  if (usable && !usable.has(fromModel))
    throw conflict(`Your API key no longer has access to ${modelIdOf(fromModel)}, so the assistants were not changed.`);
  return db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUser(trx, userId);
    const { toModel } = await foundMove(trx, userId, id);
    const moves = modelMigrationRepository(trx);
    const all = await moves.moved(userId, id);
    const still = all.filter(({ model }) => model === toModel);
    const changes = still.map(({ id: assistantId, reasoningEffort, droppedEffort }) => {
      const isAsLeft = droppedEffort !== null && reasoningEffort === null;
      return [assistantId, { model: fromModel, ...(isAsLeft && { reasoningEffort: droppedEffort }) }] as const;
    });
    await versions.recordModels(trx, { userId, origin: { kind: 'move_undone', name: toModel } }, new Map(changes));
    const ids = still.map(({ id: assistantId }) => assistantId);
    // If nothing is restored, it does not count as undone: once the models are changed back, it can be.
    if (ids.length > 0) await moves.setUndone(userId, id, ids, new Date().toISOString());
    const undone = await moves.find(userId, id);
    if (!undone) throw noMove();
    const leftAlone = all.filter(({ model }) => model !== toModel).map(leftAloneOf);
    return { ...undone, undone: ids.length, leftAlone };
  });
}

/** Migrates all or some assistants of a model to another one, and undoes that. */
export function modelMigrationService(dependencies: Dependencies) {
  const { db } = dependencies;
  return {
    plan: (userId: number, query: z.output<typeof api.plan.query>) => plan(dependencies, userId, query),
    move: (actor: Actor, wanted: MigrationRequest) => move(dependencies, actor, wanted),
    undo: (actor: Actor, id: number) => undo(dependencies, actor, id),
    async list(userId: number, { limit, cursor }: z.output<typeof api.list.query>) {
      const found = await modelMigrationRepository(db).page(userId, limit + 1, cursor);
      return toPage(found, limit, ({ id }) => String(id));
    },
  };
}

export type ModelMigrationService = ReturnType<typeof modelMigrationService>;
