import { Navigate } from '@tanstack/react-router';
import { useUser } from '#web/api/current-user.ts';
import { SystemPage } from '#web/features/system/system-page.tsx';

/** Others are led home. The server holds the rule; this only spares them a page that it would not fill. */
export function SystemRoute() {
  return useUser().role === 'Admin' ? <SystemPage /> : <Navigate to="/" replace />;
}
