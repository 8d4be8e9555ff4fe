import type { Session } from '@roster/contracts/auth';
import { useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatDateTime, formatLongDate } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { sessionsQuery, useEndOtherSessions, useEndSession } from './sessions-queries.ts';

export function SessionsTab() {
  const query = useQuery(sessionsQuery);
  const endOthers = useEndOtherSessions();
  const sessions = query.data ?? [];
  const signOutOthers = () =>
    endOthers.mutate(undefined, {
      onSuccess: () =>
        toast({ title: 'All sessions terminated', description: 'All other devices have been signed out.' }),
      onError: showFailure('Failed to terminate sessions', 'An error occurred while terminating sessions.'),
    });

  return (
    <Card>
      <CardHeader
        title="Active Sessions"
        description="Devices signed in to your account. Signing one out takes effect immediately."
      />
      <div className="px-5 py-2">
        {query.isPending && <LoadingRows label="Loading sessions" hasIcon />}
        {query.isError && (
          <RetryNotice tone="destructive" live className="my-3" query={query}>
            Error loading sessions: {errorText(query.error)}
          </RetryNotice>
        )}
        {query.isSuccess && sessions.length === 0 && (
          <p className="py-8 text-center text-muted-foreground">No active sessions found.</p>
        )}
        {query.isSuccess && (
          <ul className="divide-y divide-border">
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </div>
      <footer className="flex justify-end border-border border-t px-5 py-4">
        <Button
          disabled={sessions.length <= 1}
          busy={endOthers.isPending}
          pendingLabel="Signing out..."
          onClick={signOutOthers}
        >
          Sign out all other devices
        </Button>
      </footer>
    </Card>
  );
}

const isPhone = (userAgent: string | null) => /iPhone|iPad|Android|Mobile/.test(userAgent ?? '');

function SessionRow({ session }: { session: Session }) {
  const end = useEndSession();
  const DeviceIcon = isPhone(session.userAgent) ? Smartphone : Monitor;
  const signOut = () =>
    end.mutate(session.id, {
      onSuccess: () => toast({ title: 'Session terminated', description: `${session.device} has been signed out.` }),
      onError: showFailure('Failed to terminate session', 'An error occurred while terminating the session.'),
    });
  return (
    <li className="flex items-start gap-4 py-4">
      <DeviceIcon aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span title={session.userAgent ?? undefined}>{session.device}</span>
          {session.isCurrent && <Badge tone="success">Current</Badge>}
        </p>
        <p className="mt-1 flex flex-wrap gap-x-4 text-muted-foreground text-sm">
          <span>
            Last active <RelativeTime date={session.lastActive} />
          </span>
          <span>
            First signed in <RelativeTime date={session.createdAt} />
          </span>
          <span>
            Sign-in date{' '}
            <time dateTime={session.createdAt} title={formatDateTime(session.createdAt)}>
              {formatLongDate(session.createdAt)}
            </time>
          </span>
          <span>
            IP <span className="tabular-nums">{session.ipAddress}</span>
          </span>
        </p>
      </div>
      {!session.isCurrent && (
        <Button size="sm" busy={end.isPending} onClick={signOut} aria-label={`Sign out ${session.device}`}>
          Sign out
        </Button>
      )}
    </li>
  );
}
