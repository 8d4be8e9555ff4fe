import type { Job, JobEvent } from '@roster/contracts/fine-tuning/jobs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleAlert, Info, List, TriangleAlert } from 'lucide-react';
import { eventsQuery } from '#web/api/fine-tuning.ts';
import { StaleNotice } from '#web/features/fine-tuning/shared/stale-notice.tsx';
import { formatDateTime, formatRelative } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import { LoadMore } from '#web/ui/load-more.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

const looks: Record<JobEvent['level'], { icon: Icon; look: string; word: string }> = {
  info: { icon: Info, look: 'text-muted-foreground', word: 'Information' },
  warn: { icon: TriangleAlert, look: 'text-warning-text', word: 'Warning' },
  error: { icon: CircleAlert, look: 'text-destructive-text', word: 'Error' },
};

export function EventsCard({ job, isInProgress }: { job: Job; isInProgress: boolean }) {
  const query = useInfiniteQuery(eventsQuery(job.id, isInProgress));
  const events = query.data && allItems(query.data);
  return (
    <Card aria-label="Events" className="min-w-0">
      <CardHeader title="Events" description="From the provider and Roster, newest first." />
      <div className="px-5 pt-4 pb-5">
        <StaleNotice what="events" query={query} hasData={events !== undefined} />
        {events ? (
          events.length === 0 ? (
            <EmptyState bare icon={List} text="Nothing has happened yet." className="py-6" />
          ) : (
            <ol aria-label="Events of the job" className="grid gap-2">
              {events.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ol>
          )
        ) : (
          query.isPending && <Skeleton className="h-24 w-full" />
        )}
        <LoadMore query={query} what="events" />
      </div>
    </Card>
  );
}

function EventRow({ event: { level, message, at } }: { event: JobEvent }) {
  const { icon: IconPart, look, word } = looks[level];
  return (
    <li className="flex gap-3">
      <span className="flex h-5 items-center">
        <IconPart aria-label={word} className={classNames('size-4', look)} />
      </span>
      <div className="flex min-w-0 flex-1 gap-x-3 max-sm:flex-col">
        <span className="wrap-anywhere min-w-0 flex-1">{message}</span>
        <time dateTime={at} title={formatDateTime(at)} className="shrink-0 text-muted-foreground text-sm">
          {formatRelative(at)}
        </time>
      </div>
    </li>
  );
}
