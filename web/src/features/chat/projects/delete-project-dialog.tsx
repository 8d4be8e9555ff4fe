import type { Project } from '@roster/contracts/projects/projects';
import { trashDays } from '@roster/contracts/trash';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useRemoveProject } from '#web/api/projects.ts';
import { refreshLists } from '#web/features/chat/shared/thread-cache.ts';
import { refreshTrash } from '#web/features/chat/trash/trash-queries.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { RadioGroup } from '#web/ui/forms/radio-group.tsx';

type DeleteProjectDialogProps = { project: Project; onClose: () => void; onDeleted: () => void };

/** Asks whether the conversations stay or go to the trash. */
export function DeleteProjectDialog({ project, onClose, onDeleted }: DeleteProjectDialogProps) {
  const { id, name, conversations } = project;
  const client = useQueryClient();
  const [kept, setKept] = useState<'keep' | 'trash'>('keep');
  const remove = useRemoveProject(id);
  const confirm = () =>
    remove.mutate(kept, {
      onSuccess: () => {
        onClose();
        onDeleted();
        toast({ title: 'Project deleted', description: name });
        Promise.all([refreshLists(client), refreshTrash(client)]).catch(reportError);
      },
      onError: showFailure('Failed to delete the project'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Project"
      description={
        <>
          Delete{' '}
          <strong className="font-medium text-foreground">
            <bdi>{name}</bdi>
          </strong>{' '}
          with its instructions? This cannot be undone.
        </>
      }
      confirmLabel="Delete Project"
      pendingLabel="Deleting..."
      busy={remove.isPending}
      destructive
      onConfirm={confirm}
    >
      {conversations > 0 && (
        <RadioGroup
          label={`Its ${formatCount(conversations, 'conversation')}`}
          value={kept}
          onValueChange={setKept}
          options={[
            { value: 'keep', label: 'Keep', description: 'They stay in your list, without a project.' },
            {
              value: 'trash',
              label: 'Move to the trash',
              description: `You can restore them for ${trashDays} days.`,
            },
          ]}
        />
      )}
    </ConfirmDialog>
  );
}
