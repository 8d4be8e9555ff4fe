import type { LoginProvider } from '@roster/contracts/auth';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useDisconnect } from './account-queries.ts';

type DisconnectDialogProps = {
  open: boolean;
  provider: LoginProvider;
  name: string;
  /** Email address of the connected account. */
  email: string | null;
  onClose: () => void;
};

export function DisconnectDialog({ open, provider, name, email, onClose }: DisconnectDialogProps) {
  const disconnect = useDisconnect();
  const confirm = () =>
    disconnect.mutate(provider, {
      onSuccess: () => {
        onClose();
        toast({ title: `${name} disconnected`, description: `You can no longer log in with ${name}.` });
      },
      onError: (error) => {
        onClose();
        showFailure(`Failed to disconnect ${name}`, 'Please try again.')(error);
      },
    });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title={`Disconnect ${name}`}
      description={`${email ?? `Your ${name} account`} can no longer be used to log in here. You can connect it again at any time.`}
      confirmLabel={`Disconnect ${name}`}
      pendingLabel="Disconnecting..."
      destructive
      busy={disconnect.isPending}
      onConfirm={confirm}
    />
  );
}
