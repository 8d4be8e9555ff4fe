import type { Run } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import { RunActiveError } from '#server/conversation/errors';
import type { OpenDatabase } from '#server/db/connect';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { noThread } from '#server/features/chat/not-found';
import { type BusyThread, runRepository } from '#server/features/chat/runs/repository';
import { searchRepository } from '#server/features/chat/search/repository';
import { threadRepository } from '#server/features/chat/threads/repository';
import { openingTitle } from '#server/features/chat/threads/titles';
import { AppError, DatabaseFullError, UnavailableError } from '#server/lib/errors';
import type { Answerer } from './answerer.ts';
import { noSuchFile } from './attachments.ts';
import { type Attachment, messageFileRepository } from './file-repository.ts';
import { type ClientCall, messageRepository } from './repository.ts';

/** Conversations in which answers are written, at a time. */
export const conversationsAtOnce = 3;

export type Question = { id: number; depth: number };
/** Before the first message of a thread: an answer that stands there has the instructions alone. */
export const noQuestion: Question = { id: 0, depth: -1 };
/** An answer that is still empty, with its run. */
export type StoredAnswer = {
  question: Question;
  run: Run;
  answerer: Answerer;
  programRunId?: number;
  /** Asked for although a budget is used up. */
  overBudget?: boolean | undefined;
};

/** Thrown inside the transaction to roll it back: an earlier request has stored the same call. */
class AlreadyThere extends Error {}

/** Programs have a limit of their own, and what waits for a person keeps nobody busy. */
export const isBeingWritten = ({ isOfProgram, waitsFor }: BusyThread) => !isOfProgram && waitsFor !== 'approval';

/** Inside the transaction that stores a run: refuses where another run of the thread is open, unless this is a retry of the same call. */
export async function refuseSecondQuestion(
  trx: Kysely<Database>,
  userId: number,
  threadId: number,
  client: ClientCall | null,
) {
  const busy = await runRepository(trx).busy(userId);
  const here = busy.find((run) => run.threadId === threadId);
  const threads = new Set(busy.filter(isBeingWritten).map(({ threadId }) => threadId));
  const isRefused = here !== undefined || threads.size >= conversationsAtOnce;
  if (isRefused && client && (await messageRepository(trx).byClientId(userId, client.id))) throw new AlreadyThere();
  if (here) throw new RunActiveError(here);
  if (threads.size >= conversationsAtOnce)
    throw new AppError(
      'too_many_runs',
      `Answers are being written in ${conversationsAtOnce} conversations already. Wait for one of them.`,
    );
}

/** The parent of a new message: the named one, or the end of the shown branch. An answer, a message without one, or none. */
async function parentOf(
  trx: Kysely<Database>,
  userId: number,
  threadId: number,
  named: number | null | undefined,
  shownEnd: number | null,
) {
  const parentId = named === undefined ? shownEnd : named;
  if (parentId === null) return undefined;
  const parent = await messageRepository(trx).place(userId, parentId);
  if (parent?.threadId !== threadId)
    throw new AppError('not_found', 'The message this one follows does not exist.', {
      fields: { parentId: 'This message does not exist.' },
    });
  if (parent.role === 'user' && (await messageRepository(trx).isAnswered(userId, parent.id)))
    throw new AppError('invalid_input', 'A message follows an answer, not another message.', {
      fields: { parentId: 'A message follows an answer.' },
    });
  return parent;
}

export type NewQuestion = {
  threadId: number;
  text: string;
  client: ClientCall;
  attached: Attachment[];
  /** undefined: the end of the shown branch. */
  parentId: number | null | undefined;
};

/** Stores an empty answer of each answerer and its run, and shows the first. */
export async function insertAnswers(
  trx: Kysely<Database>,
  instance: number,
  userId: number,
  place: { threadId: number; question: Question; position: number; client: ClientCall | null; at: string },
  answerers: Answerer[],
): Promise<StoredAnswer[]> {
  const { threadId, question, client, at } = place;
  const stored: StoredAnswer[] = [];
  for (const [beside, answerer] of answerers.entries()) {
    const messageId = await messageRepository(trx).insert(userId, {
      threadId,
      parentId: question === noQuestion ? null : question.id,
      position: place.position + beside,
      depth: question.depth + 1,
      role: 'assistant',
      text: '',
      client,
      at,
    });
    if (messageId === undefined) throw new AlreadyThere();
    const { assistantId, assistantVersion, model, schema: responseSchema } = answerer;
    const of = {
      threadId,
      messageId,
      assistantId,
      assistantVersion,
      model: model ?? '',
      beside,
      instance,
      responseSchema,
      at,
    };
    stored.push({ question, run: await runRepository(trx).insert(userId, of), answerer });
  }
  return stored;
}

async function storeQuestion(
  trx: Kysely<Database>,
  instance: number,
  userId: number,
  { threadId, text, client, attached, parentId }: NewQuestion,
  answerers: Answerer[],
): Promise<StoredAnswer[]> {
  const at = new Date().toISOString();
  await lockUserRow(trx, userId);
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, 1 + answerers.length);
  if (!place) throw noThread();
  await refuseSecondQuestion(trx, userId, threadId, client);
  const parent = await parentOf(trx, userId, threadId, parentId, place.thread.headMessageId);
  const depth = parent ? parent.depth + 1 : 0;
  const question = { threadId, parentId: parent?.id ?? null, position: place.first, depth };
  const id = await messageRepository(trx).insert(userId, { ...question, role: 'user', text, client, at });
  if (id === undefined) throw new AlreadyThere();
  if (!(await messageFileRepository(trx).attach(userId, id, attached))) throw noSuchFile();
  const answersAt = { threadId, question: { id, depth }, position: place.first + 1, client: null, at };
  const stored = await insertAnswers(trx, instance, userId, answersAt, answerers);
  const isFirst = place.thread.titleSource === 'opening' && place.first === 1;
  const title = isFirst ? openingTitle(text) : undefined;
  await threads.showEnd(userId, threadId, { headMessageId: stored[0]?.run.messageId, updatedAt: at, title });
  const search = searchRepository(trx);
  const filenames = attached.map(({ filename }) => filename);
  await search.putMessage(userId, id, text, filenames);
  if (title !== undefined) await search.putTitle(userId, threadId, title);
  return stored;
}

type AnswerPlace = { threadId: number; question: Question; client: ClientCall | null };

async function storeAnswer(
  trx: Kysely<Database>,
  instance: number,
  userId: number,
  { threadId, question, client }: AnswerPlace,
  answerer: Answerer,
): Promise<StoredAnswer[]> {
  const at = new Date().toISOString();
  await lockUserRow(trx, userId);
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, 1);
  if (!place) throw noThread();
  await refuseSecondQuestion(trx, userId, threadId, client);
  const answersAt = { threadId, question, position: place.first, client, at };
  const stored = await insertAnswers(trx, instance, userId, answersAt, [answerer]);
  await threads.showEnd(userId, threadId, { headMessageId: stored[0]?.run.messageId, updatedAt: at });
  return stored;
}

/** The database went away while all of this was committed: nobody knows whether it is stored. */
export class InDoubt extends UnavailableError {
  readonly written: StoredAnswer[];
  constructor(cause: unknown, written: StoredAnswer[]) {
    super('database', cause);
    this.written = written;
  }
}

/** Stores questions and empty answers with their runs: all of a call in one transaction, before the provider is asked. */
export function answerStore({ db }: Pick<OpenDatabase, 'db'>, instance: number) {
  /** undefined: a request with the same client id was quicker. */
  async function once(store: (trx: Kysely<Database>) => Promise<StoredAnswer[]>): Promise<StoredAnswer[] | undefined> {
    let written: StoredAnswer[] | undefined;
    try {
      return await db.transaction().execute(async (trx) => {
        written = await store(trx);
        return written;
      });
    } catch (error) {
      if (error instanceof AlreadyThere) return undefined;
      // A commit without room has stored nothing.
      if (error instanceof UnavailableError && !(error instanceof DatabaseFullError) && written)
        throw new InDoubt(error, written);
      throw error;
    }
  }

  return {
    question: (userId: number, question: NewQuestion, answerers: Answerer[]) =>
      once((trx) => storeQuestion(trx, instance, userId, question, answerers)),
    /** A further answer to a stored question. */
    answer: (userId: number, place: AnswerPlace, answerer: Answerer) =>
      once((trx) => storeAnswer(trx, instance, userId, place, answerer)),
  };
}

export type AnswerStore = ReturnType<typeof answerStore>;
