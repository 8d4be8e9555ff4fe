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
        toast({ title: 'Access token revoked', description: `Nothing is let in with “${token.name}” any more.` });
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
          ? 'It has expired, so nothing is let in with it already. Revoking takes it off the list. It cannot be undone.'
          : 'Programs that use this token are refused from their next call on, and what they have open is closed. It cannot be undone.'
      }
      confirmLabel="Revoke Token"
      pendingLabel="Revoking..."
      destructive
      busy={revoke.isPending}
      onConfirm={confirm}
    />
  );
}
