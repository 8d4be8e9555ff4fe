import type { File } from '@roster/contracts/files/files';
import { type DeletedFiles, useDeleteFiles } from '#web/api/files.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { toast, toastError } from '#web/lib/toast.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';

const maxNamed = 5;

type DeleteFilesDialogProps = { files: readonly File[]; onClose: () => void; onDeleted: () => void };

export function DeleteFilesDialog({ files, onClose, onDeleted }: DeleteFilesDialogProps) {
  const remove = useDeleteFiles();
  const provider = useProviderName();
  const [only] = files.length === 1 ? files : [];
  const confirm = () =>
    remove.mutate(
      files.map(({ id }) => id),
      {
        onSuccess: (result) => {
          announce(result, provider);
          onDeleted();
          onClose();
        },
        onError: showFailure('Delete failed', 'Failed to delete file'),
      },
    );
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={only ? 'Delete File' : `Delete ${formatCount(files.length, 'File')}`}
      description={`Are you sure you want to delete ${only ? 'this file' : 'these files'}? This action cannot be undone.`}
      confirmLabel="Delete"
      pendingLabel="Deleting..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    >
      <ul className="divide-y divide-border rounded-md border border-border bg-background">
        {files.slice(0, maxNamed).map(({ id, filename }) => (
          <li key={id} className="truncate px-3 py-2.5 font-medium" title={filename}>
            {filename}
          </li>
        ))}
        {files.length > maxNamed && (
          <li className="px-3 py-2.5 text-muted-foreground">{`and ${formatNumber(files.length - maxNamed)} more`}</li>
        )}
      </ul>
      <p className="mt-3 text-muted-foreground text-sm">{consequence(files)}</p>
    </ConfirmDialog>
  );
}

/** Describes what else loses the files. */
function consequence(files: readonly File[]): string {
  const used = files.filter(({ usedBy }) => usedBy > 0);
  if (used.length === 0)
    return `No assistant, message, fine-tuning job or vector store uses ${files.length === 1 ? 'it' : 'them'}.`;
  const uses = used.reduce((sum, { usedBy }) => sum + usedBy, 0);
  const which = files.length === 1 ? 'It is' : `${formatNumber(used.length)} of them are`;
  return `${which} used in ${formatCount(uses, 'place')}: the assistants, messages, fine-tuning jobs or vector stores there lose access.`;
}

function announce({ deleted, failed }: DeletedFiles, provider: string) {
  const [failure] = failed;
  if (failure)
    toastError({
      title: 'Delete failed',
      description: `${formatCount(failed.length, 'file')} could not be deleted: ${failure.message || 'Failed to delete file'}`,
    });
  const [first] = deleted;
  if (!first) return;
  const what =
    deleted.length === 1
      ? `${first.filename} has been deleted.`
      : `${formatCount(deleted.length, 'file')} have been deleted.`;
  const left = deleted.filter((file) => file.provider === 'removing');
  const [pending] = left;
  const rest =
    left.length > 1
      ? ` ${formatCount(left.length, 'copy', 'copies')} at ${provider} are still being removed.`
      : ` ${pending?.message ?? ''}`;
  toast({ title: 'Success', description: `${what}${pending ? rest : ''}` });
}
