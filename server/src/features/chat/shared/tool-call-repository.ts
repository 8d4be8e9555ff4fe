import type { DisplayedToolCall, ToolCall } from '@roster/contracts/chat';
import { truncate } from '@roster/contracts/text/truncate';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '#server/db/schema';
import type { CallEcho } from '#server/provider/provider';

/** A call with the length that the text had when it started. */
export type PlacedCall = ToolCall & { at: number };

/** A connected tool's call that has no output yet. */
export const isOpenCall = ({ kind, output }: ToolCall) => kind === 'server' && output === null;

type AnswerPlace = { userId: number; runId: number; messageId: number };
export type StoredCall = PlacedCall & { runId: number; messageId: number };

const rowsAtOnce = 100;

/** Characters of a tool's input or output that pages show. */
const shownLength = 4000;
const beginning = (text: string) => (text.length > shownLength ? `${truncate(text, shownLength)}…` : text);
/** For an answer that is being written. */
export const toShownCall = (call: PlacedCall): DisplayedToolCall => ({
  ...call,
  // The user approves the whole input.
  input: isOpenCall(call) ? call.input : beginning(call.input),
  // A cut list of sources would be invalid JSON.
  output: call.output === null || call.kind === 'web_search' ? call.output : beginning(call.output),
});
/** For readers of events. Only the model gets the whole output of a connected tool. */
export const toPublicCall = <Call extends ToolCall>(call: Call): Call =>
  call.kind === 'server' && call.output !== null ? { ...call, output: beginning(call.output) } : call;

type StoredToolCall = { messageId: number; waitsUntil: string | null } & DisplayedToolCall;

/** Only connected tools have a `tool`. */
const withoutNoTool = <Row extends { tool: string | null }>({ tool, ...row }: Row) => ({
  ...row,
  ...(tool !== null && { tool }),
});

/** The plus keeps SQLite from scanning all rows of the user. */
const isOf = (userId: number) => sql<boolean>`+tool_calls.user_id = ${userId}`;

/** Tool calls of answers. */
export function toolCallRepository(db: Kysely<Database>) {
  const select = (userId: number) =>
    db
      .selectFrom('tool_calls')
      .select(['run_id as runId', 'message_id as messageId', 'kind', 'call_id as callId', 'name', 'title', 'server'])
      .select(['state', 'input', 'output', 'text_at as at', 'tool'])
      .where(isOf(userId))
      .orderBy('run_id')
      .orderBy('position');

  return {
    /**
     * Inserts the calls of an answer except those already stored, for example by an earlier end of a continued answer.
     */
    async insert(
      { userId, runId, messageId }: AnswerPlace,
      calls: readonly PlacedCall[],
      { stored, echoes }: { stored: ReadonlySet<string>; echoes: ReadonlyMap<string, CallEcho> },
    ) {
      const all = calls.map(({ kind, callId, name, title, server, state, input, output, at }, position) => ({
        run_id: runId,
        position,
        user_id: userId,
        message_id: messageId,
        kind,
        call_id: callId,
        name,
        title,
        server,
        state,
        input,
        output,
        text_at: at,
        echo: echoes.has(callId) ? JSON.stringify(echoes.get(callId)) : null,
      }));
      const rows = all.filter(({ call_id }) => !stored.has(call_id));
      for (let at = 0; at < rows.length; at += rowsAtOnce)
        await db
          .insertInto('tool_calls')
          .values(rows.slice(at, at + rowsAtOnce))
          .onConflict((conflict) => conflict.columns(['run_id', 'position']).doNothing())
          .execute();
    },
    async ofRuns(userId: number, runIds: number[]): Promise<StoredCall[]> {
      return runIds.length === 0
        ? []
        : (await select(userId).where('run_id', 'in', runIds).execute()).map(withoutNoTool);
    },
    async ofMessages(userId: number, messageIds: number[]): Promise<StoredCall[]> {
      if (messageIds.length === 0) return [];
      return (await select(userId).where('message_id', 'in', messageIds).execute()).map(withoutNoTool);
    },
    /** Opaque data that the provider expects back with the calls. */
    async echoes(userId: number, messageIds: number[]): Promise<{ runId: number; callId: string; echo: CallEcho }[]> {
      if (messageIds.length === 0) return [];
      const rows = await db
        .selectFrom('tool_calls')
        .select(['run_id', 'call_id', 'echo'])
        .where(isOf(userId))
        .where('message_id', 'in', messageIds)
        .where('echo', 'is not', null)
        .execute();
      return rows.map(({ run_id, call_id, echo }) => ({ runId: run_id, callId: call_id, echo: JSON.parse(`${echo}`) }));
    },
    /** Calls as pages show them, with the deadline for their function outputs. */
    async shown(userId: number, messageIds: number[]): Promise<StoredToolCall[]> {
      if (messageIds.length === 0) return [];
      const beginningIn = <Text extends string | null>(column: RawBuilder<Text>) =>
        sql<Text>`case when length(${column}) > ${shownLength} then substr(${column}, 1, ${shownLength}) || '…' else ${column} end`;
      const rows = await db
        .selectFrom('tool_calls')
        .leftJoin('program_runs', (join) =>
          join
            .onRef('program_runs.current_run_id', '=', 'tool_calls.run_id')
            .onRef('program_runs.user_id', '=', 'tool_calls.user_id')
            // A literal, as in the definition of the index.
            .on(sql<boolean>`program_runs.state = 'waiting'`),
        )
        .select(['tool_calls.message_id as messageId', 'tool_calls.kind', 'tool_calls.call_id as callId'])
        .select([
          'tool_calls.name',
          'tool_calls.tool',
          'tool_calls.title',
          'tool_calls.server',
          'tool_calls.state',
          'text_at as at',
        ])
        .select('program_runs.waits_until as waitsUntil')
        .select((eb) =>
          eb
            .case()
            .when(sql<boolean>`tool_calls.kind = 'server' and tool_calls.output is null`)
            .then(eb.ref('tool_calls.input'))
            .else(beginningIn(sql<string>`tool_calls.input`))
            .end()
            .as('input'),
        )
        .select((eb) =>
          eb
            .case()
            .when('tool_calls.kind', '=', 'web_search')
            .then(eb.ref('tool_calls.output'))
            .else(beginningIn(sql<string | null>`tool_calls.output`))
            .end()
            .as('output'),
        )
        .where(isOf(userId))
        .where('tool_calls.message_id', 'in', messageIds)
        .orderBy('tool_calls.run_id')
        .orderBy('tool_calls.position')
        .execute();
      return rows.map(withoutNoTool);
    },
    async setFunctionOutput(userId: number, runId: number, callId: string, output: string) {
      await db
        .updateTable('tool_calls')
        .set({ output, state: 'done' })
        .where('user_id', '=', userId)
        .where('run_id', '=', runId)
        .where('call_id', '=', callId)
        .where('kind', '=', 'function')
        .execute();
    },
  };
}

export type ToolCallRepository = ReturnType<typeof toolCallRepository>;
