import type { chat } from '@roster/contracts/chat';
import type { z } from 'zod';
import type { ThreadRecord } from '#server/features/chat/threads/repository';
import type { AnswerStore } from './answer-store.ts';
import { clientCall, type Started } from './client-calls.ts';
import type { MessagePlace } from './repository.ts';
import type { AnswerStarter } from './start-answers.ts';

type Again = z.output<typeof chat.regenerate.body>;

type Dependencies = {
  start: AnswerStarter;
  store: Pick<AnswerStore, 'answer'>;
  ownThread: (userId: number, threadId: number) => Promise<ThreadRecord>;
  questionOf: (userId: number, messageId: number) => Promise<MessagePlace>;
  checkModels: (userId: number, models: string[], field: string) => Promise<void>;
};

/** A further answer to a question, which is named by itself or by one of its answers. */
export function answerRegenerating({ start, store, ownThread, questionOf, checkModels }: Dependencies) {
  return function regenerate(userId: number, messageId: number, again: Again): Promise<Started> {
    const { clientId, model, overBudget } = again;
    const client = clientId === undefined ? null : clientCall(clientId, 'regenerate', messageId, model ?? null);
    return start(userId, client, async () => {
      const question = await questionOf(userId, messageId);
      const { threadId } = question;
      const thread = await ownThread(userId, threadId);
      const models = model === undefined ? [] : [model];
      await checkModels(userId, models, 'model');
      return {
        thread,
        models,
        overBudget,
        store: async ([answerer]) => answerer && store.answer(userId, { threadId, question, client }, answerer),
        shown: ({ run }) => run.messageId,
      };
    });
  };
}
