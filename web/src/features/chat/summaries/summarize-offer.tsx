import { summaries } from '@roster/contracts/summaries';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshMessages } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';
import { isBudgetError } from '#web/lib/budget-error.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';

type SummarizeOfferProps = {
  threadId: number;
  /** Summarizes what comes before this question; left out: before the last one. */
  before?: number | undefined;
};

/** Has the model summarize earlier messages; the summary appears among them. */
export function SummarizeOffer({ threadId, before }: SummarizeOfferProps) {
  const client = useQueryClient();
  const start = useMutation({
    networkMode: 'always',
    mutationFn: (overBudget: boolean) =>
      call(summaries.create, {
        params: { id: threadId },
        body: { ...(before !== undefined && { before }), ...(overBudget && { overBudget }) },
      }),
    onSuccess: () => refreshMessages(client, threadId),
    onError: showFailure('Failed to summarize the messages'),
  });
  const overBudget = isBudgetError(start.error);
  return (
    <Button size="sm" className="max-md:h-10" busy={start.isPending} onClick={() => start.mutate(overBudget)}>
      {overBudget ? 'Summarize anyway' : 'Summarize earlier messages'}
    </Button>
  );
}
