import type { chat } from '@roster/contracts/chat';
import type { z } from 'zod';
import type { ThreadRecord } from '#server/features/chat/threads/repository';
import type { AnswerStore } from './answer-store.ts';
import type { AttachmentReader } from './attachments.ts';
import { clientCall, type Started } from './client-calls.ts';
import type { AnswerStarter } from './start-answers.ts';

type Draft = z.output<typeof chat.send.body>;

type Dependencies = {
  start: AnswerStarter;
  store: Pick<AnswerStore, 'question'>;
  ownThread: (userId: number, threadId: number) => Promise<ThreadRecord>;
  attachments: Pick<AttachmentReader, 'inspect'>;
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
};

/** A message, and the answers to it. */
export function messageSending({ start, store, ownThread, attachments, checkModels }: Dependencies) {
  return function send(userId: number, threadId: number, draft: Draft): Promise<Started> {
    const { message: text, clientId, fileIds = [], parentId, models = [], overBudget } = draft;
    // Going over a budget on purpose does not make it another call.
    const client = clientCall(clientId, 'send', threadId, text, fileIds, parentId ?? String(parentId), models);
    return start(userId, client, async () => {
      const thread = await ownThread(userId, threadId);
      const attached = await attachments.inspect(userId, fileIds);
      if (models.length > 0) await checkModels(userId, models, 'models');
      return {
        thread,
        models,
        overBudget,
        store: (answerers) => store.question(userId, { threadId, text, client, attached, parentId }, answerers),
        shown: ({ question }) => question.id,
      };
    });
  };
}
