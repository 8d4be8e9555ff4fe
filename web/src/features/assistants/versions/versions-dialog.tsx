import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { VersionHistory, type VersionHistoryProps } from './version-history.tsx';

type VersionsDialogProps = VersionHistoryProps & { onClose: () => void };

/** History of an assistant over its form. */
export function VersionsDialog({ onClose, ...history }: VersionsDialogProps) {
  return (
    <Dialog open onOpenChange={onClose} title={`Versions of ${history.assistant.name}`} size="xl">
      <VersionHistory {...history} />
    </Dialog>
  );
}
