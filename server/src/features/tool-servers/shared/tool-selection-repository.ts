import type { ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { isWithinReach, mayRun } from './repository.ts';

/** Tools with these names on these servers, also some that are not among the choices: another server's of that name. */
const named = (db: Kysely<Database>, choices: readonly ToolChoice[]) =>
  db
    .selectFrom('tool_servers')
    .innerJoin('tool_server_tools as tools', 'tools.server_id', 'tool_servers.id')
    .where(
      'tool_servers.id',
      'in',
      choices.map(({ serverId }) => serverId),
    )
    .where(
      'tools.name',
      'in',
      choices.map(({ name }) => name),
    );

/** Tools that an assistant may use, and what is known of them now. */
export function toolSelectionRepository(db: Kysely<Database>) {
  return {
    async ownsAssistant(userId: number, assistantId: number): Promise<boolean> {
      const row = await db
        .selectFrom('assistants')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '=', assistantId)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** With what their servers have now; the tool's columns are null if the tool no longer exists. */
    chosen: (userId: number, assistantId: number) =>
      db
        .selectFrom('assistant_tool_choices as choices')
        .innerJoin('tool_servers', 'tool_servers.id', 'choices.server_id')
        .leftJoin('tool_server_tools as tools', (join) =>
          join.onRef('tools.server_id', '=', 'choices.server_id').onRef('tools.name', '=', 'choices.name'),
        )
        .select([
          'choices.server_id',
          'choices.name',
          'choices.approval',
          'choices.digest',
          'tool_servers.name as server_name',
          'tool_servers.is_on',
          'tools.title',
          'tools.digest as present_digest',
        ])
        .select((eb) => isWithinReach(userId)(eb).as('is_within_reach'))
        .where('choices.user_id', '=', userId)
        .where('choices.assistant_id', '=', assistantId)
        .orderBy('choices.position')
        .execute(),
    /** Which of these tools exist on servers within the user's reach. */
    present: (userId: number, choices: ToolChoice[]) =>
      named(db, choices)
        .select(['tools.server_id', 'tools.name', 'tools.digest'])
        .where(isWithinReach(userId))
        .execute(),
    async replace(userId: number, assistantId: number, choices: ToolChoice[]) {
      await db
        .deleteFrom('assistant_tool_choices')
        .where('user_id', '=', userId)
        .where('assistant_id', '=', assistantId)
        .execute();
      if (choices.length === 0) return;
      await db
        .insertInto('assistant_tool_choices')
        .values(
          choices.map(({ serverId, name, approval, digest }, position) => ({
            assistant_id: assistantId,
            server_id: serverId,
            name,
            user_id: userId,
            position,
            approval,
            digest,
          })),
        )
        .execute();
    },
    /** Tools of several assistants, as they were chosen. */
    chosenBySome: (userId: number, assistantIds: number[]) =>
      db
        .selectFrom('assistant_tool_choices as choices')
        .innerJoin('tool_servers', 'tool_servers.id', 'choices.server_id')
        .select([
          'choices.assistant_id',
          'choices.server_id',
          'choices.name',
          'choices.approval',
          'choices.digest',
          'tool_servers.name as server_name',
        ])
        .select((eb) => isWithinReach(userId)(eb).as('is_within_reach'))
        .where('choices.user_id', '=', userId)
        .where('choices.assistant_id', 'in', assistantIds)
        .orderBy('choices.assistant_id')
        .orderBy('choices.position')
        .execute(),
    /** Tools of all the user's assistants, with the assistants' names. */
    ofOwner: (userId: number) =>
      db
        .selectFrom('assistant_tool_choices as choices')
        .innerJoin('assistants', 'assistants.id', 'choices.assistant_id')
        .innerJoin('tool_servers', 'tool_servers.id', 'choices.server_id')
        .select([
          'assistants.name as assistant',
          'tool_servers.name as server',
          'choices.name as tool',
          'choices.approval',
        ])
        .where('choices.user_id', '=', userId)
        .orderBy('choices.assistant_id')
        .orderBy('choices.position')
        .execute(),
    /** Tools to offer to a model: chosen ones that exist, on servers that are on and within reach. */
    offered: (userId: number, assistantId: number, limit: number) =>
      db
        .selectFrom('assistant_tool_choices as choices')
        .innerJoin('tool_servers', 'tool_servers.id', 'choices.server_id')
        .innerJoin('tool_server_tools as tools', (join) =>
          join.onRef('tools.server_id', '=', 'choices.server_id').onRef('tools.name', '=', 'choices.name'),
        )
        .select([
          'choices.server_id',
          'choices.name',
          'choices.approval',
          'choices.digest as chosen_digest',
          'tool_servers.name as server_name',
          'tools.title',
          'tools.description',
          'tools.input_schema',
          'tools.model_schema',
          'tools.digest',
          'tools.may_repeat',
        ])
        .where('choices.user_id', '=', userId)
        .where('choices.assistant_id', '=', assistantId)
        .where('tool_servers.is_on', '=', 1)
        .where(isWithinReach(userId))
        .where(mayRun)
        .orderBy('choices.position')
        .limit(limit)
        .execute(),
    /** The same tools for choices that are not stored, in their order. */
    async offeredOf(userId: number, choices: readonly ToolChoice[]) {
      const rows = await named(db, choices)
        .select([
          'tools.server_id',
          'tools.name',
          'tool_servers.name as server_name',
          'tools.title',
          'tools.description',
          'tools.input_schema',
          'tools.model_schema',
          'tools.digest',
          'tools.may_repeat',
        ])
        .where('tool_servers.is_on', '=', 1)
        .where(isWithinReach(userId))
        .where(mayRun)
        .execute();
      const found = new Map(rows.map((row) => [`${row.server_id} ${row.name}`, row]));
      return choices.flatMap(({ serverId, name, approval, digest }) => {
        const row = found.get(`${serverId} ${name}`);
        return row ? [{ ...row, approval, chosen_digest: digest }] : [];
      });
    },
    /** A tool that is about to be called, with how to reach its server. */
    callable: (userId: number, serverId: number, name: string) =>
      db
        .selectFrom('tool_servers')
        .innerJoin('tool_server_tools as tools', 'tools.server_id', 'tool_servers.id')
        .leftJoin('data_keys', 'data_keys.user_id', 'tool_servers.user_id')
        .selectAll('tool_servers')
        .select(['tools.digest', 'tools.operation', 'tools.input_schema', 'tools.model_schema', 'data_keys.wrapped'])
        .where('tool_servers.id', '=', serverId)
        .where('tool_servers.is_on', '=', 1)
        .where('tools.name', '=', name)
        .where(isWithinReach(userId))
        .where(mayRun)
        .executeTakeFirst(),
    dataKey: async (userId: number): Promise<string | null> => {
      const row = await db.selectFrom('data_keys').select('wrapped').where('user_id', '=', userId).executeTakeFirst();
      return row?.wrapped ?? null;
    },
  };
}
