import type { ConnectedAccounts, LoginProvider, SignInOptions } from '@roster/contracts/auth';
import { useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { errorText } from '#web/lib/api-client.ts';
import { GitHubMark, GoogleMark } from '#web/ui/brand-mark.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { LoginProviderButton } from '#web/ui/login-provider-button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { connectedAccountsQuery } from './account-queries.ts';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import { PasswordMethod } from './password-method.tsx';
import { MethodRow } from './shared/method-row.tsx';

const loginProviders = [
  { provider: 'google', name: 'Google', mark: GoogleMark },
  { provider: 'github', name: 'GitHub', mark: GitHubMark },
] as const;

/** Login methods of the account. */
export function LoginMethodsCard() {
  const profiles = useQuery({ ...connectedAccountsQuery, refetchOnMount: 'always' });
  const options = useQuery(signInOptionsQuery);
  const failed = [profiles, options].find((query) => query.isError);
  return (
    <Card>
      <CardHeader title="Login Methods" description="How you can log in." />
      <ul className="divide-y divide-border px-5 py-2">
        {options.data?.passwordLogin !== false && <PasswordMethod mail={options.data?.mail} />}
        {profiles.data && options.data ? (
          <ConnectedAccountMethods profiles={profiles.data} options={options.data} />
        ) : failed ? (
          <li className="py-3">
            <Notice
              tone="destructive"
              live
              title="Failed to load Google and GitHub"
              action={
                <Button
                  size="sm"
                  busy={profiles.isFetching || options.isFetching}
                  onClick={() => {
                    for (const query of [profiles, options]) if (query.isError) void query.refetch();
                  }}
                >
                  Try Again
                </Button>
              }
            >
              {errorText(failed.error)}
            </Notice>
          </li>
        ) : (
          loginProviders.map(({ provider, name, mark }) => (
            <MethodRow key={provider} icon={mark} name={name} status={<Skeleton className="mt-1.5 h-3.5 w-28" />} />
          ))
        )}
      </ul>
    </Card>
  );
}

/** Google and GitHub are always listed, other providers if they are configured. */
const methodsOf = (profiles: ConnectedAccounts, options: SignInOptions) => [
  ...loginProviders.map((method) => ({
    ...method,
    ...profiles[method.provider],
    isOffered: options[method.provider],
  })),
  ...(profiles.openId ?? []).map(({ id, ...of }) => ({ ...of, provider: id, mark: LogIn, isOffered: true })),
];

function ConnectedAccountMethods({ profiles, options }: { profiles: ConnectedAccounts; options: SignInOptions }) {
  const { hasPassword } = useUser();
  const [leaving, setLeaving] = useState<LoginProvider | null>(null);
  const methods = methodsOf(profiles, options);
  const ways = [hasPassword, ...methods.map(({ connected }) => connected)].filter(Boolean).length;
  return (
    <>
      {methods.map(({ provider, name, mark, connected, email, isOffered }) => (
        <MethodRow
          key={provider}
          icon={mark}
          name={name}
          status={connected ? connectedAs(email) : isOffered ? 'Not connected' : notAvailable}
          action={
            connected ? (
              <Button
                size="sm"
                aria-label={`Disconnect ${name}`}
                disabledReason={
                  ways === 1
                    ? `${name} is your only way to log in. ${options.passwordLogin ? 'Set a password or connect' : 'Connect'} another.`
                    : undefined
                }
                onClick={() => setLeaving(provider)}
              >
                Disconnect
              </Button>
            ) : (
              isOffered && (
                <LoginProviderButton provider={provider} label={`Connect ${name}`} size="sm">
                  Connect
                </LoginProviderButton>
              )
            )
          }
        />
      ))}
      {methods.map(({ provider, name, email }) => (
        <DisconnectDialog
          key={provider}
          open={leaving === provider}
          provider={provider}
          name={name}
          email={email}
          onClose={() => setLeaving(null)}
        />
      ))}
    </>
  );
}

const notAvailable = 'Not available on this installation';
const connectedAs = (email: string | null) => (email ? `Connected · ${email}` : 'Connected');
