import { type AnswerRating, chat, type Message } from '@roster/contracts/chat';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, errorText } from '#web/lib/api.ts';
import { toast } from '#web/ui/toast.tsx';
import { withMessage } from './message-changes.ts';
import { refreshMessages } from './thread-cache.ts';
import { messagesQuery } from './thread-queries.ts';

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
    onError: (error) =>
      toast({
        title: 'Your rating was not saved',
        description: errorText(error),
        variant: 'destructive',
      }),
  });
}

/** The thumb of an answer: what was pressed last is shown at once, over what is known to be kept. */
export function useThumb(message: Message) {
  const { mutate, isPending, variables } = useRating(message);
  const value = (isPending ? variables.value : message.rating?.value) ?? null;
  return { value, toggle: (pressed: 'good' | 'bad') => mutate({ value: value === pressed ? null : pressed }) };
}
