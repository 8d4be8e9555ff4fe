import { comparisons } from '@roster/contracts/comparisons/comparisons';
import { useQuery } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { formatCost, formatCount } from '#web/lib/text/format.ts';

type EstimateProps = { comparisonId: number; open: number };

/** Estimated cost of the open prompts, before they are asked. */
export function Estimate({ comparisonId, open }: EstimateProps) {
  const { data } = useQuery({
    queryKey: ['comparisons', 'estimate', comparisonId, open],
    queryFn: ({ signal }) => call(comparisons.estimate, { params: { id: comparisonId } }, signal),
  });
  if (!data || data.answers === 0) return null;
  const { answers, costUsd, unpriced } = data;
  const unknown = unpriced.length === 0 ? '' : `No price is known for ${unpriced.join(' and ')}.`;
  return (
    <p className="text-muted-foreground text-sm">
      {costUsd !== null && `Asking ${formatCount(answers, 'answer')} costs about ${formatCost(costUsd)}. `}
      {unknown}
    </p>
  );
}
