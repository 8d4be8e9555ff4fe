import type { ServerSignIn, ToolServerState } from '@roster/contracts/tool-servers/tool-servers';
import { type ExpressionBuilder, type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import type { ToolSnapshot } from './tool-snapshot.ts';

type Row = Selectable<Database['tool_servers']>;
export type StoredServer = Row & { tools: number; sign_in: SignInState | null; sign_in_notice: string | null };
type SignInState = z.output<typeof ServerSignIn>;

/** A stored secret. */
type EncryptedAuth = { type: 'header' | 'query'; name: string; sealed: string; last4: string };
/** `sealed` of a sign-in: the client secret that was entered. */
export type StoredAuth =
  | { type: 'none' }
  | EncryptedAuth
  | { type: 'oauth'; name: string | null; sealed: string | null; last4: string | null };

export type ServerFields = Pick<Row, 'name' | 'kind' | 'url' | 'is_offered' | 'is_on'> &
  Partial<Pick<Row, 'description_url' | 'base_url'>>;

/** Result of asking a server. `url`: where the tools of a description are called. */
export type DiscoveryResult = {
  state: z.output<typeof ToolServerState>;
  notice: string | null;
  tools?: ToolSnapshot[];
  url?: string;
};

const authColumns = (auth: StoredAuth) =>
  auth.type === 'none'
    ? { auth_type: auth.type, auth_name: null, auth_sealed: null, auth_last4: null }
    : { auth_type: auth.type, auth_name: auth.name, auth_sealed: auth.sealed, auth_last4: auth.last4 };

const toolCount =
  sql<number>`(select count(*) from tool_server_tools where tool_server_tools.server_id = tool_servers.id)`.as('tools');

/** The user's sign-in at the server, and the reason if it failed. */
const signInOf = (userId: number) => {
  const column = <Value>(value: RawBuilder<Value>) =>
    sql<Value | null>`(select ${value} from tool_server_sign_ins as signed
      where signed.server_id = tool_servers.id and signed.user_id = ${userId})`;
  const state = sql<SignInState>`case when signed.tokens_sealed is not null then 'done'
    when signed.signed_in_at is not null then 'again' else 'needed' end`;
  return [column(state).as('sign_in'), column(sql<string>`signed.notice`).as('sign_in_notice')] as const;
};

/** The user's own servers, and those offered by an active administrator. */
export const isWithinReach =
  (userId: number) =>
  ({ and, or, eb, exists, selectFrom }: ExpressionBuilder<Database, 'tool_servers'>) =>
    or([
      eb('tool_servers.user_id', '=', userId),
      and([
        eb('tool_servers.is_offered', '=', 1),
        exists(
          selectFrom('users')
            .select('users.id')
            .whereRef('users.id', '=', 'tool_servers.user_id')
            .where('users.role', '=', 'Admin')
            .where('users.status', '=', 'Active'),
        ),
      ]),
    ]);

/** A command may run while the user who added it is an active administrator. */
export const mayRun = ({ or, eb, exists, selectFrom }: ExpressionBuilder<Database, 'tool_servers'>) =>
  or([
    eb('tool_servers.kind', '!=', 'command'),
    exists(
      selectFrom('users')
        .select('users.id')
        .whereRef('users.id', '=', 'tool_servers.user_id')
        .where('users.role', '=', 'Admin')
        .where('users.status', '=', 'Active'),
    ),
  ]);

/** Limits lists that have no natural end: administrators may come and go. */
const maxListed = 200;
const maxNamed = 20;
const rowsAtOnce = 50;

export function toolServerRepository(db: Kysely<Database>) {
  const own = (userId: number, id: number) =>
    db
      .selectFrom('tool_servers')
      .selectAll()
      .select(toolCount)
      .select(signInOf(userId))
      .where('user_id', '=', userId)
      .where('id', '=', id);

  return {
    async reachable(userId: number): Promise<StoredServer[]> {
      return db
        .selectFrom('tool_servers')
        .selectAll()
        .select(toolCount)
        .select(signInOf(userId))
        .where(isWithinReach(userId))
        .orderBy('id', 'desc')
        .limit(maxListed)
        .execute();
    },
    own: (userId: number, id: number): Promise<StoredServer | undefined> => own(userId, id).executeTakeFirst(),
    find: (userId: number, id: number): Promise<StoredServer | undefined> =>
      db
        .selectFrom('tool_servers')
        .selectAll()
        .select(toolCount)
        .select(signInOf(userId))
        .where('id', '=', id)
        .where(isWithinReach(userId))
        .executeTakeFirst(),
    /** True if its owner's state allows asking it. */
    async mayRun(userId: number, id: number): Promise<boolean> {
      const row = await db
        .selectFrom('tool_servers')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where(mayRun)
        .executeTakeFirst();
      return row !== undefined;
    },
    ofOwner: (userId: number): Promise<Row[]> =>
      db.selectFrom('tool_servers').selectAll().where('user_id', '=', userId).orderBy('id').execute(),
    async count(userId: number): Promise<number> {
      const { count } = await db
        .selectFrom('tool_servers')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async insert(userId: number, fields: ServerFields, auth: StoredAuth): Promise<number> {
      const { id } = await db
        .insertInto('tool_servers')
        .values({
          user_id: userId,
          ...fields,
          ...authColumns(auth),
          state: auth.type === 'oauth' ? 'sign_in' : 'waiting',
          notice: null,
          looked_at: null,
          look: 1,
          created_at: new Date().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return id;
    },
    async update(userId: number, id: number, fields: Partial<ServerFields>, auth: StoredAuth | undefined) {
      await db
        .updateTable('tool_servers')
        .set({ ...fields, ...(auth && authColumns(auth)) })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        // An update without values is no valid statement.
        .$if(Object.keys(fields).length === 0 && !auth, (query) => query.set({ user_id: userId }))
        .execute();
    },
    async delete(userId: number, id: number): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('tool_servers')
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Records that the server is to be asked. Returns false if there is no such server. */
    async wait(userId: number, id: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('tool_servers')
        .set((eb) => ({ state: 'waiting', look: eb('look', '+', 1) }))
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Records that it cannot be asked before its owner has signed in. */
    async awaitSignIn(userId: number, id: number) {
      await db
        .updateTable('tool_servers')
        .set((eb) => ({ state: 'sign_in', notice: null, look: eb('look', '+', 1) }))
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .execute();
    },
    /** Stores the result, unless the server was asked again since. Returns false if the result is outdated. */
    async looked(
      { id, user_id, look }: Pick<Row, 'id' | 'user_id' | 'look'>,
      found: DiscoveryResult,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('tool_servers')
        .set({
          state: found.state,
          notice: found.notice,
          // A server that requires its owner to sign in was not asked.
          ...(found.state !== 'sign_in' && { looked_at: new Date().toISOString() }),
          ...(found.url !== undefined && { url: found.url }),
        })
        .where('user_id', '=', user_id)
        .where('id', '=', id)
        .where('look', '=', look)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (!found.tools) return true;
      await db.deleteFrom('tool_server_tools').where('user_id', '=', user_id).where('server_id', '=', id).execute();
      const rows = found.tools.map((tool, position) => ({
        server_id: id,
        user_id,
        position,
        name: tool.name,
        title: tool.title,
        description: tool.description,
        input_schema: tool.inputSchema,
        is_read_only: tool.isReadOnly ? (1 as const) : (0 as const),
        may_repeat: tool.mayRepeat ? (1 as const) : (0 as const),
        digest: tool.digest,
        operation: tool.operation ?? null,
        model_schema: JSON.stringify(tool.modelSchema),
      }));
      for (let from = 0; from < rows.length; from += rowsAtOnce)
        await db
          .insertInto('tool_server_tools')
          .values(rows.slice(from, from + rowsAtOnce))
          .execute();
      return true;
    },
    /** The caller has checked that the user may see the server. */
    tools: (serverId: number) =>
      db
        .selectFrom('tool_server_tools')
        .select(['name', 'title', 'description', 'input_schema', 'is_read_only', 'digest'])
        .where('server_id', '=', serverId)
        .orderBy('position')
        .execute(),
    /** Tool names by server. */
    toolNames: (userId: number) =>
      db
        .selectFrom('tool_server_tools')
        .select(['server_id', 'name', 'title'])
        .where('user_id', '=', userId)
        .orderBy('server_id')
        .orderBy('position')
        .execute(),
    /** The user's assistants that use a tool of the server: the first by name, and how many there are. */
    async usedBy(userId: number, serverId: number) {
      const uses = db
        .selectFrom('assistants')
        .where('assistants.user_id', '=', userId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('assistant_tool_choices')
              .select('name')
              .whereRef('assistant_tool_choices.assistant_id', '=', 'assistants.id')
              .where('assistant_tool_choices.server_id', '=', serverId),
          ),
        );
      const named = await uses.select(['id', 'name']).orderBy('name').orderBy('id').limit(maxNamed).execute();
      const { count } = await uses.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
      return { named, count: Number(count) };
    },
    async otherPeople(userId: number, serverId: number): Promise<number> {
      const { count } = await db
        .selectFrom('assistant_tool_choices')
        .select(({ fn }) => fn.count<number>('user_id').distinct().as('count'))
        .where('server_id', '=', serverId)
        .where('user_id', '!=', userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    /** Servers in use that nobody has checked since. */
    stale: (before: string, limit: number) =>
      db
        .selectFrom('tool_servers')
        .select(['id', 'user_id'])
        .where('is_on', '=', 1)
        .where('state', 'not in', ['waiting', 'sign_in'])
        .where('looked_at', '<', before)
        // Only its owner changes a pasted text.
        .where(({ or, eb }) => or([eb('kind', '!=', 'openapi'), eb('description_url', 'is not', null)]))
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('assistant_tool_choices')
              .select('name')
              .whereRef('assistant_tool_choices.server_id', '=', 'tool_servers.id'),
          ),
        )
        .orderBy('looked_at')
        .limit(limit)
        .execute(),
  };
}
