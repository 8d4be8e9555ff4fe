import type { Kysely } from 'kysely';
import { RunActiveError } from '#server/conversation/errors';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { functionsCalled } from '#server/features/chat/runs/event-log';
import { programRunRepository } from '#server/features/chat/runs/program-run-repository';
import { runRepository } from '#server/features/chat/runs/repository';
import { toolCallRepository } from '#server/features/chat/runs/tool-call-repository';
import { threadRepository } from '#server/features/chat/threads/repository';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import { insertAnswers, noQuestion, type StoredAnswer } from './answer-store.ts';
import type { Answerer } from './answerer.ts';
import { messageRepository } from './repository.ts';

/** Runs of programs that are under way for a person, at a time. */
export const programRunsAtOnce = 100;

/** Who asks: a person's program, by its access token. */
export type Asker = Pick<ApiPrincipal, 'userId' | 'tokenId' | 'stillMay'>;

export type NewProgramRun = {
  /** null: in one that `before` makes. */
  threadId: number | null;
  answerer: Answerer;
  /** What is added to the conversation first, in the same transaction. Returns which one that is. */
  before: (trx: Kysely<Database>) => Promise<number>;
  options: string;
  metadata: Record<string, string>;
};

export type FunctionOutput = { callId: string; output: string };

/** Why nothing was stored. */
export type NotStored =
  | { kind: 'no_thread' | 'too_many' | 'not_waiting' }
  | { kind: 'wrong_outputs'; expected: string[] };
export type Stored = { kind: 'stored'; answer: StoredAnswer & { programRunId: number } };

/**
 * Stores the runs of programs with their empty answers, before the provider is asked.
 *
 * Long: a run begins or goes on, each read alone.
 */
export function programAnswerStore(db: Kysely<Database>, instance: number) {
  /** In the order in which everybody takes them: the person, then what of theirs is changed. */
  const inTurn = <T>({ userId, stillMay }: Asker, store: (trx: Kysely<Database>) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (trx) => {
      await stillMay(trx);
      await lockUserRow(trx, userId);
      return store(trx);
    });

  async function answerAfter(
    trx: Kysely<Database>,
    userId: number,
    threadId: number,
    { answerer, after }: { answerer: Answerer; after: number | null },
  ): Promise<StoredAnswer | undefined> {
    const threads = threadRepository(trx);
    const place = await threads.takePositions(userId, threadId, 1);
    const last = after ?? place?.thread.headMessageId ?? null;
    // An empty thread is answered from the instructions alone.
    const question = last === null ? noQuestion : await messageRepository(trx).place(userId, last);
    if (!place || question === undefined) return undefined;
    const at = new Date().toISOString();
    const answersAt = { threadId, question, position: place.first, client: null, at };
    const [stored] = await insertAnswers(trx, instance, userId, answersAt, [answerer]);
    await threads.showEnd(userId, threadId, { headMessageId: stored?.run.messageId, updatedAt: at });
    return stored;
  }

  return {
    /** A run at the end of the shown branch. @throws RunActiveError */
    atEnd: (asker: Asker, { threadId, answerer, before, ...asked }: NewProgramRun): Promise<Stored | NotStored> =>
      inTurn(asker, async (trx) => {
        const { userId, tokenId: accessTokenId } = asker;
        const threads = threadRepository(trx);
        if (threadId !== null && !(await threads.find(userId, threadId))) return { kind: 'no_thread' };
        const busy = await runRepository(trx).busy(userId);
        const here = busy.find((run) => run.threadId === threadId);
        if (here) throw new RunActiveError(here);
        const ofPrograms = busy.filter(({ isOfProgram, waitsFor }) => isOfProgram && waitsFor === null);
        if (ofPrograms.length >= programRunsAtOnce) return { kind: 'too_many' };
        const at = await before(trx);
        const answer = await answerAfter(trx, userId, at, { answerer, after: null });
        if (!answer) return { kind: 'no_thread' };
        const { assistantId } = answerer;
        // On its page it goes on with whom the program asks; in a conversation of their own a person has chosen that.
        const thread = await threads.find(userId, at);
        if (thread && thread.madeBy !== null && thread.assistantId !== assistantId)
          await threads.update(userId, at, { assistantId, model: null });
        const { id } = answer.run;
        await programRunRepository(trx).insert(userId, { id, threadId: at, accessTokenId, ...asked });
        return { kind: 'stored', answer: { ...answer, programRunId: id } };
      }),

    /** The run goes on, once all functions that it waits for have answered. */
    goOn: (
      asker: Asker,
      programRunId: number,
      outputs: FunctionOutput[],
      answerer: Answerer,
    ): Promise<Stored | NotStored> =>
      inTurn(asker, async (trx) => {
        const { userId } = asker;
        const programRuns = programRunRepository(trx);
        const calls = toolCallRepository(trx);
        const run = await programRuns.find(userId, programRunId);
        if (run?.state !== 'waiting' || (run.waitsUntil ?? '') <= new Date().toISOString())
          return { kind: 'not_waiting' };
        const kept = await calls.ofRuns(userId, [run.currentRunId]);
        const expected = functionsCalled({ calls: kept }).map(({ callId }) => callId);
        const given = new Map(outputs.map(({ callId, output }) => [callId, output]));
        if (given.size !== expected.length || !expected.every((callId) => given.has(callId)))
          return { kind: 'wrong_outputs', expected };
        for (const [callId, output] of given) await calls.answer(userId, run.currentRunId, callId, output);
        const after = kept[0]?.messageId ?? null;
        const answer = await answerAfter(trx, userId, run.threadId, { answerer, after });
        if (!answer) return { kind: 'no_thread' };
        await programRuns.goOn(userId, programRunId, answer.run.id);
        return { kind: 'stored', answer: { ...answer, programRunId } };
      }),
  };
}
