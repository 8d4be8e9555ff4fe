import { chat, type Message } from '@roster/contracts/chat';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '#web/lib/api.ts';
import { readStoredJson, writeStored } from '#web/lib/storage.ts';
import { isUnderWay, type MessageWindow } from './message-window.ts';

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

const storageKey = 'chat-gone-on';
const keptAtMost = 200;

function goneOn(): unknown[] {
  const kept = readStoredJson(storageKey);
  return Array.isArray(kept) ? kept : [];
}

/** The user has chosen the answer to go on with. The server knows it too, unless that was the first one. */
export function markGoneOn(questionId: number): void {
  writeStored(storageKey, JSON.stringify([questionId, ...goneOn()].slice(0, keptAtMost)));
}

/** The answer at the end of a conversation beside which others were asked for, and none has been chosen yet. */
export function undecided(window: MessageWindow | undefined): Message | null {
  const last = window?.newerCursor === null ? window.items.at(-1) : undefined;
  if (!last || last.together.length < 2 || last.together[0] !== last.id) return null;
  return goneOn().includes(last.parentId) ? null : last;
}

/** The runs that write the answers that stand side by side, the shown one's among them. */
export function runsTogether(client: QueryClient, threadId: number, answer: Message): number[] {
  const { parentId, together } = answer;
  const others = parentId === null ? [] : (client.getQueryData(answersQuery(threadId, parentId).queryKey) ?? []);
  return [answer, ...others.filter(({ id }) => id !== answer.id && together.includes(id))]
    .filter(isUnderWay)
    .flatMap(({ run }) => (run ? [run.id] : []));
}
