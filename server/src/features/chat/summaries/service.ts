import type { Message } from '@roster/contracts/chat';
import type { summaries } from '@roster/contracts/summaries';
import type { z } from 'zod';
import { lockUserRow } from '#server/db/locks';
import { rejectRetiredModels } from '#server/features/chat/messages/reject-retired-models';
import { callFor, findThread, type MessageContext } from '#server/features/chat/messages/start-turn';
import { branchRepository } from '#server/features/chat/shared/branch-repository';
import { type MessagePlace, messageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import { summarizeJob } from '#server/features/chat/shared/summarize-job';
import { summaryRepository } from '#server/features/chat/shared/summary-repository';
import { type ThreadRecord, threadRepository } from '#server/features/chat/shared/thread-repository';
import { jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { AppError } from '#server/lib/errors';
import type { SummaryWriter } from './write-summary.ts';

type SummaryRequest = z.output<typeof summaries.create.body>;

const noSummary = () => new AppError('not_found', 'This message has no summary.');
const tooShort = () => new AppError('conflict', 'There are no earlier messages to summarize.');
const gaveUp = 'Something went wrong on the server. Please try again.';

/** Summaries that models are sent instead of earlier messages. */
export function summaryService(context: MessageContext, write: SummaryWriter) {
  const { db, partialAnswers } = context;

  async function shown(userId: number, messageId: number): Promise<Message> {
    const message = await messageRepository(db).find(userId, messageId);
    const [whole] = message ? await partialAnswers.withWords(userId, [message]) : [];
    if (!whole) throw noMessage();
    return whole;
  }

  /** @throws AppError for messages in the trash too */
  async function rejectHidden(userId: number, messageId: number) {
    const place = await messageRepository(db).place(userId, messageId);
    if (!place || !(await threadRepository(db).openedAs(userId, place.threadId))) throw noSummary();
  }

  return {
    /** Stores an empty summary, which a background job writes. */
    async create(userId: number, threadId: number, { before, overBudget = false }: SummaryRequest): Promise<Message> {
      const thread = await findThread(db, userId, threadId);
      const last = await lastSummarized(context, userId, thread, before);
      const targets = await context.findTargets(userId, thread, []);
      for (const { model } of targets) await context.openKey(userId, model);
      await rejectRetiredModels(context, { userId, thread, models: [], targets });
      if (!overBudget) await context.checkBudget(userId, callFor(thread, targets));
      await db.transaction().execute(async (trx) => {
        await lockUserRow(trx, userId);
        if (!(await threadRepository(trx).openedAs(userId, threadId))) throw noThread();
        const at = new Date().toISOString();
        if (await summaryRepository(trx).begin(userId, threadId, last.id, at))
          await enqueue(trx, summarizeJob, { userId, messageId: last.id });
      });
      return shown(userId, last.id);
    },
    async change(userId: number, messageId: number, text: string): Promise<Message> {
      await rejectHidden(userId, messageId);
      const at = new Date().toISOString();
      if (!(await summaryRepository(db).setText(userId, messageId, text, at))) throw noSummary();
      return shown(userId, messageId);
    },
    async remove(userId: number, messageId: number) {
      await rejectHidden(userId, messageId);
      if (!(await summaryRepository(db).remove(userId, messageId))) throw noSummary();
    },
    jobs: [
      jobHandler(
        summarizeJob,
        ({ userId, messageId }) => write(userId, messageId),
        async ({ userId, messageId }) => {
          const since = await summaryRepository(db).writingSince(userId, messageId);
          if (since) await summaryRepository(db).end(userId, messageId, since.at, { error: gaveUp });
        },
      ),
    ],
  };
}

export type SummaryService = ReturnType<typeof summaryService>;

/**
 * The last message to summarize: the one before a question. Without a question, the last exchange is kept as it is,
 * unless there is no other.
 */
async function lastSummarized(
  { db }: MessageContext,
  userId: number,
  { id: threadId, headMessageId }: ThreadRecord,
  before: number | undefined,
): Promise<MessagePlace> {
  const messages = messageRepository(db);
  const above = async ({ parentId }: MessagePlace) =>
    parentId === null ? undefined : await messages.place(userId, parentId);
  if (before !== undefined) {
    const question = await messages.place(userId, before);
    if (question?.threadId !== threadId) throw noMessage();
    const last = await above(question);
    if (!last) throw tooShort();
    return last;
  }
  const head = headMessageId === null ? undefined : await messages.place(userId, headMessageId);
  if (!head) throw tooShort();
  const question = head.role === 'user' ? head : await above(head);
  const last = question && (await above(question));
  if (last) return last;
  const isDone = head.role === 'assistant' && (await isEnded(db, userId, threadId, head));
  if (!isDone) throw tooShort();
  return head;
}

async function isEnded(db: MessageContext['db'], userId: number, threadId: number, { id, depth }: MessagePlace) {
  const [head] = await branchRepository(db).messages(userId, { threadId, head: id, from: depth, to: depth });
  return head !== undefined && !['queued', 'running', 'waiting'].includes(head.state);
}
