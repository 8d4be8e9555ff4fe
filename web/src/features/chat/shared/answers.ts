import { chat, type Message } from '@roster/contracts/chat';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { isInProgress, type MessageWindow } from './message-window.ts';

/** Answers to one question. Nested under the thread's key, so that they are removed with it. */
export const answersQuery = (threadId: number, questionId: number) =>
  queryOptions({
    queryKey: ['threads', threadId, 'answers', questionId],
    queryFn: async ({ signal }): Promise<readonly Message[]> =>
      (await call(chat.answers, { params: { id: questionId } }, signal)).items,
    // Fresh after a request; later changes arrive through runs.
    staleTime: 2000,
    refetchOnWindowFocus: 'always',
  });

/** The last answer, if it is one of several parallel answers and none has been chosen. */
export function undecided(window: MessageWindow | undefined): Message | null {
  const last = window?.newerCursor === null ? window.items.at(-1) : undefined;
  return last && last.together.length > 1 && last.chosenId === null ? last : null;
}

/** Runs of parallel answers, including the shown one. */
export function runsTogether(client: QueryClient, threadId: number, answer: Message): number[] {
  const { parentId, together } = answer;
  const others = parentId === null ? [] : (client.getQueryData(answersQuery(threadId, parentId).queryKey) ?? []);
  return [answer, ...others.filter(({ id }) => id !== answer.id && together.includes(id))]
    .filter(isInProgress)
    .flatMap(({ run }) => (run ? [run.id] : []));
}
