import type { AccessToken } from '@roster/contracts/api-tokens';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { hasExpired } from './limits.ts';
import { useRevokeToken } from './queries.ts';

export function RevokeTokenDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const revoke = useRevokeToken();
  const confirm = () =>
    revoke.mutate(token.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Access token revoked', description: `“${token.name}” can no longer be used.` });
      },
      onError: showFailure('Failed to revoke the access token', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={
        <>
          Revoke “<bdi>{token.name}</bdi>”?
        </>
      }
      description={
        hasExpired(token)
          ? 'It has expired and no longer works. Revoking removes it from the list. This cannot be undone.'
          : 'Programs that use this token lose access immediately, and their open connections are closed. This cannot be undone.'
      }
      confirmLabel="Revoke Token"
      pendingLabel="Revoking..."
      destructive
      busy={revoke.isPending}
      onConfirm={confirm}
    />
  );
}
