import { type AnswerRating, chat, type Message } from '@roster/contracts/chat';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, errorText } from '#web/lib/api.ts';
import { toast } from '#web/ui/toast.tsx';
import { withMessage } from './message-window.ts';
import { messagesQuery } from './queries.ts';

const unrated: AnswerRating = { value: null, correction: null };

/** Shows the change at once, and takes it back where the server does not keep it. */
export function useRating({ id, threadId, rating }: Message) {
  const client = useQueryClient();
  const { queryKey } = messagesQuery(threadId);
  const show = (next: AnswerRating | null) =>
    client.setQueryData(
      queryKey,
      (window) => window && withMessage(window, id, (message) => ({ ...message, rating: next })),
    );
  return useMutation({
    networkMode: 'always',
    scope: { id: `rating-${id}` },
    mutationFn: (change: Partial<AnswerRating>) => call(chat.rate, { params: { id }, body: change }),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey });
      const next = { ...(rating ?? unrated), ...change };
      show(next.value === null && next.correction === null ? null : next);
      // What is drawn meanwhile brings a new `onError` that knows only the new rating.
      return { before: rating };
    },
    onSuccess: (message) => show(message.rating),
    onError: (error, _change, known) => {
      if (known) show(known.before);
      toast({
        title: 'Your rating was not saved',
        description: errorText(error),
        variant: 'destructive',
      });
    },
  });
}
