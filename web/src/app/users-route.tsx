import { Navigate, useNavigate, useSearch } from '@tanstack/react-router';
import { useUser } from '#web/api/current-user.ts';
import { UsersPage } from '#web/features/users/users-page.tsx';

/** Others are led home. The server holds the rule; this only spares them a page that it would not fill. */
export function UsersRoute() {
  const { tab = 'accounts', q = '', sort = 'name', order = 'asc' } = useSearch({ from: '/signed-in/users' });
  const navigate = useNavigate();
  if (useUser().role !== 'Admin') return <Navigate to="/" replace />;
  return (
    <UsersPage
      tab={tab}
      onTabChange={(next) => void navigate({ to: '/users', search: { tab: next } })}
      view={{ q, sort, order }}
      // Replaced, so that Back leads away from the page and not through every letter of a search.
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
