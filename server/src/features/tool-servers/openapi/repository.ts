import type { DescribedOperation, Operations } from '@roster/contracts/tool-servers/openapi-servers';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';

const LeftOut = z.array(z.object({ operation: z.string(), reason: z.string() }));
type LeftOut = { leftOut: z.output<typeof LeftOut>; leftOutCount: number };
const Described = z.array(z.object({ operation: z.string(), summary: z.string(), tags: z.array(z.string()) }));
const Chosen = z.array(z.string());
type Look = LeftOut & { operations?: DescribedOperation[] };

const chosenIn = (text: string | null | undefined) => (text == null ? null : Chosen.parse(JSON.parse(text)));

/** Pasted OpenAPI descriptions, and what makes no tool on any server. */
export function descriptionRepository(db: Kysely<Database>) {
  return {
    async insert(userId: number, serverId: number, text: string | null) {
      await db
        .insertInto('tool_server_descriptions')
        .values({ server_id: serverId, user_id: userId, text, left_out: '[]', left_out_count: 0 })
        .execute();
    },
    async changeText(userId: number, serverId: number, text: string | null) {
      await db
        .updateTable('tool_server_descriptions')
        .set({ text })
        .where('user_id', '=', userId)
        .where('server_id', '=', serverId)
        .execute();
    },
    /** Returns null if there is none, or it was not pasted. */
    async text(userId: number, serverId: number): Promise<string | null> {
      const row = await db
        .selectFrom('tool_server_descriptions')
        .select('text')
        .where('user_id', '=', userId)
        .where('server_id', '=', serverId)
        .executeTakeFirst();
      return row?.text ?? null;
    },
    /** Servers whose descriptions were pasted. */
    async pasted(userId: number): Promise<number[]> {
      const rows = await db
        .selectFrom('tool_server_descriptions')
        .select('server_id')
        .where('user_id', '=', userId)
        .where('text', 'is not', null)
        .orderBy('server_id')
        .execute();
      return rows.map((row) => row.server_id);
    },
    /** For any server: one without a description gets its row when it is first asked. */
    async noteLeftOut(server: { id: number; user_id: number }, { leftOut, leftOutCount, operations }: Look) {
      const found = {
        left_out: JSON.stringify(leftOut),
        left_out_count: leftOutCount,
        ...(operations && { operations: JSON.stringify(operations) }),
      };
      await db
        .insertInto('tool_server_descriptions')
        .values({ server_id: server.id, user_id: server.user_id, text: null, ...found })
        .onConflict((conflict) =>
          conflict
            .column('server_id')
            .doUpdateSet(found)
            .where('tool_server_descriptions.user_id', '=', server.user_id),
        )
        .execute();
    },
    async operations(userId: number, serverId: number): Promise<Operations> {
      const row = await db
        .selectFrom('tool_server_descriptions')
        .select(['operations', 'chosen'])
        .where('user_id', '=', userId)
        .where('server_id', '=', serverId)
        .executeTakeFirst();
      const operations = row?.operations == null ? null : Described.parse(JSON.parse(row.operations));
      return { operations, chosen: chosenIn(row?.chosen) };
    },
    /** Operations that become tools; null for the first ones. */
    async chosen(userId: number, serverId: number): Promise<string[] | null> {
      const row = await db
        .selectFrom('tool_server_descriptions')
        .select('chosen')
        .where('user_id', '=', userId)
        .where('server_id', '=', serverId)
        .executeTakeFirst();
      return chosenIn(row?.chosen);
    },
    async choose(userId: number, serverId: number, chosen: readonly string[] | null) {
      await db
        .updateTable('tool_server_descriptions')
        .set({ chosen: chosen && JSON.stringify(chosen) })
        .where('user_id', '=', userId)
        .where('server_id', '=', serverId)
        .execute();
    },
    /** The user's choices, by server. */
    async choices(userId: number): Promise<Map<number, string[]>> {
      const rows = await db
        .selectFrom('tool_server_descriptions')
        .select(['server_id', 'chosen'])
        .where('user_id', '=', userId)
        .where('chosen', 'is not', null)
        .execute();
      return new Map(rows.map((row) => [row.server_id, chosenIn(row.chosen) ?? []]));
    },
    /** The caller has checked that the user may see the server. */
    async leftOut(serverId: number): Promise<LeftOut> {
      const row = await db
        .selectFrom('tool_server_descriptions')
        .select(['left_out', 'left_out_count'])
        .where('server_id', '=', serverId)
        .executeTakeFirst();
      if (!row) return { leftOut: [], leftOutCount: 0 };
      return { leftOut: LeftOut.parse(JSON.parse(row.left_out)), leftOutCount: row.left_out_count };
    },
  };
}
