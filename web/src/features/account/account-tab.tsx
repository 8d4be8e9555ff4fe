import { useQuery } from '@tanstack/react-query';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { AccountInformation } from './account-information.tsx';
import { CloseAccountCard } from './close-account-card.tsx';
import { ExportCard } from './export-card.tsx';
import { LoginMethodsCard } from './login-methods-card.tsx';
import { PasskeysCard } from './passkeys/passkeys-card.tsx';
import { SecondFactorCard } from './second-factor/second-factor-card.tsx';
import { SecurityActivityCard } from './security-activity-card.tsx';

export function AccountTab() {
  const { isPending } = useQuery(signInOptionsQuery);
  // Content and height depend on the login methods.
  if (isPending) return <LoadingAccount />;
  return (
    <div className="grid grid-cols-1 gap-6">
      <AccountInformation />
      <LoginMethodsCard />
      <PasskeysCard />
      <SecondFactorCard />
      <SecurityActivityCard />
      <ExportCard />
      <CloseAccountCard />
    </div>
  );
}

/** As high as the window, so that nothing below it moves. */
function LoadingAccount() {
  return (
    <Card aria-busy="true" className="min-h-dvh">
      <CardHeader title="Account Information" />
      <div className="divide-y divide-border px-5 py-2">
        {[0, 1, 2, 3].map((row) => (
          <div key={row} className="flex min-h-14 items-center py-3">
            <Skeleton className="h-4 w-48 max-w-full" />
          </div>
        ))}
      </div>
    </Card>
  );
}
