import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';

/** Confirms before unsaved changes are lost, whichever way the user leaves. Render it next to the form. */
export function UnsavedChanges({ when, what }: { when: boolean; what: string }) {
  const blocker = useBlocker({ shouldBlockFn: () => when, enableBeforeUnload: when, withResolver: true });
  const blocked = blocker.status === 'blocked';
  return (
    <ConfirmDialog
      open={blocked}
      onOpenChange={(open) => {
        if (!open) blocker.reset?.();
      }}
      title="Discard unsaved changes?"
      description={`Your changes to ${what} have not been saved.`}
      cancelLabel="Keep editing"
      confirmLabel="Discard changes"
      destructive
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
