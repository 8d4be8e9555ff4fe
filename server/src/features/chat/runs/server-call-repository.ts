import type { ApprovalDecision, ToolCall } from '@roster/contracts/chat';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type { CallEcho } from '#server/provider/provider';
import type { PlacedCall } from './event-log.ts';

/** A call of a tool server's tool, with what it takes to make it, or to ask whether it may be made. */
export type ServerCall = PlacedCall & {
  position: number;
  step: number;
  /** null: there is no such tool. */
  serverId: number | null;
  tool: string | null;
  digest: string | null;
  mayRepeat: boolean;
  /** null: a person is to decide. */
  decision: ApprovalDecision | 'not_asked' | null;
  /** What the provider wants back with it; null: nothing. */
  echo: CallEcho | null;
};

export type Approval = { serverId: number; tool: string; digest: string; given: 'once' | 'thread' };

const toServerCall = (row: Selectable<Database['tool_calls']>): ServerCall => ({
  kind: row.kind,
  callId: row.call_id,
  name: row.name,
  title: row.title,
  server: row.server,
  state: row.state,
  input: row.input,
  output: row.output,
  at: row.text_at,
  position: row.position,
  step: row.step,
  serverId: row.server_id,
  tool: row.tool,
  digest: row.digest,
  mayRepeat: row.may_repeat === 1,
  decision: row.decision,
  echo: row.echo === null ? null : JSON.parse(row.echo),
});

type Of = { userId: number; runId: number; messageId: number };

/** The calls that Roster makes for answers: stored before they are made and after it, and what persons have said of them. */
export function serverCallRepository(db: Kysely<Database>) {
  const ofRun = (userId: number, runId: number) =>
    db
      .selectFrom('tool_calls')
      .selectAll()
      .where('run_id', '=', runId)
      // With a plus, so that SQLite looks up those of the run.
      .where(sql<boolean>`+user_id = ${userId}`)
      .where('kind', '=', 'server');
  const open = (userId: number, runId: number) =>
    db
      .updateTable('tool_calls')
      .where('run_id', '=', runId)
      .where(sql<boolean>`+user_id = ${userId}`)
      .where('kind', '=', 'server')
      .where('output', 'is', null);

  return {
    async insert({ userId, runId, messageId }: Of, calls: readonly ServerCall[]) {
      if (calls.length === 0) return;
      const rows = calls.map((call) => ({
        run_id: runId,
        position: call.position,
        user_id: userId,
        message_id: messageId,
        kind: 'server' as const,
        call_id: call.callId,
        name: call.name,
        title: call.title,
        server: call.server,
        state: call.state,
        input: call.input,
        output: call.output,
        text_at: call.at,
        step: call.step,
        server_id: call.serverId,
        tool: call.tool,
        digest: call.digest,
        may_repeat: call.mayRepeat ? (1 as const) : (0 as const),
        decision: call.decision,
        echo: call.echo && JSON.stringify(call.echo),
      }));
      await db.insertInto('tool_calls').values(rows).execute();
    },
    async ofRun(userId: number, runId: number): Promise<ServerCall[]> {
      return (await ofRun(userId, runId).orderBy('position').execute()).map(toServerCall);
    },
    /** Those of which nothing has come yet. */
    async open(userId: number, runId: number): Promise<ServerCall[]> {
      const rows = await ofRun(userId, runId).where('output', 'is', null).orderBy('position').execute();
      return rows.map(toServerCall);
    },
    async find(userId: number, runId: number, callId: string): Promise<ServerCall | undefined> {
      const row = await ofRun(userId, runId).where('call_id', '=', callId).executeTakeFirst();
      return row && toServerCall(row);
    },
    /** The calls of a run that were under way when their process was last heard of. */
    async made(userId: number, runId: number): Promise<Set<string>> {
      const rows = await ofRun(userId, runId).where('state', '=', 'running').execute();
      return new Set(rows.map(({ call_id }) => call_id));
    },
    /** Those that are stored, each with whether it is open. */
    async stored(userId: number, runId: number): Promise<Map<string, boolean>> {
      const rows = await ofRun(userId, runId).execute();
      return new Map(rows.map(({ call_id, output }) => [call_id, output === null]));
    },
    /** What came of one. */
    async settle(
      userId: number,
      runId: number,
      { callId, state, output }: Pick<ToolCall, 'callId' | 'state' | 'output'>,
    ) {
      await open(userId, runId).set({ state, output }).where('call_id', '=', callId).execute();
    },
    /** They are being made from now on. */
    async make(userId: number, runId: number, callIds: readonly string[]) {
      await open(userId, runId).set({ state: 'running' }).where('call_id', 'in', callIds).execute();
    },
    /** Nobody knows whether it has run. */
    async doubt(userId: number, runId: number, callId: string) {
      await open(userId, runId).set({ state: 'uncertain', decision: null }).where('call_id', '=', callId).execute();
    },
    /** It was under way, and is to be made again. */
    async repeat(userId: number, runId: number, callId: string) {
      await open(userId, runId).set({ state: 'waiting' }).where('call_id', '=', callId).execute();
    },
    /** The tool is not what was approved any more. */
    async askAgain(userId: number, runId: number, callId: string, digest: string) {
      await open(userId, runId)
        .set({ state: 'waiting', decision: null, digest })
        .where('call_id', '=', callId)
        .execute();
    },
    async decide(userId: number, runId: number, callId: string, decision: ApprovalDecision, reason: string | null) {
      await open(userId, runId).set({ decision, reason }).where('call_id', '=', callId).execute();
    },

    /** What has been approved for the later calls in a conversation. */
    async approvals(userId: number, threadId: number): Promise<Approval[]> {
      return db
        .selectFrom('thread_approvals')
        .select(['server_id as serverId', 'tool', 'digest', 'given'])
        .where('thread_id', '=', threadId)
        .where(sql<boolean>`+user_id = ${userId}`)
        .execute();
    },
    async approve(userId: number, threadId: number, { serverId, tool, digest, given }: Approval) {
      await db
        .insertInto('thread_approvals')
        .values({ thread_id: threadId, user_id: userId, server_id: serverId, tool, digest, given })
        .onConflict((conflict) => {
          const same = conflict.columns(['thread_id', 'server_id', 'tool', 'digest']);
          return given === 'thread' ? same.doUpdateSet({ given }) : same.doNothing();
        })
        .execute();
    },
  };
}

export type ServerCallRepository = ReturnType<typeof serverCallRepository>;
