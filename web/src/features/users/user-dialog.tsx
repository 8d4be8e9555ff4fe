import { type ReactNode, useId } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { errorText } from '#web/lib/api.ts';
import { UnsavedChanges } from '#web/parts/unsaved-changes.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { announceInvalid } from './user-fields.tsx';
import type { UserValues } from './user-schema.ts';

type UserDialogProps = {
  title: string;
  description: string;
  /** What the button says, and says while it is done. */
  action: [label: string, pendingLabel: string];
  form: UseFormReturn<UserValues>;
  saving: { isPending: boolean; isSuccess: boolean; error: Error | null };
  onSubmit: (values: UserValues) => void;
  onClose: () => void;
  children: ReactNode;
};

/** The frame of the form of an account: its button, what went wrong, and the question before it is left. */
export function UserDialog(props: UserDialogProps) {
  const { title, description, action, form, saving, onSubmit, onClose, children } = props;
  const [label, pendingLabel] = action;
  const formId = useId();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={saving.isPending} pendingLabel={pendingLabel}>
            {label}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.stopPropagation();
          if (saving.isPending) return event.preventDefault();
          void form.handleSubmit(onSubmit, announceInvalid)(event);
        }}
        className="grid gap-5"
      >
        {saving.error && (
          <Notice tone="destructive" live>
            {errorText(saving.error)}
          </Notice>
        )}
        {children}
      </form>
      <UnsavedChanges when={form.formState.isDirty && !saving.isSuccess} what="this user" />
    </Dialog>
  );
}
