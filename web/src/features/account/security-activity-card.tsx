import type { SecurityEvent } from '@roster/contracts/account';
import { useInfiniteQuery } from '@tanstack/react-query';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { actorText, eventText, isRefusedAttempt } from './security-event-labels.ts';
import { securityEventsQuery } from './shared/security-events-query.ts';

export function SecurityActivityCard() {
  const query = useInfiniteQuery(securityEventsQuery);
  const events = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Card>
      <CardHeader
        title="Recent security activity"
        description="Recent security events. If you don’t recognize one, change your password and sign out your other devices."
      />
      <div className="px-5 py-2">
        {query.isPending && <LoadingRows label="Loading security activity" count={3} isDense />}
        {query.isSuccess && events.length === 0 && (
          <p className="py-8 text-center text-muted-foreground">No security activity recorded yet.</p>
        )}
        <ul className="divide-y divide-border">
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ul>
        {query.isError && (
          <Notice
            tone="destructive"
            live
            title="Failed to load security activity"
            className="my-3"
            action={
              <Button
                size="sm"
                busy={query.isFetching}
                onClick={() => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
              >
                Try Again
              </Button>
            }
          >
            {errorText(query.error)}
          </Notice>
        )}
      </div>
      {query.hasNextPage && !query.isError && (
        <footer className="flex justify-center border-border border-t px-5 py-3">
          <Button
            variant="ghost"
            size="sm"
            busy={query.isFetchingNextPage}
            pendingLabel="Loading..."
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </footer>
      )}
    </Card>
  );
}

function EventRow({ event }: { event: SecurityEvent }) {
  const circumstances = [actorText(event), event.device, event.ipAddress && `IP\u00a0${event.ipAddress}`].filter(
    Boolean,
  );
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5">
      <div className="min-w-52 flex-1">
        <p className={isRefusedAttempt(event) ? 'text-warning-text' : undefined}>{eventText(event)}</p>
        <p className="wrap-anywhere text-muted-foreground text-sm tabular-nums">{circumstances.join(' · ')}</p>
      </div>
      <RelativeTime date={event.at} className="text-muted-foreground text-sm" />
    </li>
  );
}
