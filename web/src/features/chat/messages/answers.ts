import { chat, type Message } from '@roster/contracts/chat';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { isInProgress, type MessageWindow } from './message-window.ts';

/** The answers to one question. Under the thread's key, so that they go with it. */
export const answersQuery = (threadId: number, questionId: number) =>
  queryOptions({
    queryKey: ['threads', threadId, 'answers', questionId],
    queryFn: async ({ signal }): Promise<readonly Message[]> =>
      (await call(chat.answers, { params: { id: questionId } }, signal)).items,
    // What was just asked for is known; what came since is told by the runs.
    staleTime: 2000,
    refetchOnWindowFocus: 'always',
  });

/** The answer at the end of a conversation beside which others were asked for, and none has been chosen yet. */
export function answerToChoose(window: MessageWindow | undefined): Message | null {
  const last = window?.newerCursor === null ? window.items.at(-1) : undefined;
  return last && last.together.length > 1 && last.chosenId === null ? last : null;
}

/** The runs that write the answers that stand side by side, the shown one's among them. */
export function parallelRuns(client: QueryClient, threadId: number, answer: Message): number[] {
  const { parentId, together } = answer;
  const others = parentId === null ? [] : (client.getQueryData(answersQuery(threadId, parentId).queryKey) ?? []);
  return [answer, ...others.filter(({ id }) => id !== answer.id && together.includes(id))]
    .filter(isInProgress)
    .flatMap(({ run }) => (run ? [run.id] : []));
}
