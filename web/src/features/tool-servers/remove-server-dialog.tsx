import type { ToolServer, ToolServerTools } from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { counted } from './labels.ts';
import { serverToolsQuery, useRemoveServer } from './queries.ts';

function consequence(uses: ToolServerTools | undefined): string {
  if (!uses) return 'Assistants that use its tools lose them.';
  const { usedBy, usedByCount, otherPeople } = uses;
  const others =
    otherPeople === 0
      ? ''
      : ` Assistants of ${counted(otherPeople, 'other person', 'other people')} lose its tools too.`;
  if (usedByCount === 0) return `None of your assistants uses it.${others}`;
  const names = usedBy.map(({ name }) => name || 'Untitled assistant').join(', ');
  const more = usedByCount > usedBy.length ? ` and ${usedByCount - usedBy.length} more` : '';
  return `${counted(usedByCount, 'assistant loses', 'assistants lose')} its tools: ${names}${more}.${others}`;
}

const alsoDeleted: Record<ToolServer['auth']['type'], string> = {
  none: '',
  header: 'Its header is deleted. ',
  query: 'Its key is deleted. ',
  oauth: 'Everyone is signed out of it. ',
};

export function RemoveServerDialog({ server, onClose }: { server: ToolServer; onClose: () => void }) {
  const remove = useRemoveServer();
  const { data } = useQuery(serverToolsQuery(server));
  const confirm = () =>
    remove.mutate(server.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Tool server removed', description: `“${server.name}” is no longer used.` });
      },
      onError: showFailure('Failed to remove the tool server', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={
        <>
          Remove “<bdi>{server.name}</bdi>”?
        </>
      }
      description={
        <span className="wrap-anywhere">{`${consequence(data)} ${alsoDeleted[server.auth.type]}This cannot be undone.`}</span>
      }
      confirmLabel="Remove Server"
      pendingLabel="Removing..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}
