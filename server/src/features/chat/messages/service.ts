import { createHash } from 'node:crypto';
import type { Message, Run } from '@roster/contracts/chat';
import type { OpenDatabase } from '../../../db/connect.ts';
import { AppError } from '../../../errors.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import type { Secret } from '../../../security/secret.ts';
import type { RunExecutor } from '../runs/executor.ts';
import type { AnswersUnderWay } from '../runs/partial-answers.ts';
import { runRepository } from '../runs/repository.ts';
import { type ThreadRecord, threadRepository } from '../threads/repository.ts';
import { noThread } from '../threads/service.ts';
import { answerStore, type StoredAnswer } from './answer-store.ts';
import type { answererFinder } from './answerer.ts';
import type { AttachmentReader } from './attachments.ts';
import { type ClientCall, messageRepository } from './repository.ts';
import { orderMaker } from './run-order.ts';

/** How many answers to one question are listed. */
const answersListed = 20;

type Dependencies = {
  database: OpenDatabase;
  executor: RunExecutor;
  catalogue: Catalogue;
  instance: number;
  openKey: (userId: number) => Promise<Secret>;
  /** Refuses a call that a budget does not allow. */
  checkBudget: (userId: number, assistantId: number | null) => Promise<void>;
  answerersFor: ReturnType<typeof answererFinder>;
  /** Refuses models that are known not to be usable, naming the field. Nobody outside is asked. */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
  /** May ask the provider. */
  defaultModel: (userId: number) => Promise<string>;
  attachments: AttachmentReader;
  underWay: AnswersUnderWay;
};

type Draft = {
  message: string;
  clientId: string;
  fileIds?: number[] | undefined;
  parentId?: number | null | undefined;
  models?: string[] | undefined;
  overBudget?: boolean | undefined;
};
type Again = { clientId?: string | undefined; model?: string | undefined; overBudget?: boolean | undefined };
/** `run` is the first of `runs`. */
type Stored = { message: Message; run: Run; runs: Run[] };

export function messageService(dependencies: Dependencies) {
  const { underWay, database, executor, instance, openKey, checkBudget, answerersFor, checkModels, attachments } =
    dependencies;
  const { db } = database;
  const messages = messageRepository(db);
  const runs = runRepository(db);
  const store = answerStore(database, instance);
  const orderOf = orderMaker({ db, ...dependencies });

  async function find(userId: number, messageId: number): Promise<Message> {
    const message = await messages.find(userId, messageId);
    if (!message) throw noMessage();
    return message;
  }

  /** What an earlier request with the same client id got. @throws conflict where that one asked for something else */
  async function earlier(userId: number, client: ClientCall | null): Promise<Stored | undefined> {
    const place = client && (await messages.byClientId(userId, client.id));
    if (!place) return undefined;
    if (place.digest !== null && place.digest !== client.digest) throw clientIdUsed();
    const ofOne = async () => [await runs.ofMessage(userId, place.id)].filter((run) => run !== undefined);
    const started = await (place.role === 'user' ? runs.ofQuestion(userId, place.id) : ofOne());
    const [run] = started;
    return run && { message: await find(userId, place.id), run, runs: started };
  }

  async function first(userId: number, client: ClientCall | null): Promise<Stored> {
    const found = await earlier(userId, client);
    if (!found) throw noThread();
    return found;
  }

  async function ownThread(userId: number, threadId: number): Promise<ThreadRecord> {
    const thread = await threadRepository(db).find(userId, threadId);
    if (!thread) throw noThread();
    return thread;
  }

  /** Who will answer, after all that can be said against it is said. */
  async function ready(userId: number, thread: ThreadRecord, models: string[], overBudget: boolean | undefined) {
    const apiKey = await openKey(userId);
    const answerers = await answerersFor(userId, thread, models);
    if (!overBudget) await checkBudget(userId, answerers[0]?.assistantId ?? null);
    return { apiKey, answerers };
  }

  /** Begins to write what was stored. */
  function begin(userId: number, apiKey: Secret, stored: StoredAnswer[]): Run[] {
    for (const answer of stored) executor.start(orderOf(userId, apiKey, answer));
    return stored.map(({ run }) => run);
  }

  async function questionOf(userId: number, messageId: number) {
    const named = await messages.place(userId, messageId);
    const questionId = named?.role === 'assistant' ? named.parentId : named?.id;
    const question = typeof questionId === 'number' ? await messages.place(userId, questionId) : undefined;
    if (!question) throw noMessage();
    return question;
  }

  return {
    find,

    /** The answers to a question, or those beside an answer. */
    async answers(userId: number, messageId: number): Promise<{ items: Message[] }> {
      const answers = await messages.newestChildren(userId, await questionOf(userId, messageId), answersListed);
      return { items: await underWay.withWords(userId, answers) };
    },

    async send(userId: number, threadId: number, draft: Draft): Promise<Stored> {
      const { message: text, clientId, fileIds = [], parentId, models = [], overBudget } = draft;
      const client = {
        id: clientId,
        digest: digestOf('send', threadId, text, fileIds, parentId ?? String(parentId), models),
      };
      const known = await earlier(userId, client);
      if (known) return known;
      executor.refuseWhenClosing(userId);
      const thread = await ownThread(userId, threadId);
      const attached = await attachments.inspect(userId, fileIds);
      if (models.length > 0) await checkModels(userId, models, 'models');
      const { apiKey, answerers } = await ready(userId, thread, models, overBudget);
      const question = { threadId, text, client, attached, parentId };
      const stored = await store.question(userId, question, answerers);
      const [answer] = stored ?? [];
      if (!stored || !answer) return first(userId, client);
      const {
        question: { id },
        run,
      } = answer;
      return { runs: begin(userId, apiKey, stored), run, message: await find(userId, id) };
    },

    /** A new answer beside the old one: to the same question, or to a question that is named itself. */
    async regenerate(userId: number, messageId: number, { clientId, model, overBudget }: Again): Promise<Stored> {
      const digest = digestOf('regenerate', messageId, model ?? null);
      const client = clientId === undefined ? null : { id: clientId, digest };
      const known = await earlier(userId, client);
      if (known) return known;
      executor.refuseWhenClosing(userId);
      const question = await questionOf(userId, messageId);
      const { threadId } = question;
      const thread = await ownThread(userId, threadId);
      const models = model === undefined ? [] : [model];
      await checkModels(userId, models, 'model');
      const { apiKey, answerers } = await ready(userId, thread, models, overBudget);
      const [answerer] = answerers;
      const stored = answerer && (await store.answer(userId, { threadId, question, client }, answerer));
      const [answer] = stored ?? [];
      if (!stored || !answer) return first(userId, client);
      const { run } = answer;
      return { runs: begin(userId, apiKey, stored), run, message: await find(userId, run.messageId) };
    },
  };
}

export type MessageService = ReturnType<typeof messageService>;

const noMessage = () => new AppError('not_found', 'This message does not exist.');

const clientIdUsed = () =>
  new AppError(
    'client_id_used',
    'Something else was sent with this clientId already, so nothing was stored. Send it again with a new one.',
  );

/** What tells one call from another with the same client id. Whether a budget was passed over does not. */
const digestOf = (...asked: unknown[]) => createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
