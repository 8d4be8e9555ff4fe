import { type AnswerRating, chat, type Message } from '@roster/contracts/chat';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshMessages } from '#web/features/chat/threads/thread-cache.ts';
import { messagesQuery } from '#web/features/chat/threads/thread-queries.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { withMessage } from './message-changes.ts';

/** Changes what is thought of an answer. Changes of one answer are sent one after the other. */
export function useRating({ id, threadId }: Message) {
  const client = useQueryClient();
  const { queryKey } = messagesQuery(threadId);
  return useMutation({
    networkMode: 'always',
    scope: { id: `rating-${id}` },
    mutationFn: (change: Partial<AnswerRating>) => call(chat.rate, { params: { id }, body: change }),
    onSuccess: ({ rating }) => {
      client.setQueryData(
        queryKey,
        (window) => window && withMessage(window, id, (message) => ({ ...message, rating })),
      );
      // What is being read may have been read before the rating was kept.
      if (client.isFetching({ queryKey }) > 0) void refreshMessages(client, threadId);
    },
    onError: showFailure('Your rating was not saved'),
  });
}

/** The thumb of an answer: what was pressed last is shown at once, over what is known to be kept. */
export function useThumb(message: Message) {
  const { mutate, isPending, variables } = useRating(message);
  const value = (isPending ? variables.value : message.rating?.value) ?? null;
  return { value, toggle: (pressed: 'good' | 'bad') => mutate({ value: value === pressed ? null : pressed }) };
}
