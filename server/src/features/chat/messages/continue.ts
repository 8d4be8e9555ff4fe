import type { chat } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { noMessage, noThread } from '#server/features/chat/not-found';
import { framesToGoOnWith } from '#server/features/chat/runs/event-log';
import { type EventBatch, eventRepository } from '#server/features/chat/runs/event-repository';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import { runRepository } from '#server/features/chat/runs/repository';
import { serverCallRepository } from '#server/features/chat/runs/server-call-repository';
import { type ThreadRecord, threadRepository } from '#server/features/chat/threads/repository';
import { usageRepository } from '#server/features/usage/repository';
import { AppError } from '#server/lib/errors';
import type { Secret } from '#server/security/secret';
import { refuseSecondQuestion } from './answer-store.ts';
import type { AnswererFinder } from './answerer.ts';
import { clientCall, clientIdUsed, type Started } from './client-calls.ts';
import type { EndedModelRefusal } from './refuse-ended.ts';
import { type ClientCall, type MessagePlace, messageRepository } from './repository.ts';
import type { ContinuedOrder } from './run-order.ts';

type Continuation = z.output<typeof chat.continue.body>;

type Dependencies = {
  database: Pick<OpenDatabase, 'db'>;
  executor: Pick<RunExecutor, 'refuseWhenClosing' | 'continueEnded'>;
  instance: number;
  openKey: (userId: number) => Promise<Secret>;
  checkBudget: (userId: number, assistantId: number | null) => Promise<void>;
  answerersFor: AnswererFinder;
  refuseEnded: EndedModelRefusal;
  continuedOrder: ContinuedOrder;
  ownThread: (userId: number, threadId: number) => Promise<ThreadRecord>;
};

/** Thrown inside the transaction to roll it back: an earlier request has stored the same call. */
class AlreadyContinuedError extends Error {}

const refused = (why: string) => new AppError('conflict', why);

/**
 * Goes on with an answer that is not whole, in the same message and by the same run.
 *
 * Long: recognizing a retry, storing and starting, each read alone.
 */
export function answerContinuing({
  database: { db },
  executor,
  instance,
  openKey,
  checkBudget,
  answerersFor,
  refuseEnded,
  continuedOrder,
  ownThread,
}: Dependencies) {
  /** The response to an earlier request with the same client id. */
  async function earlier(userId: number, messageId: number, client: ClientCall): Promise<Started | undefined> {
    const used = await messageRepository(db).byClientId(userId, client.id);
    if (used) throw clientIdUsed();
    const written = await runRepository(db).written(userId, messageId);
    return written?.clientId === client.id ? started(userId, messageId) : undefined;
  }

  async function started(userId: number, messageId: number): Promise<Started> {
    const run = await runRepository(db).ofMessage(userId, messageId);
    const message = await messageRepository(db).find(userId, messageId);
    if (!run || !message) throw noMessage();
    return { message, run, runs: [run] };
  }

  async function store(userId: number, threadId: number, messageId: number, client: ClientCall) {
    return db.transaction().execute(async (trx) => {
      await lockUserRow(trx, userId);
      const threads = threadRepository(trx);
      if (!(await threads.takePositions(userId, threadId, 0))) throw noThread();
      const written = await continuable(trx, userId, messageId, client);
      await refuseSecondQuestion(trx, userId, threadId, null);
      const runs = runRepository(trx);
      const ended = await runs.finished(userId, written.id);
      if (!ended) throw noMessage();
      const { frames, last } = framesToGoOnWith(ended.log, ended.usage && { type: 'usage', ...ended.usage });
      const batch: EventBatch = { runId: written.id, first: 1, last, frames };
      const calls = await serverCallRepository(trx).ofRun(userId, written.id);
      // The last request of an answer has no number of its own among its steps.
      const step = 2 + Math.max(calls.at(-1)?.step ?? 0, await usageRepository(trx).lastStep(userId, written.id));
      await runs.continueEnded(userId, written.id, { step, client, instance });
      await eventRepository(trx).store([], [batch]);
      await threads.showEnd(userId, threadId, { headMessageId: undefined, updatedAt: new Date().toISOString() });
      return { batches: [batch], step, calls };
    });
  }

  async function begin(
    userId: number,
    thread: ThreadRecord,
    { id: messageId, depth }: MessagePlace,
    client: ClientCall,
    overBudget: boolean,
  ) {
    const { id: runId, assistantId, model } = await continuable(db, userId, messageId, client);
    const apiKey = await openKey(userId);
    const models = model === '' ? [] : [model];
    const [answerer] = await answerersFor(userId, { ...thread, assistantId, model: null }, models);
    if (!answerer) throw noMessage();
    await refuseEnded(userId, thread, models, [answerer]);
    if (!overBudget) await checkBudget(userId, assistantId);
    // The rest of an answer in a form is no answer in that form.
    const of = { runId, userId, threadId: thread.id, messageId, answerer: { ...answerer, schema: null }, overBudget };
    await executor.continueEnded(continuedOrder(apiKey, of, { id: messageId, depth }), () =>
      store(userId, thread.id, messageId, client),
    );
  }

  return async function continueAnswer(
    userId: number,
    messageId: number,
    { clientId, overBudget = false }: Continuation,
  ): Promise<Started> {
    const client = clientCall(clientId, 'continue', messageId);
    const place = await messageRepository(db).place(userId, messageId);
    if (!place) throw noMessage();
    const thread = await ownThread(userId, place.threadId);
    const known = await earlier(userId, messageId, client);
    if (known) return known;
    executor.refuseWhenClosing(userId);
    if (thread.madeBy !== null) throw refused(ofProgram);
    await begin(userId, thread, place, client, overBudget).catch((error: unknown) => {
      if (!(error instanceof AlreadyContinuedError)) throw error;
    });
    return started(userId, messageId);
  };
}

/** The run of an answer that can be continued. @throws AppError */
async function continuable(db: Kysely<Database>, userId: number, messageId: number, client: ClientCall) {
  const message = await messageRepository(db).find(userId, messageId);
  const written = await runRepository(db).written(userId, messageId);
  if (!message) throw noMessage();
  if (!written) throw refused('Only an answer can be continued.');
  if (written.clientId === client.id) throw new AlreadyContinuedError();
  if (written.programRunId !== null) throw refused(ofProgram);
  if (written.state === 'queued' || written.state === 'running' || written.state === 'waiting')
    throw new AppError('run_in_progress', 'This answer is being written.');
  if (written.state === 'complete' && message.endedEarly === null)
    throw refused('This answer is complete. Ask for more in a new message.');
  if (message.text.trim() === '') throw refused('There is no text to continue. Ask for a new answer.');
  if (await messageRepository(db).hasChildren(userId, messageId))
    throw refused('The conversation has gone on after this answer. Ask for the rest in a new message.');
  return written;
}

const ofProgram = 'A program asked for this answer, so it cannot be continued here.';
