import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { noMessage, noThread } from '#server/features/chat/not-found';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import type { ThreadRecord } from '#server/features/chat/threads/repository';
import { UnavailableError } from '#server/lib/errors';
import { retryUntilAvailable } from '#server/lib/retry-until-available';
import type { Secret } from '#server/security/secret';
import { InDoubt, type StoredAnswer } from './answer-store.ts';
import type { Answerer, AnswererFinder } from './answerer.ts';
import { earlierCall, type Started } from './client-calls.ts';
import type { EndedModelRefusal } from './refuse-ended.ts';
import { type ClientCall, messageRepository } from './repository.ts';
import type { OrderMaker } from './run-order.ts';

type Dependencies = {
  db: Kysely<Database>;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'start'>;
  openKey: (userId: number) => Promise<Secret>;
  /** Refuses a call that a budget does not allow. */
  checkBudget: (userId: number, assistantId: number | null) => Promise<void>;
  answerersFor: AnswererFinder;
  refuseEnded: EndedModelRefusal;
  orderOf: OrderMaker;
};

/** A call that has passed all checks. */
export type Asked = {
  thread: ThreadRecord;
  models: string[];
  overBudget: boolean | undefined;
  /** undefined: a request with the same client id was quicker. */
  store: (answerers: Answerer[]) => Promise<StoredAnswer[] | undefined>;
  /** The message that the caller gets to see. */
  shown: (first: StoredAnswer) => number;
};

/** After that it is recovered as what a crash has left. */
const seenWithinMs = 55_000;

/** Common to all calls that start answers, once for each client id: store first, then start the runs. */
export function answerStarter({
  db,
  executor,
  openKey,
  checkBudget,
  answerersFor,
  refuseEnded,
  orderOf,
}: Dependencies) {
  return async function start(
    userId: number,
    client: ClientCall | null,
    check: () => Promise<Asked>,
  ): Promise<Started> {
    const known = await earlierCall(db, userId, client);
    if (known) return known;
    executor.refuseWhenClosing(userId);
    const { thread, models, overBudget, store, shown } = await check();
    const apiKey = await openKey(userId);
    const answerers = await answerersFor(userId, thread, models);
    await refuseEnded(userId, thread, models, answerers);
    if (!overBudget) await checkBudget(userId, answerers[0]?.assistantId ?? null);
    const begin = (answer: StoredAnswer) => executor.start(orderOf(userId, apiKey, { ...answer, overBudget }));
    const stored = await store(answerers).catch((error: unknown) => {
      if (error instanceof InDoubt) void beginOnceSeen(userId, client, error.written, begin);
      throw error;
    });
    const [first] = stored ?? [];
    if (!stored || !first) return quicker(userId, client);
    stored.forEach(begin);
    const message = await messageRepository(db).find(userId, shown(first));
    if (!message) throw noMessage();
    return { runs: stored.map(({ run }) => run), run: first.run, message };
  };

  /** What is stored after all is answered: whoever sends it again is told of these runs, and waits for them. */
  async function beginOnceSeen(
    userId: number,
    client: ClientCall | null,
    written: StoredAnswer[],
    begin: (answer: StoredAnswer) => void,
  ) {
    const seen = await retryUntilAvailable(AbortSignal.timeout(seenWithinMs), async () => {
      const found = await earlierCall(db, userId, client);
      // It may be under way in the database still.
      if (!found) throw new UnavailableError('database', 'not seen yet');
      return found;
    }).catch(() => undefined);
    for (const answer of written)
      if (seen?.runs.some(({ id, state }) => id === answer.run.id && state === 'queued')) begin(answer);
  }

  async function quicker(userId: number, client: ClientCall | null): Promise<Started> {
    const found = await earlierCall(db, userId, client);
    if (!found) throw noThread();
    return found;
  }
}

export type AnswerStarter = ReturnType<typeof answerStarter>;
