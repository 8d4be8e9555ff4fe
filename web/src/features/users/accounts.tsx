import type { ManagedUser } from '@roster/contracts/users';
import { useInfiniteQuery } from '@tanstack/react-query';
import { SearchX } from 'lucide-react';
import { useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Button } from '#web/ui/button.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Table } from '#web/ui/table.tsx';
import { DeleteUserDialog } from './delete-user-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import type { NewLink } from './password-link-dialog.tsx';
import { type UsersView, usersQuery } from './queries.ts';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';
import { ResetSecondFactorDialog } from './reset-second-factor-dialog.tsx';
import { SignOutUserDialog } from './sign-out-user-dialog.tsx';
import { UserMenu } from './user-menu.tsx';
import { userColumns } from './users-columns.tsx';

type AccountsProps = {
  view: UsersView;
  onViewChange: (view: UsersView) => void;
  onLink: (link: NewLink) => void;
};

type Open = { what: 'edit' | 'reset' | 'reset-second-factor' | 'sign-out' | 'delete'; user: ManagedUser };

export function Accounts({ view, onViewChange, onLink }: AccountsProps) {
  const query = useInfiniteQuery(usersQuery(view));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const rows = query.data ? allItems(query.data) : [];
  const isEmpty = query.isSuccess && !query.isPlaceholderData && rows.length === 0;
  return (
    <section aria-label="Accounts">
      <SearchField
        text={view.q}
        onSearch={(q) => onViewChange({ ...view, q })}
        label="Search users"
        placeholder="Search names and addresses"
        maxLength={200}
        className="mb-4 max-w-sm max-md:max-w-none"
      />
      {query.isError && rows.length === 0 ? (
        <ErrorState
          title="Failed to load users"
          message={errorText(query.error, 'An error occurred while loading the accounts.')}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState
          icon={SearchX}
          text={view.q === '' ? 'There are no accounts.' : `No name or address contains “${view.q}”.`}
          action={view.q !== '' && <Button onClick={() => onViewChange({ ...view, q: '' })}>Clear Search</Button>}
        />
      ) : (
        <Table
          label="Accounts"
          columns={userColumns}
          rows={rows}
          rowKey={(user) => user.id}
          sorting={view}
          onSortingChange={(sorting) => onViewChange({ ...view, ...sorting })}
          loadingRows={query.isPending ? 6 : 0}
          isStale={query.isPlaceholderData}
          actions={(user) => <UserMenu user={user} onChoose={(what) => setOpen({ what, user })} />}
        />
      )}
      <LoadMore query={query} what="users" />
      {open?.what === 'edit' && <EditUserDialog user={open.user} onClose={close} />}
      {open?.what === 'reset' && <ResetPasswordDialog user={open.user} onClose={close} onLink={onLink} />}
      {open?.what === 'reset-second-factor' && <ResetSecondFactorDialog user={open.user} onClose={close} />}
      {open?.what === 'sign-out' && <SignOutUserDialog user={open.user} onClose={close} />}
      {open?.what === 'delete' && <DeleteUserDialog user={open.user} onClose={close} />}
    </section>
  );
}
