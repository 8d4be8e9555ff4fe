import type { SecurityEventKind } from '@roster/contracts/account';
import type { AccountEvent } from '@roster/contracts/users';
import { useInfiniteQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { errorText } from '#web/lib/api-client.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { eventsQuery } from './queries.ts';

const eventWords: Record<SecurityEventKind, string> = {
  account_created: 'Account created',
  signed_in: 'Signed in',
  sign_in_failed: 'Sign-in failed',
  signed_out: 'Signed out',
  session_ended: 'Device signed out',
  other_sessions_ended: 'Other devices signed out',
  reset_requested: 'Password reset requested',
  password_set: 'Password set',
  password_changed: 'Password changed',
  email_confirmed: 'Address confirmed',
  login_method_connected: 'Login method connected',
  login_method_disconnected: 'Login method disconnected',
  login_method_refused: 'Login method refused',
  api_key_saved: 'API key saved',
  api_key_removed: 'API key removed',
  connection_added: 'Connection added',
  connection_key_replaced: 'Key of a connection replaced',
  connection_key_removed: 'Key of a connection removed',
  connection_headers_changed: 'Headers of a connection changed',
  connection_removed: 'Connection removed',
  connection_offered: 'Connection offered',
  connection_offer_changed: 'Offered connection changed',
  connection_offer_removed: 'Offered connection removed',
  admin_key_saved: 'Admin key saved',
  admin_key_removed: 'Admin key removed',
  access_token_created: 'Access token created',
  access_token_revoked: 'Access token revoked',
  access_tokens_revoked: 'All access tokens revoked',
  data_exported: 'Data exported',
  details_changed: 'Details changed',
  role_changed: 'Role changed',
  status_changed: 'Status changed',
  reset_link_made: 'Password link created',
  login_link_made: 'Login link created',
  email_change_requested: 'Address change requested',
  email_changed: 'Address changed',
  signed_out_everywhere: 'Signed out everywhere',
  second_factor_added: 'Second factor added',
  second_factor_removed: 'Second factor removed',
  second_factor_reset: 'Second factor reset',
  second_factor_required: 'Second factor required',
  recovery_codes_made: 'New recovery codes',
  recovery_code_used: 'Recovery code used',
  invitation_sent: 'Invitation sent',
  invitation_revoked: 'Invitation revoked',
  account_closed: 'Account closed',
};

const byWords: Record<AccountEvent['by'], string> = {
  self: 'The person',
  administrator: 'An administrator',
  operator: 'The operator',
};

const columns: readonly Column<AccountEvent>[] = [
  { id: 'event', header: 'Event', cell: ({ event }) => eventWords[event], isTitle: true },
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
    return <EmptyState icon={History} text="Nothing has happened to the accounts in the last 180 days." />;
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
