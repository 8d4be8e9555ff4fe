import { useNavigate, useSearch } from '@tanstack/react-router';
import { AuthPage } from '#web/features/auth/auth-page.tsx';
import { VisitorsOnly } from './guards.tsx';
import { safeReturnPath } from './return-path.ts';
import { useExternalOutcome } from './use-external-outcome.ts';

export function AuthRoute() {
  const { tab = 'login', redirect, error } = useSearch({ from: '/auth' });
  const navigate = useNavigate();
  useExternalOutcome({ error }, 'Login failed');
  return (
    <VisitorsOnly returnPath={redirect}>
      <AuthPage
        tab={tab}
        onTabChange={(next) =>
          void navigate({ to: '/auth', search: { tab: next, ...(redirect && { redirect }) }, replace: true })
        }
        returnPath={safeReturnPath(redirect)}
      />
    </VisitorsOnly>
  );
}
