import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { AssistantVersionDetail } from '@roster/contracts/assistants/versions';
import { useQuery } from '@tanstack/react-query';
import { modelName } from '#web/api/model-names.ts';
import { isModelMissing, modelsQuery } from '#web/api/models.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { fieldDifferences, fieldNames, unrestorableParts } from './field-texts.ts';
import { useRestore } from './queries.ts';

type RestoreDialogProps = {
  assistant: Assistant;
  version: AssistantVersionDetail;
  /** The current version. */
  now: AssistantVersionDetail;
  onRestored: (assistant: Assistant) => void;
  onClose: () => void;
};

/** Says what restoring changes, and what it cannot bring back. */
export function RestoreDialog({ assistant, version, now, onRestored, onClose }: RestoreDialogProps) {
  const restore = useRestore(assistant.id);
  const models = useQuery(modelsQuery);
  const { model } = version.settings;
  const isUnknown = isModelMissing(models.data, model);
  const notes = [
    ...(isUnknown && model !== assistant.model
      ? [`Your API key cannot use the model ${modelName(model)}; ${modelName(assistant.model)} stays.`]
      : []),
    ...unrestorableParts(version),
  ];
  const undone = fieldDifferences(version, now).map(({ field }) => fieldNames[field]);
  const confirm = () =>
    restore.mutate(version.number, {
      onSuccess({ assistant: restored, notes: left }) {
        toast({ title: `Version ${version.number} restored`, description: left.join(' ') || 'It is now in use.' });
        onRestored(restored);
      },
      onError: showFailure('Failed to restore the version', 'An error occurred. Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Restore version ${version.number}?`}
      description={`Restores these settings of ${assistant.name} as a new version. Later versions stay in the list.`}
      confirmLabel="Restore"
      pendingLabel="Restoring..."
      busy={restore.isPending}
      onConfirm={confirm}
    >
      <p>{`This undoes later changes to: ${undone.join(', ')}.`}</p>
      {notes.length > 0 && (
        <ul className="mt-3 grid gap-1 text-muted-foreground">
          {notes.map((note) => (
            <li key={note} className="wrap-anywhere">
              {note}
            </li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}
