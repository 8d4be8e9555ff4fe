import type { AccessToken } from '@roster/contracts/api-tokens';
import { tellFailure } from '#web/lib/failure.ts';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useRevokeToken } from './queries.ts';

export function RevokeTokenDialog({ token, onClose }: { token: AccessToken; onClose: () => void }) {
  const revoke = useRevokeToken();
  const confirm = () =>
    revoke.mutate(token.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Access token revoked', description: `Nothing is let in with “${token.name}” any more.` });
      },
      onError: tellFailure('Failed to revoke the access token', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Revoke “${token.name}”?`}
      description="Programs that use this token are refused from their next call on, and what they have open is closed. It cannot be undone."
      confirmLabel="Revoke Token"
      pendingLabel="Revoking..."
      destructive
      busy={revoke.isPending}
      onConfirm={confirm}
    />
  );
}
