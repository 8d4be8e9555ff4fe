import type { AssistantSettings } from '@roster/contracts/assistants/assistants';
import {
  type ModelMigration,
  migrationLimit,
  type UnchangedAssistant,
} from '@roster/contracts/assistants/model-migrations';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '#server/db/schema';

/** Assistants named in a finished migration. */
const migrationNamesLimit = 5;

type Effort = AssistantSettings['reasoningEffort'];
export type MigratableAssistant = UnchangedAssistant & { temperature: number; reasoningEffort: Effort };
type NewMigration = Pick<
  ModelMigration,
  'fromModel' | 'toModel' | 'moved' | 'withoutTemperature' | 'withoutEffort' | 'createdAt'
>;
type MigratedAssistant = { assistantId: number; before: number; after: number; droppedEffort: Effort };

const movableColumns = ['id', 'name', 'model', 'temperature', 'reasoning_effort as reasoningEffort'] as const;

const toMove = (row: Selectable<Database['assistant_moves']>): Omit<ModelMigration, 'assistants'> => ({
  id: row.id,
  fromModel: row.from_model,
  toModel: row.to_model,
  moved: row.moved,
  withoutTemperature: row.without_temperature,
  withoutEffort: row.without_effort,
  createdAt: row.created_at,
  undoneAt: row.undone_at,
});

/** Migrations of assistants to other models, and the assistants they affect. */
export function modelMigrationRepository(db: Kysely<Database>) {
  async function namesOf(userId: number, moveIds: number[]): Promise<Map<number, { id: number; name: string }[]>> {
    if (moveIds.length === 0) return new Map();
    const ranked = db
      .selectFrom('moved_assistants')
      .innerJoin('assistants', 'assistants.id', 'moved_assistants.assistant_id')
      .select(['moved_assistants.move_id', 'assistants.id', 'assistants.name'])
      .select(sql<number>`row_number() over (partition by move_id order by assistant_id desc)`.as('place'))
      .where('moved_assistants.user_id', '=', userId)
      .where('moved_assistants.move_id', 'in', moveIds);
    const rows = await db
      .selectFrom(ranked.as('ranked'))
      .select(['move_id', 'id', 'name'])
      .where('place', '<=', migrationNamesLimit)
      .orderBy('id', 'desc')
      .execute();
    const of = new Map<number, { id: number; name: string }[]>();
    for (const { move_id: moveId, id, name } of rows) of.set(moveId, [...(of.get(moveId) ?? []), { id, name }]);
    return of;
  }

  async function withNames(userId: number, rows: Selectable<Database['assistant_moves']>[]): Promise<ModelMigration[]> {
    const names = await namesOf(
      userId,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...toMove(row), assistants: names.get(row.id) ?? [] }));
  }

  return {
    /** Assistants that use a model, newest first. */
    using: (userId: number, model: string): Promise<MigratableAssistant[]> =>
      db
        .selectFrom('assistants')
        .select(movableColumns)
        .where('user_id', '=', userId)
        .where('model', '=', model)
        .orderBy('id', 'desc')
        .limit(migrationLimit)
        .execute(),
    async countUsing(userId: number, model: string): Promise<number> {
      const { count } = await db
        .selectFrom('assistants')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .where('model', '=', model)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    named: (userId: number, ids: number[]): Promise<MigratableAssistant[]> =>
      db
        .selectFrom('assistants')
        .select(movableColumns)
        .where('user_id', '=', userId)
        .where('id', 'in', ids)
        .orderBy('id', 'desc')
        .execute(),
    async insert(userId: number, move: NewMigration): Promise<number> {
      const { id } = await db
        .insertInto('assistant_moves')
        .values({
          user_id: userId,
          from_model: move.fromModel,
          to_model: move.toModel,
          moved: move.moved,
          without_temperature: move.withoutTemperature,
          without_effort: move.withoutEffort,
          created_at: move.createdAt,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async insertMoved(userId: number, moveId: number, moved: MigratedAssistant[]) {
      await db
        .insertInto('moved_assistants')
        .values(
          moved.map(({ assistantId, before, after, droppedEffort }) => ({
            move_id: moveId,
            assistant_id: assistantId,
            user_id: userId,
            version_before: before,
            version_after: after,
            dropped_effort: droppedEffort,
          })),
        )
        .execute();
    },
    async find(userId: number, id: number): Promise<ModelMigration | undefined> {
      const rows = await db
        .selectFrom('assistant_moves')
        .selectAll()
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
      return (await withNames(userId, rows))[0];
    },
    /** Newest first, with ids below `before`. */
    async page(userId: number, limit: number, before: number | undefined): Promise<ModelMigration[]> {
      const newestFirst = db
        .selectFrom('assistant_moves')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('id', 'desc')
        .limit(limit);
      const rows = await (before === undefined ? newestFirst : newestFirst.where('id', '<', before)).execute();
      return withNames(userId, rows);
    },
    /** The assistants of a migration as they are now, with the effort that it removed. */
    moved: (userId: number, moveId: number): Promise<(MigratableAssistant & { droppedEffort: Effort })[]> =>
      db
        .selectFrom('moved_assistants')
        .innerJoin('assistants', 'assistants.id', 'moved_assistants.assistant_id')
        .select([
          'assistants.id',
          'assistants.name',
          'assistants.model',
          'assistants.temperature',
          'assistants.reasoning_effort as reasoningEffort',
          'moved_assistants.dropped_effort as droppedEffort',
        ])
        .where('moved_assistants.user_id', '=', userId)
        .where('moved_assistants.move_id', '=', moveId)
        .orderBy('assistants.id', 'desc')
        .execute(),
    /** Each of the assistants got its model back with its current version. */
    async setUndone(userId: number, moveId: number, ids: number[], at: string) {
      await db
        .updateTable('moved_assistants')
        .set({
          version_undone: sql<number>`(select version from assistants where assistants.id = moved_assistants.assistant_id)`,
        })
        .where('user_id', '=', userId)
        .where('move_id', '=', moveId)
        .where('assistant_id', 'in', ids)
        .execute();
      await db
        .updateTable('assistant_moves')
        .set({ undone_at: at })
        .where('user_id', '=', userId)
        .where('id', '=', moveId)
        .execute();
    },
  };
}
