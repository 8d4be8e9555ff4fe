import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { useLogout } from '#web/api/current-user.ts';
import { setupRequiredKey } from '#web/api/setup-required.ts';
import { RecoveryCodes } from '#web/components/recovery-codes.tsx';
import { passkeysWork } from '#web/lib/passkeys-work.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { passkeysQuery, useAddPasskey } from './passkeys/queries.ts';
import { AppSetupFields, useAppSetup } from './second-factor/app-setup.tsx';

/** Takes the place of every page until the account has the second factor that an administrator requires. */
export function RequiredSetupPage() {
  const client = useQueryClient();
  const logout = useLogout();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const done = () => {
    client.setQueryData(setupRequiredKey, false);
    void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'current-user' });
  };
  const added = (made: readonly string[] | null | undefined) => (made ? setCodes(made) : done());
  const { start, form, submit, busy, isReady } = useAppSetup(added);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-xl flex-col px-5 py-12">
      <title>Set up a second factor · Roster</title>
      <Logo className="mb-5 size-9" />
      <h1 className="font-semibold text-xl tracking-[-0.012em]">
        {codes ? 'Save your recovery codes' : 'Set up a second factor'}
      </h1>
      <p className="mt-1 mb-6 text-muted-foreground">
        {codes ? 'They are shown only once.' : 'An administrator requires a second factor. Set one up to continue.'}
      </p>
      {codes ? (
        <>
          <RecoveryCodes codes={codes} />
          <Button variant="primary" className="mt-6 self-start" onClick={done}>
            I have saved them
          </Button>
        </>
      ) : (
        <form onSubmit={submit} noValidate>
          {passkeysWork() && <PasskeyInstead onAdded={added} />}
          <AppSetupFields start={start} form={form} />
          <div className="mt-6 flex flex-wrap gap-3">
            <Button
              type="submit"
              variant="primary"
              busy={busy}
              pendingLabel="Turning on..."
              disabledReason={isReady ? undefined : 'Setup has not started yet'}
            >
              Turn On
            </Button>
            <Button variant="ghost" busy={logout.isPending} onClick={() => logout.mutate()}>
              Log Out
            </Button>
          </div>
        </form>
      )}
    </main>
  );
}

/** A passkey is set up in one step, without an app. */
function PasskeyInstead({ onAdded }: { onAdded: (recoveryCodes: readonly string[] | null) => void }) {
  const { data } = useQuery(passkeysQuery);
  const add = useAddPasskey();
  if (!data) return null;
  const start = () =>
    add.mutate(data.proposedName, {
      onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
      onError(error) {
        if (error.name !== 'PasskeyCancelledError')
          showFailure('Failed to add the passkey', 'Please try again.')(error);
      },
    });
  return (
    <div className="mb-6 border-border border-b pb-6">
      <Button icon={Fingerprint} busy={add.isPending} pendingLabel="Adding..." onClick={start}>
        Use a Passkey
      </Button>
      <p className="mt-2 text-muted-foreground text-sm">
        Your device’s fingerprint, face or PIN, or a security key. Or set up an authenticator app:
      </p>
    </div>
  );
}
