import { type AnswerRating, chat, type Message } from '@roster/contracts/chat';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { withMessage } from '#web/features/chat/shared/message-changes.ts';
import { refreshMessages } from '#web/features/chat/shared/thread-cache.ts';
import { messagesQuery } from '#web/features/chat/shared/thread-queries.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';

/** Saves the rating of an answer. Changes to one answer are sent in order. */
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
      // A running fetch may have started before the rating was saved.
      if (client.isFetching({ queryKey }) > 0) void refreshMessages(client, threadId);
    },
    onError: showFailure('Failed to save your rating'),
  });
}

/** State of the thumbs: the last press is shown at once, on top of what is saved. */
export function useThumb(message: Message) {
  const { mutate, isPending, variables } = useRating(message);
  const value = (isPending ? variables.value : message.rating?.value) ?? null;
  return { value, toggle: (pressed: 'good' | 'bad') => mutate({ value: value === pressed ? null : pressed }) };
}
