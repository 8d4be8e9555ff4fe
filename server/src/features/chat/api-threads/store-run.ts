import type { Kysely } from 'kysely';
import { RunActiveError } from '#server/conversation/errors';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { insertAnswers, type StoredAnswer } from '#server/features/chat/messages/store-turn';
import { clientFunctionCalls } from '#server/features/chat/runs/events/event-log';
import { apiRunRepository } from '#server/features/chat/shared/api-run-repository';
import { emptyBranch } from '#server/features/chat/shared/branch-repository';
import type { ChatTarget } from '#server/features/chat/shared/chat-target';
import { messageRepository } from '#server/features/chat/shared/message-repository';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { toolCallRepository } from '#server/features/chat/shared/tool-call-repository';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';

/** Active API runs of one user at a time. */
const maxActiveApiRuns = 100;

/** An API client: its user and access token, and a check that the token still permits the call. */
export type ApiClient = Pick<ApiPrincipal, 'userId' | 'tokenId' | 'recheckAccess'>;

export type NewApiRun = {
  /** null: in the thread that `before` creates. */
  threadId: number | null;
  target: ChatTarget;
  /** Adds to the thread first, in the same transaction. Returns the thread's id. */
  before: (trx: Kysely<Database>) => Promise<number>;
  options: string;
  metadata: Record<string, string>;
};

export type FunctionOutput = { callId: string; output: string };

/** Why nothing was stored. */
export type RunNotStored =
  | { kind: 'no_thread' | 'too_many' | 'not_waiting' }
  | { kind: 'wrong_outputs'; expected: string[] };
export type StoredApiRun = { kind: 'stored'; answer: StoredAnswer & { apiRunId: number } };

/** Locks in the order that all transactions keep: the user's row first. */
const inTransaction = <T>(
  db: Kysely<Database>,
  { userId, recheckAccess }: ApiClient,
  store: (trx: Kysely<Database>) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    await lockUserRow(trx, userId);
    return store(trx);
  });

type Context = { db: Kysely<Database>; instance: number };

/** Stores a run at the end of the shown branch, with its empty answer. @throws RunActiveError */
export const storeNewRun = (
  { db, instance }: Context,
  client: ApiClient,
  { threadId, target, before, ...requested }: NewApiRun,
): Promise<StoredApiRun | RunNotStored> =>
  inTransaction(db, client, async (trx) => {
    const { userId, tokenId: accessTokenId } = client;
    const threads = threadRepository(trx);
    if (threadId !== null && (await threads.find(userId, threadId))?.expiresAt !== null) return { kind: 'no_thread' };
    const busy = await runRepository(trx).busy(userId);
    const here = busy.find((run) => run.threadId === threadId);
    if (here) throw new RunActiveError(here);
    const active = busy.filter(({ isApiRun, waitsFor }) => isApiRun && waitsFor === null);
    if (active.length >= maxActiveApiRuns) return { kind: 'too_many' };
    const at = await before(trx);
    const answer = await insertAnswer(trx, instance, userId, { threadId: at, target, after: null });
    if (!answer) return { kind: 'no_thread' };
    const { assistantId } = target;
    // The page of an API thread continues with the assistant of its last run; in other threads the user has chosen one.
    const thread = await threads.find(userId, at);
    if (thread && thread.madeBy !== null && thread.assistantId !== assistantId)
      await threads.update(userId, at, { assistantId, model: null });
    const { id } = answer.run;
    await apiRunRepository(trx).insert(userId, { id, threadId: at, accessTokenId, ...requested });
    return { kind: 'stored', answer: { ...answer, apiRunId: id } };
  });

/** Stores the outputs that a run waits for, and the empty answer with which it continues. */
export const storeOutputs = (
  { db, instance }: Context,
  client: ApiClient,
  apiRunId: number,
  { outputs, target }: { outputs: FunctionOutput[]; target: ChatTarget },
): Promise<StoredApiRun | RunNotStored> =>
  inTransaction(db, client, async (trx) => {
    const { userId } = client;
    const apiRuns = apiRunRepository(trx);
    const calls = toolCallRepository(trx);
    const run = await apiRuns.find(userId, apiRunId);
    if (run?.state !== 'waiting' || (run.waitsUntil ?? '') <= new Date().toISOString()) return { kind: 'not_waiting' };
    const stored = await calls.ofRuns(userId, [run.currentRunId]);
    const expected = clientFunctionCalls({ calls: stored }).map(({ callId }) => callId);
    const given = new Map(outputs.map(({ callId, output }) => [callId, output]));
    if (given.size !== expected.length || !expected.every((callId) => given.has(callId)))
      return { kind: 'wrong_outputs', expected };
    for (const [callId, output] of given) await calls.setFunctionOutput(userId, run.currentRunId, callId, output);
    const after = stored[0]?.messageId ?? null;
    const answer = await insertAnswer(trx, instance, userId, { threadId: run.threadId, target, after });
    if (!answer) return { kind: 'no_thread' };
    await apiRuns.resume(userId, apiRunId, answer.run.id);
    return { kind: 'stored', answer: { ...answer, apiRunId } };
  });

/** undefined: the thread, or the message to answer, does not exist. */
async function insertAnswer(
  trx: Kysely<Database>,
  instance: number,
  userId: number,
  { threadId, target, after }: { threadId: number; target: ChatTarget; after: number | null },
): Promise<StoredAnswer | undefined> {
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, 1);
  const last = after ?? place?.thread.headMessageId ?? null;
  const head = last === null ? emptyBranch : await messageRepository(trx).place(userId, last);
  if (!place || head === undefined) return undefined;
  const at = new Date().toISOString();
  const [answer] = await insertAnswers(
    trx,
    instance,
    userId,
    { threadId, head, position: place.first, key: null, at },
    [target],
  );
  await threads.showEnd(userId, threadId, { headMessageId: answer?.run.messageId, updatedAt: at });
  return answer;
}
