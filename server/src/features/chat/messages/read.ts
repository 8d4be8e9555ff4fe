import type { Message } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type MessagePlace, messageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage } from '#server/features/chat/shared/not-found';
import { threadRepository } from '#server/features/chat/shared/thread-repository';
import type { MessageContext } from './start-turn.ts';

const maxListedAnswers = 20;

export async function findMessage({ db }: MessageContext, userId: number, messageId: number): Promise<Message> {
  const message = await messageRepository(db).find(userId, messageId);
  if (!message) throw noMessage();
  return message;
}

/** The question that a message is, or that it answers. */
export async function findQuestion(db: Kysely<Database>, userId: number, messageId: number): Promise<MessagePlace> {
  const messages = messageRepository(db);
  const named = await messages.place(userId, messageId);
  const questionId = named?.role === 'assistant' ? named.parentId : named?.id;
  const question = typeof questionId === 'number' ? await messages.place(userId, questionId) : undefined;
  if (!question) throw noMessage();
  return question;
}

/** The newest answers to a question; `messageId` is the question or one of its answers. */
export async function listAnswers(context: MessageContext, userId: number, messageId: number) {
  const { db, partialAnswers } = context;
  const question = await findQuestion(db, userId, messageId);
  // Refuses those in the trash.
  if (!(await threadRepository(db).openedAs(userId, question.threadId))) throw noMessage();
  const answers = await messageRepository(db).newestAnswers(userId, question, maxListedAnswers);
  return { items: await partialAnswers.withWords(userId, answers) };
}
