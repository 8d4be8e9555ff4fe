import type { LoginProvider, SignInOptions } from '@roster/contracts/auth';
import type { ConfirmationMethod } from '@roster/contracts/fresh-sign-in';
import type { ReactNode } from 'react';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';

type Props = {
  ways: readonly ConfirmationMethod[];
  options: SignInOptions;
  /** The button for it, if the browser can use one. */
  passkey: ReactNode;
  onCancel: () => void;
};

/** For an account that confirms its identity only with a passkey or at a login provider, which returns to this page. */
export function SignInAgain({ ways, options, passkey, onCancel }: Props) {
  const providers = providersOf(ways, options);
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      role="alertdialog"
      size="sm"
      title="Confirm it’s you"
      description={
        providers.length > 0 || passkey
          ? 'You signed in more than 10 minutes ago. Sign in once more to continue.'
          : 'You signed in more than 10 minutes ago. Sign out, sign in again, and try again within 10 minutes.'
      }
      footer={<Button onClick={onCancel}>Cancel</Button>}
    >
      {(providers.length > 0 || passkey) && (
        <div className="grid gap-3">
          {passkey}
          {providers.map(({ provider, name }) => (
            <form key={provider} method="post" action={`/auth/${provider}?${returnHere()}`} className="grid">
              <button type="submit" className={buttonClass({})}>
                Continue with {name}
              </button>
            </form>
          ))}
        </div>
      )}
    </Dialog>
  );
}

const returnHere = () => new URLSearchParams({ redirect: `${location.pathname}${location.search}` });

const names: Partial<Record<LoginProvider, string>> = { google: 'Google', github: 'GitHub' };

const providersOf = (ways: readonly ConfirmationMethod[], { openId = [] }: SignInOptions) =>
  ways.flatMap((way) => {
    if (way === 'password' || way === 'code' || way === 'passkey') return [];
    const name = names[way] ?? openId.find(({ id }) => id === way)?.name;
    return name === undefined ? [] : [{ provider: way, name }];
  });
