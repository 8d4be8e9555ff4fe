import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { useRequestReset } from '#web/api/mailed-links.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { ChangePasswordDialog } from './change-password-dialog.tsx';
import { MethodRow } from './shared/method-row.tsx';

/** `mail`: mail is configured; undefined while unknown. */
export function PasswordMethod({ mail }: { mail: boolean | undefined }) {
  const { hasPassword } = useUser();
  const [isChanging, setChanging] = useState(false);
  return (
    <>
      <MethodRow
        icon={KeyRound}
        name="Password"
        status={hasPassword ? 'Password set' : 'No password set'}
        action={
          hasPassword ? (
            <Button size="sm" aria-label="Change password" onClick={() => setChanging(true)}>
              Change
            </Button>
          ) : (
            <SetPassword mail={mail} />
          )
        }
      />
      <ChangePasswordDialog open={isChanging} onClose={() => setChanging(false)} />
    </>
  );
}

/** The first password is set through a mailed link: an open browser alone must not be able to set one. */
function SetPassword({ mail }: { mail: boolean | undefined }) {
  const { email } = useUser();
  const request = useRequestReset();
  const sendPasswordLink = () =>
    request.mutate(email, {
      onSuccess: () =>
        toast(
          mail === false
            ? {
                title: 'Link requested',
                description: 'The operator of this installation finds the link on the server and gives it to you.',
              }
            : {
                title: 'Reset email sent',
                description: `Open the link in the email to ${email} to set your password.`,
              },
        ),
      onError: showFailure('Reset request failed', 'Please try again later.'),
    });
  return (
    <Button size="sm" busy={request.isPending} pendingLabel="Sending..." onClick={sendPasswordLink}>
      Set Password
    </Button>
  );
}
