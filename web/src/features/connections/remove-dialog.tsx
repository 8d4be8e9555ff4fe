import type { Connection, ConnectionUses } from '@roster/contracts/connections/connections';
import { useQuery } from '@tanstack/react-query';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { counted } from './labels.ts';
import { useRemoveConnection, usesQuery } from './queries.ts';

export function usesText(uses: ConnectionUses | undefined): string {
  if (!uses) return 'Assistants and conversations that use it need another model.';
  const parts = [
    uses.assistants > 0 && counted(uses.assistants, 'assistant'),
    uses.conversations > 0 && counted(uses.conversations, 'conversation'),
    uses.projects > 0 && counted(uses.projects, 'project'),
    uses.testSets > 0 && counted(uses.testSets, 'test set'),
  ].filter((part) => part !== false);
  const trainings =
    uses.trainings > 0 ? ` ${counted(uses.trainings, 'training')} at the provider can then no longer be followed.` : '';
  if (parts.length === 0) return trainings === '' ? 'Nothing uses it.' : trainings.trim();
  return `Used by ${new Intl.ListFormat('en', { type: 'conjunction' }).format(parts)}, which then need another model.${trainings}`;
}

export function RemoveDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const remove = useRemoveConnection();
  const { data } = useQuery(usesQuery(connection.id));
  const confirm = () =>
    remove.mutate(connection.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Connection removed', description: `“${connection.name}” is no longer used.` });
      },
      onError: showFailure('Failed to remove the connection', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={
        <>
          Remove “<bdi>{connection.name}</bdi>”?
        </>
      }
      description={`${usesText(data)} Conversations stay readable.${connection.hasKey ? ' Its key is deleted here and stays valid at the provider, and so do files that were sent there.' : ''} This cannot be undone.`}
      confirmLabel="Remove Connection"
      pendingLabel="Removing..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}
