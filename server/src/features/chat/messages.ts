import type { Message, Run } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '../../db/connect.ts';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import type { Catalogue } from '../../provider/catalogue.ts';
import type { Secret } from '../../security/secret.ts';
import type { Answerer } from './answerer.ts';
import { type AttachmentReader, noSuchFile } from './attachments.ts';
import { readHistory } from './history.ts';
import { type Attachment, messageFileRepository } from './message-file-repository.ts';
import { messageRepository } from './message-repository.ts';
import { runRepository } from './run-repository.ts';
import type { RunExecutor } from './runs.ts';
import { searchRepository } from './search-repository.ts';
import { threadRepository } from './thread-repository.ts';
import { noThread } from './threads.ts';
import { openingTitle } from './titles.ts';

/** At a time. */
export const runsPerUser = 3;

type Dependencies = {
  database: OpenDatabase;
  executor: RunExecutor;
  catalogue: Catalogue;
  instance: number;
  openKey: (userId: number) => Promise<Secret>;
  /** Refuses a call that a budget does not allow. */
  checkBudget: (userId: number, assistantId: number | null) => Promise<void>;
  answererFor: (userId: number, assistantId: number | null) => Promise<Answerer>;
  attachments: AttachmentReader;
};

type Stored = { question: { id: number; depth: number }; answerId: number; run: Run; answerer: Answerer };
/** Thrown inside the transaction to leave it: the same message was stored by a request that came first. */
class AlreadyThere extends Error {}

export function messageService(dependencies: Dependencies) {
  const { database, executor, catalogue, instance, openKey, checkBudget, answererFor, attachments } = dependencies;
  const { db, engine } = database;
  const messages = messageRepository(db);
  const runs = runRepository(db);

  async function find(userId: number, messageId: number): Promise<Message> {
    const message = await messages.find(userId, messageId);
    if (!message) throw new AppError('not_found', 'This message does not exist.');
    return message;
  }

  /** The answer that an earlier request with the same client id got. */
  async function earlier(userId: number, clientId: string | undefined) {
    const place = clientId === undefined ? undefined : await messages.byClientId(userId, clientId);
    if (!place) return undefined;
    const run = await (place.role === 'user' ? runs.ofQuestion(userId, place.id) : runs.ofMessage(userId, place.id));
    return run && { message: await find(userId, place.id), run };
  }

  /** undefined: a request with the same client id was quicker. */
  const once = (store: (trx: Kysely<Database>) => Promise<Stored>) =>
    db
      .transaction()
      .execute(store)
      .catch((error: unknown) => {
        if (error instanceof AlreadyThere) return undefined;
        throw error;
      });

  async function first(userId: number, clientId: string | undefined) {
    const found = await earlier(userId, clientId);
    if (!found) throw noThread();
    return found;
  }

  /**
   * First in the transaction that stores a run. Who changes assistants, or closes the account, takes the person before
   * the threads too: in another order two of them could wait for each other.
   */
  async function takeTurn(trx: Kysely<Database>, userId: number) {
    if (engine === 'postgres') await runRepository(trx).takeTurn(userId);
  }

  /** Inside that transaction: nothing else may be under way in the thread. */
  async function refuseSecondRun(trx: Kysely<Database>, userId: number, threadId: number) {
    const underWay = await runRepository(trx).underWay(userId);
    if (underWay.some((run) => run.threadId === threadId))
      throw new AppError(
        'run_in_progress',
        'An answer is still being written in this conversation. Stop it or wait for it.',
      );
    if (underWay.length >= runsPerUser)
      throw new AppError('too_many_runs', `${runsPerUser} answers are being written already. Wait for one of them.`);
  }

  /** Stores an empty answer to `question` and its run, and shows it. */
  async function insertAnswer(
    trx: Kysely<Database>,
    userId: number,
    place: { threadId: number; question: { id: number; depth: number }; position: number; clientId: string | null },
    answerer: Answerer,
    at: string,
  ): Promise<Stored> {
    const { threadId, question, position, clientId } = place;
    const answerId = await messageRepository(trx).insert(userId, {
      threadId,
      parentId: question.id,
      position,
      depth: question.depth + 1,
      role: 'assistant',
      text: '',
      clientId,
      at,
    });
    if (answerId === undefined) throw new AlreadyThere();
    const { assistantId, model } = answerer;
    const run = await runRepository(trx).insert(userId, {
      threadId,
      messageId: answerId,
      assistantId,
      model,
      instance,
      at,
    });
    return { question, answerId, run, answerer };
  }

  /** Begins to write what was stored. A failure before the provider is called ends the run like any other. */
  async function begin(userId: number, apiKey: Secret, { question, answerId, run, answerer }: Stored) {
    const { model, instructions, temperature, effort, assistantId, knowledge } = answerer;
    const { turns, ...rest } = await readHistory(
      { messages, messageFiles: messageFileRepository(db), attachments, catalogue },
      { userId, threadId: run.threadId, head: question.id, depth: question.depth },
      model,
      instructions,
    );
    executor.start({
      runId: run.id,
      userId,
      threadId: run.threadId,
      messageId: answerId,
      comparisonId: null,
      assistantId,
      request: { apiKey, model, instructions, turns, temperature, effort, search: knowledge.search },
      notes: knowledge.notes,
      ...rest,
    });
  }

  return {
    find,

    async send(
      userId: number,
      threadId: number,
      input: {
        message: string;
        clientId: string;
        fileIds?: number[] | undefined;
        parentId?: number | null | undefined;
        overBudget?: boolean | undefined;
      },
    ): Promise<{ message: Message; run: Run }> {
      const known = await earlier(userId, input.clientId);
      if (known) return known;
      executor.refuseWhenClosing(userId);
      const thread = await threadRepository(db, engine).find(userId, threadId);
      if (!thread) throw noThread();
      const attached = await attachments.inspect(userId, input.fileIds ?? []);
      const apiKey = await openKey(userId);
      const answerer = await answererFor(userId, thread.assistantId);
      if (!input.overBudget) await checkBudget(userId, answerer.assistantId);
      const at = new Date().toISOString();

      const stored = await once((trx) => storeQuestion(trx, userId, threadId, { ...input, attached }, answerer, at));
      if (!stored) return first(userId, input.clientId);
      await begin(userId, apiKey, stored);
      return { message: await find(userId, stored.question.id), run: stored.run };
    },

    /** A new answer beside the old one: to the same question, or to a question that is named itself. */
    async regenerate(
      userId: number,
      messageId: number,
      { clientId, overBudget }: { clientId?: string | undefined; overBudget?: boolean | undefined },
    ): Promise<{ message: Message; run: Run }> {
      const known = await earlier(userId, clientId);
      if (known) return known;
      executor.refuseWhenClosing(userId);
      const named = await messages.place(userId, messageId);
      const questionId = named?.role === 'assistant' ? named.parentId : named?.id;
      const question = typeof questionId === 'number' ? await messages.place(userId, questionId) : undefined;
      if (!question) throw new AppError('not_found', 'This message does not exist.');
      const { threadId } = question;
      const thread = await threadRepository(db, engine).find(userId, threadId);
      if (!thread) throw noThread();
      const apiKey = await openKey(userId);
      const answerer = await answererFor(userId, thread.assistantId);
      if (!overBudget) await checkBudget(userId, answerer.assistantId);
      const at = new Date().toISOString();
      const stored = await once(async (trx) => {
        await takeTurn(trx, userId);
        const place = await threadRepository(trx, engine).takePositions(userId, threadId, 1);
        if (!place) throw noThread();
        if (clientId && (await messageRepository(trx).byClientId(userId, clientId))) throw new AlreadyThere();
        await refuseSecondRun(trx, userId, threadId);
        const position = { threadId, question, position: place.first, clientId: clientId ?? null };
        const inserted = await insertAnswer(trx, userId, position, answerer, at);
        await threadRepository(trx, engine).update(userId, threadId, {
          headMessageId: inserted.answerId,
          updatedAt: at,
        });
        return inserted;
      });
      if (!stored) return first(userId, clientId);
      await begin(userId, apiKey, stored);
      return { message: await find(userId, stored.answerId), run: stored.run };
    },
  };

  /** What a message follows: the named one, or the end of the shown branch. Always an answer, or nothing. */
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
    if (parent.role === 'user')
      throw new AppError('invalid_input', 'A message follows an answer, not another message.', {
        fields: { parentId: 'A message follows an answer.' },
      });
    return parent;
  }

  async function storeQuestion(
    trx: Kysely<Database>,
    userId: number,
    threadId: number,
    input: { message: string; clientId: string; attached: Attachment[]; parentId?: number | null | undefined },
    answerer: Answerer,
    at: string,
  ): Promise<Stored> {
    await takeTurn(trx, userId);
    const threads = threadRepository(trx, engine);
    const place = await threads.takePositions(userId, threadId, 2);
    if (!place) throw noThread();
    if (await messageRepository(trx).byClientId(userId, input.clientId)) throw new AlreadyThere();
    await refuseSecondRun(trx, userId, threadId);
    const parent = await parentOf(trx, userId, threadId, input.parentId, place.thread.headMessageId);
    const depth = parent ? parent.depth + 1 : 0;
    const { message: text, clientId } = input;
    const question = {
      threadId,
      parentId: parent?.id ?? null,
      position: place.first,
      depth,
      role: 'user' as const,
      text,
      clientId,
      at,
    };
    const id = await messageRepository(trx).insert(userId, question);
    if (id === undefined) throw new AlreadyThere();
    if (!(await messageFileRepository(trx).attach(userId, engine, id, input.attached))) throw noSuchFile();
    const position = { threadId, question: { id, depth }, position: place.first + 1, clientId: null };
    const stored = await insertAnswer(trx, userId, position, answerer, at);
    const isFirst = place.thread.titleSource === 'opening' && place.first === 1;
    const title = isFirst ? openingTitle(text) : undefined;
    await threads.update(userId, threadId, { headMessageId: stored.answerId, updatedAt: at, title });
    const search = searchRepository(trx, engine);
    await search.putMessage(userId, id, text);
    if (title !== undefined) await search.putTitle(userId, threadId, title);
    return stored;
  }
}

export type MessageService = ReturnType<typeof messageService>;
