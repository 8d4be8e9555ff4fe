import { type Kysely, sql } from 'kysely';
import { isPostgres } from '#server/db/engine';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';

/** Consecutive events of a run as frames. */
export type EventBatch = { runId: number; first: number; last: number; frames: string };

/**
 * All batches in one parameter, so that the statement is the same for any number of runs: building one with four
 * parameters per batch took longer than storing them. A batch whose confirmation was lost is sent again with later
 * events.
 */
const insertEvents = {
  sqlite: prepared(
    (_db, at: Params<{ batches: string }>) => sql`insert into run_events (run_id, first_event, last_event, events)
      select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${at('batches')}) where true
      on conflict (run_id, first_event) do update set last_event = excluded.last_event, events = excluded.events
      where excluded.last_event > run_events.last_event`,
  ),
  postgres: prepared(
    (_db, at: Params<{ batches: string }>) => sql`insert into run_events (run_id, first_event, last_event, events)
      select (value ->> 0)::integer, (value ->> 1)::integer, (value ->> 2)::integer, value ->> 3
      from json_array_elements(${at('batches')}::json) as batches (value)
      on conflict (run_id, first_event) do update set last_event = excluded.last_event, events = excluded.events
      where excluded.last_event > run_events.last_event`,
  ),
};

/** The events of active runs. When a run ends, they are folded into its row. */
export function eventRepository(db: Kysely<Database>) {
  return {
    /** One commit for the events of all runs. `started` lists the runs whose first events these are. */
    async store(started: number[], batches: EventBatch[]) {
      const rows = batches.map(({ runId, first, last, frames }) => [runId, first, last, frames]);
      const values = { batches: JSON.stringify(rows) };
      const insertion = isPostgres(db) ? insertEvents.postgres : insertEvents.sqlite;
      if (started.length === 0) return void (await insertion.changed(db, values));
      await db.transaction().execute(async (trx) => {
        const toRunning = trx.updateTable('runs').set({ state: 'running' });
        await toRunning.where('id', 'in', started).where('state', '=', 'queued').execute();
        await insertion.changed(trx, values);
      });
    },
    /** Number of the last stored event; 0: none. */
    async lastNumber(runId: number): Promise<number> {
      const row = await db
        .selectFrom('run_events')
        .select((eb) => eb.fn.max('last_event').as('last'))
        .where('run_id', '=', runId)
        .executeTakeFirst();
      return row?.last ?? 0;
    },
    async after(runId: number, after: number): Promise<EventBatch[]> {
      const rows = await db
        .selectFrom('run_events')
        .selectAll()
        .where('run_id', '=', runId)
        .where('last_event', '>', after)
        .orderBy('first_event')
        .execute();
      return rows.map((row) => ({
        runId: row.run_id,
        first: row.first_event,
        last: row.last_event,
        frames: row.events,
      }));
    },
  };
}

export type EventRepository = ReturnType<typeof eventRepository>;
