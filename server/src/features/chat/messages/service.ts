import type { Message } from '@roster/contracts/chat';
import type { OpenDatabase } from '#server/db/connect';
import { noMessage, noThread } from '#server/features/chat/not-found';
import type { RunExecutor } from '#server/features/chat/runs/executor';
import type { PartialAnswers } from '#server/features/chat/runs/partial-answers';
import { type ThreadRecord, threadRepository } from '#server/features/chat/threads/repository';
import type { RetirementGuard } from '#server/features/models/retirement/guard';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Secret } from '#server/security/secret';
import { answerStore } from './answer-store.ts';
import type { AnswererFinder } from './answerer.ts';
import type { AttachmentReader } from './attachments.ts';
import { answerContinuing } from './continue.ts';
import { programRuns } from './program-runs.ts';
import { endedModelRefusal } from './refuse-ended.ts';
import { answerRegenerating } from './regenerate.ts';
import { type MessagePlace, messageRepository } from './repository.ts';
import type { ContinuedOrder, OrderMaker } from './run-order.ts';
import { messageSending } from './send.ts';
import { answerStarter } from './start-answers.ts';

/** How many answers to one question are listed. */
const answersListed = 20;

type Dependencies = {
  database: OpenDatabase;
  executor: RunExecutor;
  catalogue: Catalogue;
  instance: number;
  openKey: (userId: number) => Promise<Secret>;
  /** Refuses a call that a budget does not allow. */
  checkBudget: (userId: number, assistantId: number | null, way?: string) => Promise<void>;
  answerersFor: AnswererFinder;
  /** Refuses models that are known not to be usable, naming the field. Makes no call to the provider. */
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
  endedModels: RetirementGuard;
  attachments: AttachmentReader;
  orderOf: OrderMaker;
  continuedOrder: ContinuedOrder;
  underWay: PartialAnswers;
};

/** Messages and their answers. */
export function messageService(dependencies: Dependencies) {
  const { database, instance, underWay } = dependencies;
  const { db } = database;
  const messages = messageRepository(db);
  const threads = threadRepository(db);
  const store = answerStore(database, instance);
  const refuseEnded = endedModelRefusal({ ...dependencies, modelOf: messages.modelOf });
  const start = answerStarter({ db, ...dependencies, refuseEnded });

  async function ownThread(userId: number, threadId: number): Promise<ThreadRecord> {
    const thread = await threads.find(userId, threadId);
    if (!thread) throw noThread();
    return thread;
  }

  async function questionOf(userId: number, messageId: number): Promise<MessagePlace> {
    const named = await messages.place(userId, messageId);
    const questionId = named?.role === 'assistant' ? named.parentId : named?.id;
    const question = typeof questionId === 'number' ? await messages.place(userId, questionId) : undefined;
    if (!question) throw noMessage();
    return question;
  }

  const starting = { ...dependencies, start, store, refuseEnded, ownThread, questionOf };
  return {
    async find(userId: number, messageId: number): Promise<Message> {
      const message = await messages.find(userId, messageId);
      if (!message) throw noMessage();
      return message;
    },
    /** The answers to a question, or those beside an answer. */
    async answers(userId: number, messageId: number): Promise<{ items: Message[] }> {
      const answers = await messages.newestAnswers(userId, await questionOf(userId, messageId), answersListed);
      return { items: await underWay.withWords(userId, answers) };
    },
    send: messageSending(starting),
    regenerate: answerRegenerating(starting),
    continue: answerContinuing(starting),
    ofPrograms: programRuns({ db, ...dependencies }),
  };
}

export type MessageService = ReturnType<typeof messageService>;
