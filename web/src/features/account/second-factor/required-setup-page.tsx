import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLogout } from '#web/api/current-user.ts';
import { setupRequiredKey } from '#web/api/setup-required.ts';
import { Button } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { AppSetupFields, useAppSetup } from './app-setup.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Takes the place of every page until the account has the second factor that an administrator requires. */
export function RequiredSetupPage() {
  const client = useQueryClient();
  const logout = useLogout();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const done = () => {
    client.setQueryData(setupRequiredKey, false);
    void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'current-user' });
  };
  const { start, form, submit, busy, isReady } = useAppSetup((made) => (made ? setCodes(made) : done()));
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-xl flex-col px-5 py-12">
      <title>Set up a second factor · Roster</title>
      <Logo className="mb-5 size-9" />
      <h1 className="font-semibold text-xl tracking-[-0.012em]">
        {codes ? 'Save your recovery codes' : 'Set up a second factor'}
      </h1>
      <p className="mt-1 mb-6 text-muted-foreground">
        {codes
          ? 'They are shown only now.'
          : 'An administrator requires a second step when you sign in. Set it up to continue.'}
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
          <AppSetupFields start={start} form={form} />
          <div className="mt-6 flex flex-wrap gap-3">
            <Button
              type="submit"
              variant="primary"
              busy={busy}
              pendingLabel="Turning on..."
              disabledReason={isReady ? undefined : 'The set-up has not started yet'}
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
