import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLogout } from '#web/api/current-user.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { DeletionDescription, DeletionSummary } from './deletion-summary.tsx';
import { ProviderFiles } from './provider-files.tsx';
import { useDeleteAccount } from './use-delete-account.ts';

/** Without a password, a recent sign-in proves the user's identity. */
export function CloseAfterLoginDialog({ onClose }: { onClose: () => void }) {
  const { isPending, close } = useDeleteAccount();
  const [isTooOld, setTooOld] = useState(false);
  const [removeAtProvider, setRemoveAtProvider] = useState(false);
  const confirm = async () => {
    const failure = await close({ removeAtProvider });
    if (failure instanceof ApiError && failure.code === 'fresh_sign_in_required') setTooOld(true);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      role="alertdialog"
      size="sm"
      title="Close account"
      description={<DeletionDescription />}
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            Cancel
          </Button>
          {isTooOld ? (
            <SignInAgain />
          ) : (
            <Button variant="destructive" busy={isPending} pendingLabel="Closing..." onClick={() => void confirm()}>
              Close account
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-5">
        <DeletionSummary />
        <ProviderFiles checked={removeAtProvider} onChange={setRemoveAtProvider} />
        {isTooOld ? (
          <Notice tone="warning" live title="Your sign-in is too old">
            Sign in again, come back here, and close the account within 10 minutes.
          </Notice>
        ) : (
          <p className="text-muted-foreground">
            Your account has no password, so you can close it only within 10 minutes of signing in.
          </p>
        )}
      </div>
    </Dialog>
  );
}

function SignInAgain() {
  const logout = useLogout();
  const navigate = useNavigate();
  const signInAgain = async () => {
    try {
      await logout.mutateAsync();
      await navigate({ to: '/auth', search: { redirect: '/settings' } });
    } catch (error) {
      showFailure('Logout failed')(error);
    }
  };
  return (
    <Button variant="primary" busy={logout.isPending} onClick={() => void signInAgain()}>
      Sign in again
    </Button>
  );
}
