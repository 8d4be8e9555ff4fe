import { useInfiniteQuery } from '@tanstack/react-query';
import { requestsQuery } from '#web/api/usage.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RequestCard } from './request-parts.tsx';
import type { DayRange } from './shared/range.ts';

type TrainingJobsProps = { range: DayRange; tz: string; onSetPrice: (model: string) => void; className?: string };

/** Fine-tuning jobs of these days under their own heading; nothing if there were none. */
export function TrainingJobs({ range, tz, onSetPrice, className }: TrainingJobsProps) {
  const query = useInfiniteQuery(requestsQuery({ ...range, tz, purpose: 'training' }));
  const jobs = query.data ? allItems(query.data) : [];
  if (jobs.length === 0) return null;
  return (
    <section aria-label="Training" className={className}>
      <h3 className="font-semibold">Training</h3>
      <ul className="divide-y divide-border">
        {jobs.map((job) => (
          <RequestCard key={job.id} request={job} onSetPrice={onSetPrice} />
        ))}
      </ul>
      <LoadMore query={query} what="jobs" />
    </section>
  );
}
