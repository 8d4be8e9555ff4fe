import type { ApprovalDecision, ToolCall } from '@roster/contracts/chat';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type { CallEcho } from '#server/provider/provider';
import type { PlacedCall } from './tool-call-repository.ts';

/** A connected tool's call, with what is needed to run it or to ask for approval. */
export type ServerCall = PlacedCall & {
  position: number;
  step: number;
  /** null: unknown tool. */
  serverId: number | null;
  tool: string | null;
  digest: string | null;
  mayRepeat: boolean;
  /** null: the user has to decide. */
  decision: ApprovalDecision | 'not_asked' | null;
  /** Opaque data that the provider expects back; null: none. */
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

type AnswerPlace = { userId: number; runId: number; messageId: number };

/** Connected tools' calls, stored before and after they run, and the user's approvals. */
export function serverCallRepository(db: Kysely<Database>) {
  const ofRun = (userId: number, runId: number) =>
    db
      .selectFrom('tool_calls')
      .selectAll()
      .where('run_id', '=', runId)
      // The plus makes SQLite use the index on the run.
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
    async insert({ userId, runId, messageId }: AnswerPlace, calls: readonly ServerCall[]) {
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
    /** Calls without an output. */
    async open(userId: number, runId: number): Promise<ServerCall[]> {
      const rows = await ofRun(userId, runId).where('output', 'is', null).orderBy('position').execute();
      return rows.map(toServerCall);
    },
    async find(userId: number, runId: number, callId: string): Promise<ServerCall | undefined> {
      const row = await ofRun(userId, runId).where('call_id', '=', callId).executeTakeFirst();
      return row && toServerCall(row);
    },
    /** Ids of calls that were running when their process last wrote. */
    async made(userId: number, runId: number): Promise<Set<string>> {
      const rows = await ofRun(userId, runId).where('state', '=', 'running').execute();
      return new Set(rows.map(({ call_id }) => call_id));
    },
    /** Stored calls by id; true: no output yet. */
    async stored(userId: number, runId: number): Promise<Map<string, boolean>> {
      const rows = await ofRun(userId, runId).execute();
      return new Map(rows.map(({ call_id, output }) => [call_id, output === null]));
    },
    /** Stores the outcome of a call. */
    async settle(
      userId: number,
      runId: number,
      { callId, state, output }: Pick<ToolCall, 'callId' | 'state' | 'output'>,
    ) {
      await open(userId, runId).set({ state, output }).where('call_id', '=', callId).execute();
    },
    /** Marks calls as running. */
    async make(userId: number, runId: number, callIds: readonly string[]) {
      await open(userId, runId).set({ state: 'running' }).where('call_id', 'in', callIds).execute();
    },
    /** Marks a call that may have run. */
    async doubt(userId: number, runId: number, callId: string) {
      await open(userId, runId).set({ state: 'uncertain', decision: null }).where('call_id', '=', callId).execute();
    },
    /** Marks a running call to be run again. */
    async repeat(userId: number, runId: number, callId: string) {
      await open(userId, runId).set({ state: 'waiting' }).where('call_id', '=', callId).execute();
    },
    /** Asks again because the tool has changed since it was approved. */
    async askAgain(userId: number, runId: number, callId: string, digest: string) {
      await open(userId, runId)
        .set({ state: 'waiting', decision: null, digest })
        .where('call_id', '=', callId)
        .execute();
    },
    async decide(userId: number, runId: number, callId: string, decision: ApprovalDecision, reason: string | null) {
      await open(userId, runId).set({ decision, reason }).where('call_id', '=', callId).execute();
    },

    /** Approvals that cover later calls in the thread. */
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
