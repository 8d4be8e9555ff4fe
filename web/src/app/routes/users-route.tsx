import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useUser } from '#web/api/current-user.ts';
import { UsersPage } from '#web/features/users/users-page.tsx';
import { lazyPart } from '#web/lib/lazy.ts';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

const OffersTab = lazyPart(async () => (await import('#web/features/connections/offers-tab.tsx')).OffersTab, {
  pending: () => <SpinnerPanel label="Loading the connections" className="min-h-72" />,
});

/** Redirects everyone else home. The server enforces the role; this only avoids an empty page. */
export function UsersRoute() {
  const { tab = 'accounts', q = '', sort = 'name', order = 'asc' } = useSearch({ from: '/signed-in/users' });
  const navigate = useNavigate();
  if (useUser().role !== 'Admin') return <Navigate to="/" replace />;
  return (
    <UsersPage
      connections={<OffersTab />}
      tab={tab}
      onTabChange={(next) => void navigate({ to: '/users', search: { tab: next } })}
      view={{ q, sort, order }}
      // Replace, so that Back leaves the page instead of undoing each letter of a search.
      onViewChange={(next) =>
        void navigate({
          to: '/users',
          search: { sort: next.sort, order: next.order, ...(next.q === '' ? {} : { q: next.q }) },
          replace: true,
        })
      }
    />
  );
}
