import { Navigate } from '@tanstack/react-router';
import { useUser } from '#web/data/current-user.ts';
import { UsersPage } from '#web/features/users/users-page.tsx';

/** Others are led home. The server holds the rule; this only spares them a page that it would not fill. */
export function UsersRoute() {
  return useUser().role === 'Admin' ? <UsersPage /> : <Navigate to="/" replace />;
}
