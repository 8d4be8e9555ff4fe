import { Navigate } from '@tanstack/react-router';
import { useUser } from '#web/api/current-user.ts';
import { SystemPage } from '#web/features/system/system-page.tsx';

/** Redirects everyone else home. The server enforces the role; this only avoids an empty page. */
export function SystemRoute() {
  return useUser().role === 'Admin' ? <SystemPage /> : <Navigate to="/" replace />;
}
