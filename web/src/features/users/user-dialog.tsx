import type { ReactNode } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { Notice } from '#web/ui/states/notice.tsx';
import { showInvalidFields } from './user-fields.tsx';
import type { UserValues } from './user-schema.ts';

type UserDialogProps = {
  title: string;
  description: string;
  /** Text of the button, and while the action is pending. */
  action: [label: string, pendingLabel: string];
  form: UseFormReturn<UserValues>;
  saving: { isPending: boolean; isSuccess: boolean; error: Error | null };
  onSubmit: (values: UserValues) => void;
  onClose: () => void;
  children: ReactNode;
};

/** Dialog of the account form: its button, error and guard for unsaved changes. */
export function UserDialog(props: UserDialogProps) {
  const { title, description, action, form, saving, onSubmit, onClose, children } = props;
  return (
    <FormDialog
      title={title}
      description={description}
      action={action}
      busy={saving.isPending}
      onSubmit={form.handleSubmit(onSubmit, showInvalidFields)}
      onClose={onClose}
      unsaved={{ when: form.formState.isDirty && !saving.isSuccess, what: 'this user' }}
      className="grid gap-5"
    >
      {saving.error && (
        <Notice tone="destructive" live>
          {errorText(saving.error)}
        </Notice>
      )}
      {children}
    </FormDialog>
  );
}
