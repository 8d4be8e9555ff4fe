import type { PromptListItem } from '@roster/contracts/prompts/prompts';
import { useRemovePrompt } from '#web/api/prompts.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';

export function DeletePromptDialog({ prompt, onClose }: { prompt: PromptListItem; onClose: () => void }) {
  const remove = useRemovePrompt();
  const confirm = () =>
    remove.mutate(prompt.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Prompt deleted', description: prompt.title });
      },
      onError: showFailure('Failed to delete the prompt', 'An error occurred. Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Prompt"
      description={
        <>
          <strong className="font-semibold text-foreground">
            <bdi>{prompt.title}</bdi>
          </strong>{' '}
          is deleted. Messages that used it stay as they are. This cannot be undone.
        </>
      }
      confirmLabel="Delete Prompt"
      pendingLabel="Deleting..."
      busy={remove.isPending}
      destructive
      onConfirm={confirm}
    />
  );
}
