import { chat, type Message } from '@roster/contracts/chat';
import type { QueryClient } from '@tanstack/react-query';
import { answersQuery } from '#web/features/chat/shared/answers.ts';
import { forgetSending, sendingOf } from '#web/features/chat/shared/client-id.ts';
import { withMessage } from '#web/features/chat/shared/message-changes.ts';
import { carryOut, switching } from '#web/features/chat/shared/mutations.ts';
import { refreshMessages, showThread } from '#web/features/chat/shared/thread-cache.ts';
import { isRefusal, messagesQuery, threadQuery } from '#web/features/chat/shared/thread-queries.ts';
import type { OpenThread } from '#web/features/chat/shared/thread-state.ts';
import { call } from '#web/lib/api-client.ts';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { showFailure } from '#web/lib/show-failure.ts';

/** Requests the rest of an answer. */
const continueAnswer = (client: QueryClient, answer: Message, overBudget: boolean) =>
  carryOut(client, async () => {
    const { id, threadId, parentId } = answer;
    await switching.get(threadId);
    const place = `continue:${id}`;
    const { message, run } = await call(chat.continue, {
      params: { id },
      body: { clientId: sendingOf(place, '', id).clientId, ...(overBudget && { overBudget }) },
    }).catch((error: unknown) => {
      if (isRefusal(error)) forgetSending(place);
      throw error;
    });
    forgetSending(place);
    const { queryKey } = messagesQuery(threadId);
    await client.cancelQueries({ queryKey });
    const put = (one: Message) => (one.id === id ? message : one);
    client.setQueryData(queryKey, (window) => window && withMessage(window, id, () => message));
    if (parentId !== null)
      client.setQueryData(answersQuery(threadId, parentId).queryKey, (answers) => answers?.map(put));
    const thread = client.getQueryData(threadQuery(threadId).queryKey);
    if (thread) showThread(client, { ...thread, runId: run.id });
  });

/** Continues an answer in its message and shows it. */
export function continueOpen(open: OpenThread, answer: Message, overBudget = false) {
  const { client, threadId, list, change } = open;
  change({ failure: null });
  continueAnswer(client, answer, overBudget).then(
    () => requestAnimationFrame(() => list.current?.goToEnd()),
    (error: unknown) => {
      if (isBudgetError(error))
        return change({ failure: { error, sendAnyway: () => continueOpen(open, answer, true) } });
      showFailure('Failed to continue the answer')(error);
      // Another tab may have been faster, or the conversation has moved on.
      void refreshMessages(client, threadId);
    },
  );
}
