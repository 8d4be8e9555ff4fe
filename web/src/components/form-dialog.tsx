import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog, type ConfirmDialogProps } from '#web/ui/dialogs/confirm-dialog.tsx';
import { Dialog, type DialogProps } from '#web/ui/dialogs/dialog.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { UnsavedChanges } from './unsaved-changes.tsx';

type FormDialogProps = Pick<DialogProps, 'title' | 'description' | 'size' | 'role'> & {
  /** Text of the button, and while the action is pending. */
  action: readonly [label: string, pendingLabel: string];
  destructive?: boolean | undefined;
  /** Disables the submit button and explains why. */
  disabledReason?: string | undefined;
  busy: boolean;
  /** Not called while `busy`. */
  onSubmit: (event: FormEvent<HTMLFormElement>) => unknown;
  onClose: () => void;
  /** Error shown below the fields, if there is one. */
  failed?: { title: string; error: Error | null; fallback?: string } | undefined;
  unsaved?: Unsaved | undefined;
  className?: string | undefined;
  children: ReactNode;
};

type Unsaved = {
  when: boolean;
  /** For example 'the password'; shown when the user tries to leave the page. */
  what: string;
  /** Confirmation before the dialog closes; without it, it closes at once. */
  question?: Question;
};
type Question = { title?: string; description: string; confirmLabel?: string };

/** A dialog with a form, its error and a confirmation before unsaved input is lost. */
export function FormDialog(props: FormDialogProps) {
  const { action, destructive, disabledReason, busy, onSubmit, onClose, failed, unsaved, className, children } = props;
  const { title, description, size, role } = props;
  const [label, pendingLabel] = action;
  const [isLeaving, setLeaving] = useState(false);
  const formId = useId();
  const question = unsaved?.question;
  const close = () => (question && unsaved.when ? setLeaving(true) : onClose());
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // React bubbles through portals: do not submit a form around the button that opened the dialog.
    event.stopPropagation();
    if (!busy) void onSubmit(event);
  };
  return (
    <Dialog
      open
      onOpenChange={close}
      role={role}
      size={size}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant={destructive ? 'destructive' : 'primary'}
            busy={busy}
            pendingLabel={pendingLabel}
            disabledReason={disabledReason}
          >
            {label}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className={className}>
        {children}
        {failed?.error && (
          <Notice tone="destructive" live title={failed.title}>
            {errorText(failed.error, failed.fallback)}
          </Notice>
        )}
      </form>
      {unsaved && <UnsavedChanges when={unsaved.when} what={unsaved.what} />}
      {question && <DiscardQuestion open={isLeaving} onOpenChange={setLeaving} onConfirm={onClose} {...question} />}
    </Dialog>
  );
}

type DiscardQuestionProps = Question & Pick<ConfirmDialogProps, 'open' | 'onOpenChange' | 'onConfirm'>;

function DiscardQuestion(props: DiscardQuestionProps) {
  const { title = 'Discard unsaved changes?', confirmLabel = 'Discard changes' } = props;
  return <ConfirmDialog {...props} title={title} confirmLabel={confirmLabel} cancelLabel="Keep editing" destructive />;
}
