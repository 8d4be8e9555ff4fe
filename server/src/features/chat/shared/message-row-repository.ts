import { EndedEarly, type Message } from '@roster/contracts/chat';
import { type Kysely, sql } from 'kysely';
import { imageUrlsOf, readContent } from '#server/conversation/content';
import { type Operand, type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { toUsage, usageColumns, usageRepository } from '#server/features/usage/repository';
import { messageFileRepository, shownFile } from './message-file-repository.ts';
import { summaryColumns, toSummary } from './summary-repository.ts';
import { toolCallRepository } from './tool-call-repository.ts';
import { sumUsage } from './usage.ts';

/** The plus keeps SQLite from scanning all messages of the user instead of looking up those of the branch. */
export const isOf = (userId: Operand<number>) => sql<boolean>`+messages.user_id = ${userId}`;

/** 1 for an answer with tool calls. */
export const hasCalls = sql<0 | 1>`case when exists
  (select 1 from tool_calls where tool_calls.message_id = messages.id) then 1 else 0 end`;

/** 1 for an answer with generated files. */
export const hasMade = sql<0 | 1>`case when exists
  (select 1 from made_files where made_files.message_id = messages.id) then 1 else 0 end`;

/** Pages of messages carry only this flag: schemas are long. */
const hasSchema = sql<0 | 1>`case when runs.response_schema is null then 0 else 1 end`;

/** Messages with their run, its usage, and their rating. */
export const selectMessages = (db: Kysely<Database>) =>
  db
    .selectFrom('messages')
    .leftJoin('runs', 'runs.message_id', 'messages.id')
    .leftJoin('usage_records', (join) =>
      join.onRef('usage_records.run_id', '=', 'runs.id').on('usage_records.purpose', '=', 'chat'),
    )
    .leftJoin('message_ratings', 'message_ratings.message_id', 'messages.id')
    .leftJoin('message_summaries', 'message_summaries.message_id', 'messages.id')
    .selectAll('messages')
    .select([
      'runs.id as run_id',
      'runs.state as run_state',
      'runs.model as run_model',
      'runs.assistant_id as run_assistant_id',
      'runs.assistant_version as run_assistant_version',
      'runs.error as run_error',
      'runs.notes as run_notes',
      'runs.sources as run_sources',
      'runs.finish_reason as run_finish_reason',
      'runs.continued_step as run_continued_step',
      'runs.thought_ms as run_thought_ms',
      'runs.finished_at as run_finished_at',
      'message_ratings.rated_at',
      'message_ratings.value as rating_value',
      'message_ratings.correction',
      ...usageColumns,
      ...summaryColumns,
    ])
    .select(hasSchema.as('has_schema'))
    .select(hasCalls.as('has_calls'))
    .select(hasMade.as('has_made'));

export type MessageRow = Awaited<ReturnType<ReturnType<typeof selectMessages>['executeTakeFirstOrThrow']>>;

const siblingColumns = ['id', 'parent_id', 'created_at', 'chosen'] as const;

const findSiblings = prepared((db, at: Params<{ userId: number; threadId: number; parentId: number }>) =>
  db
    .selectFrom('messages')
    .select(siblingColumns)
    .where('user_id', '=', at('userId'))
    .where('thread_id', '=', at('threadId'))
    .where('parent_id', '=', at('parentId'))
    .orderBy('id'),
);

/** Attachments of the questions and generated files of the answers. */
export const filesOf = (db: Kysely<Database>, userId: number, rows: MessageRow[]) =>
  messageFileRepository(db).of(
    userId,
    rows.filter(({ role, has_made }) => role === 'user' || has_made === 1).map(({ id }) => id),
  );

/** Generated files of the answers that are not stored (yet). */
export async function unkeptOf(db: Kysely<Database>, userId: number, rows: MessageRow[]) {
  const making = rows.filter(({ has_made }) => has_made === 1).map(({ id }) => id);
  const unkept = await messageFileRepository(db).unkept(userId, making);
  return (id: number): Pick<Message, 'unkept'> => {
    const own = unkept.get(id);
    return own ? { unkept: own } : {};
  };
}

/** Tool calls of the answers. Queries the database only if some have any. */
async function callsOf(db: Kysely<Database>, userId: number, rows: MessageRow[]) {
  const calling = rows.filter(({ has_calls }) => has_calls === 1).map(({ id }) => id);
  const shown = await toolCallRepository(db).shown(userId, calling);
  const byMessage = Map.groupBy(shown, ({ messageId }) => messageId);
  const now = new Date().toISOString();
  return (id: number): Pick<Message, 'calls' | 'waitsUntil'> => {
    const own = byMessage.get(id);
    const waitsUntil = own?.[0]?.waitsUntil ?? '';
    return {
      ...(own && { calls: own.map(({ messageId: _message, waitsUntil: _until, ...call }) => call) }),
      ...(waitsUntil > now && { waitsUntil }),
    };
  };
}

/** Usage of each answer, including its steps with tool calls and continuations. */
export async function usageOf(db: Kysely<Database>, userId: number, rows: MessageRow[]) {
  const inSteps = rows.flatMap(({ has_calls, run_continued_step, run_id }) =>
    run_id !== null && (has_calls === 1 || run_continued_step !== null) ? [run_id] : [],
  );
  const steps = await usageRepository(db).ofSteps(userId, inSteps);
  return (row: MessageRow) => sumUsage(...(steps.get(row.run_id ?? 0) ?? []), toUsage(row));
}

/** Exported for the test of its query plan. */
export const siblingsOf = (
  db: Kysely<Database>,
  userId: number,
  threadId: number,
  parents: number[],
  ofBeginning: boolean,
) =>
  db
    .selectFrom('messages')
    .select(siblingColumns)
    .where('user_id', '=', userId)
    .where('thread_id', '=', threadId)
    .where((eb) =>
      eb.or([
        ...(parents.length > 0 ? [eb('parent_id', 'in', parents)] : []),
        // The plus keeps SQLite from scanning the first messages of all threads.
        ...(ofBeginning ? [sql<boolean>`+parent_id is null`] : []),
      ]),
    )
    .orderBy('id')
    .execute();

type Sibling = Awaited<ReturnType<typeof siblingsOf>>[number];

/** Parallel answers: those requested in the same call have the same creation time. Empty for a single answer. */
export function togetherWith({ created_at }: Pick<Sibling, 'created_at'>, siblings: Sibling[]): Sibling[] {
  const together = siblings.filter((sibling) => sibling.created_at === created_at);
  return together.length > 1 ? together : [];
}

/** Messages as the API returns them, with siblings, files, calls and usage. */
export async function withSiblings(
  db: Kysely<Database>,
  userId: number,
  threadId: number,
  rows: MessageRow[],
): Promise<Message[]> {
  if (rows.length === 0) return [];
  const parents = [...new Set(rows.map((row) => row.parent_id))];
  const parentIds = parents.filter((parent) => parent !== null);
  const [parentId] = parentIds;
  const isOne = parentIds.length === 1 && parents.length === 1 && parentId !== undefined;
  const siblings = await (isOne
    ? findSiblings.all(db, { userId, threadId, parentId })
    : siblingsOf(db, userId, threadId, parentIds, parentIds.length < parents.length));
  const byParent = Map.groupBy(siblings, (sibling) => sibling.parent_id);
  // Read before the files: a file stored in between then appears twice instead of not at all.
  const unkept = await unkeptOf(db, userId, rows);
  const files = await filesOf(db, userId, rows);
  const calls = await callsOf(db, userId, rows);
  const usage = await usageOf(db, userId, rows);
  return rows.map((row) => {
    const beside = byParent.get(row.parent_id) ?? [];
    const together = row.role === 'assistant' ? togetherWith(row, beside) : [];
    return {
      ...toMessage(row),
      usage: usage(row),
      siblings: beside.map(({ id }) => id),
      together: together.map(({ id }) => id),
      chosenId: together.find(({ chosen }) => chosen === 1)?.id ?? null,
      files: (files.get(row.id) ?? []).map(shownFile),
      ...calls(row.id),
      ...unkept(row.id),
    };
  });
}

/** The assistant and its version, if known. */
function answeredBy({ run_assistant_id: assistantId, run_assistant_version: version }: MessageRow) {
  return assistantId === null || version === null ? {} : { answeredBy: { assistantId, version } };
}

/** Without siblings, files and calls. */
export function toMessage(row: MessageRow): Omit<Message, 'calls' | 'waitsUntil' | 'unkept'> {
  const state = row.run_state ?? 'complete';
  const content = readContent(row.content);
  const imageUrls = imageUrlsOf(content);
  return {
    id: row.id,
    threadId: row.thread_id,
    parentId: row.parent_id,
    role: row.role,
    text: row.text,
    reasoning: row.reasoning,
    state,
    run: row.run_id === null ? null : { id: row.run_id, state },
    ...answeredBy(row),
    model: row.run_model || null,
    usage: toUsage(row),
    error: row.run_error === null ? null : JSON.parse(row.run_error),
    notes: row.run_notes === null ? [] : JSON.parse(row.run_notes),
    files: [],
    sources: row.run_sources === null ? [] : JSON.parse(row.run_sources),
    rating: row.rated_at === null ? null : { value: row.rating_value, correction: row.correction },
    siblings: [],
    together: [],
    chosenId: null,
    createdAt: row.created_at,
    finishedAt: row.run_finished_at,
    endedEarly: EndedEarly.options.find((reason) => reason === row.run_finish_reason) ?? null,
    ...(row.run_continued_step !== null && { continued: true as const }),
    ...(row.run_thought_ms !== null && { thoughtMs: row.run_thought_ms }),
    ...(imageUrls.length > 0 && { imageUrls }),
    ...(content.links && { links: content.links }),
    ...(row.has_schema === 1 && { hasSchema: true as const }),
    ...toSummary(row),
  };
}
