import type { AccountEvent } from '@roster/contracts/users';
import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { securityEventNames } from '#web/api/security-event-names.ts';
import { errorText } from '#web/lib/api-client.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { eventsQuery } from './queries.ts';

const byWords: Record<AccountEvent['by'], string> = {
  self: 'The user',
  administrator: 'An administrator',
  operator: 'The operator',
};

const columns: readonly Column<AccountEvent>[] = [
  { id: 'event', header: 'Event', cell: ({ event }) => securityEventNames[event], isTitle: true },
  {
    id: 'account',
    header: 'Account',
    cell: ({ email }) =>
      email ? <span title={email}>{email}</span> : <span className="text-muted-foreground">Deleted account</span>,
  },
  {
    id: 'detail',
    header: 'Detail',
    cell: ({ detail }) => (detail ? <span title={detail}>{detail}</span> : <span aria-hidden="true">–</span>),
  },
  { id: 'by', header: 'By', width: 'w-40', cell: ({ by }) => byWords[by] },
  { id: 'at', header: 'When', width: 'w-36', cell: ({ at }) => <RelativeTime date={at} /> },
];

/** Events of all accounts, without IP addresses, which only their owners see. */
export function Activity() {
  const query = useInfiniteQuery(eventsQuery);
  const rows = query.data ? allItems(query.data) : [];
  if (query.isError && rows.length === 0) {
    return (
      <ErrorState
        title="Failed to load the activity"
        message={errorText(query.error, 'An error occurred while loading the activity.')}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (query.isSuccess && rows.length === 0) {
    return <EmptyState icon={History} text="No account activity in the last 180 days." />;
  }
  return (
    <section aria-label="Activity">
      <p className="mb-4 max-w-[72ch] text-muted-foreground">
        Security events of all accounts in the last 180 days. IP addresses and devices are shown only to the account’s
        owner.
      </p>
      <Table
        label="Activity"
        columns={columns}
        rows={rows}
        rowKey={(event) => event.id}
        loadingRows={query.isPending ? 8 : 0}
      />
      <LoadMore query={query} what="events" />
    </section>
  );
}
