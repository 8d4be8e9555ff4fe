import type { Import } from '@roster/contracts/imports';
import { useState } from 'react';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { useUndo } from './queries.ts';
import { contentText } from './texts.ts';

/** Undoes an import after asking; nothing if that is not possible any more. */
export function UndoButton({ item }: { item: Import }) {
  const [isAsking, setAsking] = useState(false);
  const undo = useUndo();
  if (item.undoUntil === null || Date.parse(item.undoUntil) <= Date.now()) return null;
  const confirm = () =>
    undo.mutate(item.id, {
      onSuccess: () => setAsking(false),
      onError: showFailure('Failed to undo the import', 'Please try again.'),
    });
  return (
    <>
      <Button
        size="sm"
        className="max-md:h-10"
        title={`Possible until ${formatLongDate(item.undoUntil)}`}
        aria-label={`Undo the import of ${item.filename}`}
        onClick={() => setAsking(true)}
      >
        Undo...
      </Button>
      {isAsking && (
        <ConfirmDialog
          open
          onOpenChange={setAsking}
          title="Undo this import?"
          description={`Deletes what it has imported: ${contentText(item.importedConversations, item.importedMessages, item.importedFiles)}. Conversations that you have continued since are kept, and so are assistants and projects that you have changed or used.`}
          confirmLabel="Undo Import"
          pendingLabel="Undoing..."
          destructive
          busy={undo.isPending}
          onConfirm={confirm}
        />
      )}
    </>
  );
}
