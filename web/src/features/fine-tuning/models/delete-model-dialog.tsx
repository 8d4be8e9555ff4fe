import type { CustomModel } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useRemoveCustomModel } from '#web/api/fine-tuning.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';

const maxNamed = 5;

export function DeleteModelDialog({ model, onClose }: { model: CustomModel; onClose: () => void }) {
  const remove = useRemoveCustomModel();
  const provider = useProviderName();
  const using = (useQuery(assistantsQuery).data ?? []).filter((assistant) => assistant.model === model.model);
  const isCheckpoint = model.step !== null;
  const confirm = () =>
    remove.mutate(model.id, {
      onSuccess: () => {
        toast({ title: 'Success', description: `${model.name} has been deleted.` });
        onClose();
      },
      onError: showError('Failed to delete model'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete Model"
      description={
        <>
          Delete <strong className="wrap-anywhere font-medium text-foreground">{model.name}</strong>? This action cannot
          be undone.
        </>
      }
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    >
      <p className="text-muted-foreground">
        {isCheckpoint
          ? `It is removed from this list and from the model choice. ${provider} keeps a checkpoint as long as its job.`
          : `It is deleted at ${provider} too, where it cannot be restored; you would have to train it again.`}
      </p>
      <p className="mt-3 text-muted-foreground">
        {using.length === 0
          ? 'None of your assistants uses it.'
          : `${using.length === 1 ? 'This assistant uses it and stops' : `These ${using.length} assistants use it and stop`} working until ${using.length === 1 ? 'it gets' : 'they get'} another model:`}
      </p>
      {using.length > 0 && (
        <ul className="mt-2 divide-y divide-border rounded-md border border-border bg-background">
          {using.slice(0, maxNamed).map(({ id, name }) => (
            <li key={id} className="truncate px-3 py-2.5 font-medium" title={name}>
              {name}
            </li>
          ))}
          {using.length > maxNamed && (
            <li className="px-3 py-2.5 text-muted-foreground">{`and ${using.length - maxNamed} more`}</li>
          )}
        </ul>
      )}
    </ConfirmDialog>
  );
}
