import type { ConfirmationWay } from '@roster/contracts/fresh-sign-in';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';

/** For an account that confirms its identity only at a login provider or with a passkey. */
export function SignInAgain({ ways, onCancel }: { ways: readonly ConfirmationWay[]; onCancel: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      role="alertdialog"
      size="sm"
      title="Sign in again"
      description={
        ways.length > 0
          ? 'You signed in more than 10 minutes ago. Sign out, sign in again, and continue within 10 minutes.'
          : 'You signed in more than 10 minutes ago, and this account has no way to confirm that it is you.'
      }
      footer={
        <Button data-autofocus onClick={onCancel}>
          Cancel
        </Button>
      }
    />
  );
}
