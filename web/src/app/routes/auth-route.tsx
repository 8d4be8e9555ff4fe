import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isNewInstallation, signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { VisitorsOnly } from '#web/app/guards.tsx';
import { setTabHandler } from '#web/app/pre-hydration-input.ts';
import { fillNextForm } from '#web/app/pre-hydration-tabs.ts';
import { safeReturnPath } from '#web/app/return-path.ts';
import { useLoginProviderOutcome } from '#web/app/use-login-provider-outcome.ts';
import { AuthPage } from '#web/features/auth/auth-page.tsx';

setTabHandler(fillNextForm);

export function AuthRoute() {
  const { tab, step, redirect, error } = useSearch({ from: '/auth' });
  const [startedFor, setStartedFor] = useState<string>();
  const navigate = useNavigate();
  const { data: options } = useQuery(signInOptionsQuery);
  useLoginProviderOutcome({ error }, 'Login failed');
  return (
    <VisitorsOnly returnPath={redirect ?? startedFor}>
      <AuthPage
        tab={tab ?? (isNewInstallation(options) ? 'register' : 'login')}
        onTabChange={(next) =>
          void navigate({ to: '/auth', search: { tab: next, ...(redirect && { redirect }) }, replace: true })
        }
        returnPath={safeReturnPath(redirect)}
        isSecondStep={step === 'second-factor'}
        onSecondStep={() =>
          void navigate({ to: '/auth', search: { step: 'second-factor', ...(redirect && { redirect }) } })
        }
        onDone={setStartedFor}
      />
    </VisitorsOnly>
  );
}
