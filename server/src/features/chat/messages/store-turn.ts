import type { Run } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import { RunActiveError } from '#server/conversation/errors';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { noSuchFile } from '#server/features/chat/shared/attachments';
import { type BranchHead, emptyBranch } from '#server/features/chat/shared/branch-repository';
import type { ChatTarget } from '#server/features/chat/shared/chat-target';
import { type Attachment, messageFileRepository } from '#server/features/chat/shared/message-file-repository';
import {
  type IdempotencyKey,
  type MessagePlace,
  messageRepository,
} from '#server/features/chat/shared/message-repository';
import { noThread } from '#server/features/chat/shared/not-found';
import { countsAsActive, maxActiveThreads } from '#server/features/chat/shared/run-limits';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { searchRepository } from '#server/features/chat/shared/search-repository';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import { openingTitle } from '#server/features/chat/shared/thread-title';
import { AppError, DatabaseFullError, UnavailableError } from '#server/lib/errors';
import type { AutomaticSummaries } from './automatic-summaries.ts';

/** An empty answer with its run. */
export type StoredAnswer = {
  /** The message that is answered. */
  head: BranchHead;
  run: Run;
  target: ChatTarget;
  apiRunId?: number;
};

/** `messageId`: the message that the response returns. */
export type StoredTurn = { messageId: number; answers: StoredAnswer[] };

/** Thrown to roll the transaction back: another request with the same key has stored the turn. */
class AlreadyStoredError extends Error {}

/** Call in the transaction that stores a run. @throws RunActiveError, AppError if the user has too many active runs */
export async function rejectSecondRun(
  trx: Kysely<Database>,
  userId: number,
  threadId: number,
  key: IdempotencyKey | null,
) {
  const busy = await runRepository(trx).busy(userId);
  const here = busy.find((run) => run.threadId === threadId);
  const threads = new Set(busy.filter(countsAsActive).map(({ threadId }) => threadId));
  const isRefused = here !== undefined || threads.size >= maxActiveThreads;
  // A retry of a request whose runs are active is not rejected: it gets the result of the first one.
  if (isRefused && key && (await messageRepository(trx).byClientId(userId, key.id))) throw new AlreadyStoredError();
  if (here) throw new RunActiveError(here);
  if (threads.size >= maxActiveThreads)
    throw new AppError(
      'too_many_runs',
      `Answers are already being written in ${maxActiveThreads} conversations. Wait for one of them to finish.`,
    );
}

/** The message that a new one follows: the named one, or the end of the shown branch. undefined: it is the first. */
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
    throw new AppError('invalid_input', 'A message can only follow an answer, not another message.', {
      fields: { parentId: 'A message can only follow an answer.' },
    });
  return parent;
}

export type NewQuestion = {
  userId: number;
  threadId: number;
  text: string;
  key: IdempotencyKey;
  attached: Attachment[];
  /** undefined: the end of the shown branch; null: none. */
  parentId: number | null | undefined;
  /** Decides in the transaction. false: nothing is stored. */
  claim?: (trx: Kysely<Database>) => Promise<boolean>;
};
type NewAnswer = { userId: number; question: MessagePlace; key: IdempotencyKey | null };
type Context = {
  db: Kysely<Database>;
  instance: number;
  earlier: Pick<AutomaticSummaries, 'begin'>;
};

/**
 * Stores a message with an empty answer and a run for each target, in one transaction.
 * undefined: a concurrent request with the same key has stored it, or `claim` refuses. @throws CommitUnknownError
 */
export const storeQuestion = (
  { db, ...context }: Context,
  question: NewQuestion,
  targets: ChatTarget[],
): Promise<StoredTurn | undefined> => inOneTransaction(db, (trx) => insertQuestion(trx, context, question, targets));

/** Stores another empty answer to a stored message, and its run. Otherwise like `storeQuestion`. */
export const storeAnswer = (
  { db, ...context }: Context,
  answer: NewAnswer,
  targets: ChatTarget[],
): Promise<StoredTurn | undefined> => inOneTransaction(db, (trx) => insertAnswer(trx, context, answer, targets));

/** The database became unavailable during the commit, so it is unknown whether the answers are stored. */
export class CommitUnknownError extends UnavailableError {
  readonly answers: StoredAnswer[];
  constructor(cause: unknown, answers: StoredAnswer[]) {
    super('database', cause);
    this.answers = answers;
  }
}

async function inOneTransaction(
  db: Kysely<Database>,
  insert: (trx: Kysely<Database>) => Promise<StoredTurn>,
): Promise<StoredTurn | undefined> {
  let written: StoredTurn | undefined;
  try {
    return await db.transaction().execute(async (trx) => {
      written = await insert(trx);
      return written;
    });
  } catch (error) {
    if (error instanceof AlreadyStoredError) return undefined;
    // A commit that fails for lack of disk space has stored nothing.
    if (error instanceof UnavailableError && !(error instanceof DatabaseFullError) && written)
      throw new CommitUnknownError(error, written.answers);
    throw error;
  }
}

async function insertQuestion(
  trx: Kysely<Database>,
  { instance, earlier }: Omit<Context, 'db'>,
  { userId, threadId, text, key, attached, parentId, claim }: NewQuestion,
  targets: ChatTarget[],
): Promise<StoredTurn> {
  const at = new Date().toISOString();
  await lockUserRow(trx, userId);
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, 1 + targets.length);
  if (!place) throw noThread();
  await rejectSecondRun(trx, userId, threadId, key);
  if (claim && !(await claim(trx))) throw new AlreadyStoredError();
  const parent = await parentOf(trx, userId, threadId, parentId, place.thread.headMessageId);
  const depth = parent ? parent.depth + 1 : 0;
  await earlier.begin(trx, { userId, threadId, parent, targets, at });
  const question = { threadId, parentId: parent?.id ?? null, position: place.first, depth };
  const id = await messageRepository(trx).insert(userId, { ...question, role: 'user', text, key, at });
  if (id === undefined) throw new AlreadyStoredError();
  if (!(await messageFileRepository(trx).attach(userId, id, attached))) throw noSuchFile();
  const answersAt = { threadId, head: { id, depth }, position: place.first + 1, key: null, at };
  const answers = await insertAnswers(trx, instance, userId, answersAt, targets);
  const isFirst = place.thread.titleSource === 'opening' && place.first === 1;
  const title = isFirst ? openingTitle(text) : undefined;
  await threads.showEnd(userId, threadId, { headMessageId: answers[0]?.run.messageId, updatedAt: at, title });
  const search = searchRepository(trx);
  const filenames = attached.map(({ filename }) => filename);
  await search.putMessage(userId, id, text, filenames);
  if (title !== undefined) await search.putTitle(userId, threadId, title);
  return { messageId: id, answers };
}

async function insertAnswer(
  trx: Kysely<Database>,
  { instance, earlier }: Omit<Context, 'db'>,
  { userId, question, key }: NewAnswer,
  targets: ChatTarget[],
): Promise<StoredTurn> {
  const { threadId } = question;
  const at = new Date().toISOString();
  await lockUserRow(trx, userId);
  const threads = threadRepository(trx);
  const place = await threads.takePositions(userId, threadId, 1);
  if (!place) throw noThread();
  await rejectSecondRun(trx, userId, threadId, key);
  const { parentId, depth } = question;
  const parent = parentId === null ? undefined : { id: parentId, depth: depth - 1 };
  await earlier.begin(trx, { userId, threadId, parent, targets, at });
  const answersAt = { threadId, head: question, position: place.first, key, at };
  const answers = await insertAnswers(trx, instance, userId, answersAt, targets.slice(0, 1));
  const messageId = answers[0]?.run.messageId;
  await threads.showEnd(userId, threadId, { headMessageId: messageId, updatedAt: at });
  return { messageId: messageId ?? 0, answers };
}

/** Inserts an empty answer and its run for each target. */
export async function insertAnswers(
  trx: Kysely<Database>,
  instance: number,
  userId: number,
  place: { threadId: number; head: BranchHead; position: number; key: IdempotencyKey | null; at: string },
  targets: ChatTarget[],
): Promise<StoredAnswer[]> {
  const { threadId, head, key, at } = place;
  const answers: StoredAnswer[] = [];
  for (const [beside, target] of targets.entries()) {
    const messageId = await messageRepository(trx).insert(userId, {
      threadId,
      parentId: head === emptyBranch ? null : head.id,
      position: place.position + beside,
      depth: head.depth + 1,
      role: 'assistant',
      text: '',
      key,
      at,
    });
    if (messageId === undefined) throw new AlreadyStoredError();
    const { assistantId, assistantVersion, model, schema: responseSchema } = target;
    const newRun = { threadId, messageId, assistantId, assistantVersion, model: model ?? '', beside };
    const run = await runRepository(trx).insert(userId, { ...newRun, instance, responseSchema, at });
    answers.push({ head, run, target });
  }
  return answers;
}
