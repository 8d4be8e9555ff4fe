import { type Passkey, PasskeyName } from '@roster/contracts/passkeys';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useAddPasskey, useRemovePasskey, useRenamePasskey } from './queries.ts';

const Form = z.object({ name: PasskeyName });

type AddProps = { proposedName: string; onClose: () => void; onAdded: (recoveryCodes: string[] | null) => void };

export function AddPasskeyDialog({ proposedName, onClose, onAdded }: AddProps) {
  const add = useAddPasskey();
  const form = useSchemaForm(Form, { name: proposedName });
  const submit = form.handleSubmit(({ name }) =>
    add.mutate(name, {
      onSuccess: ({ recoveryCodes }) => onAdded(recoveryCodes),
      onError(error) {
        if (error.name !== 'PasskeyCancelledError')
          showFormFailure(form, 'Failed to add the passkey', 'Please try again.')(error);
      },
    }),
  );
  return (
    <FormDialog
      size="sm"
      title="Add a passkey"
      description="Sign in with your device’s fingerprint, face or PIN instead of a password."
      action={['Add Passkey', 'Adding...']}
      busy={add.isPending}
      onSubmit={submit}
      onClose={onClose}
      className="grid gap-5"
    >
      <Field label="Name" hint="Helps you recognize it in this list." error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} dir="auto" />}
      </Field>
      <Notice tone="warning">
        From then on, signing in with your password or a login provider also asks for a passkey or another second step.
      </Notice>
    </FormDialog>
  );
}

type ChangeProps = { passkey: Passkey; onClose: () => void };

export function RenamePasskeyDialog({ passkey, onClose }: ChangeProps) {
  const rename = useRenamePasskey();
  const form = useSchemaForm(Form, { name: passkey.name });
  const submit = form.handleSubmit(({ name }) =>
    rename.mutate(
      { id: passkey.id, name },
      { onSuccess: onClose, onError: showFormFailure(form, 'Failed to rename the passkey', 'Please try again.') },
    ),
  );
  return (
    <FormDialog
      size="sm"
      title="Rename passkey"
      action={['Rename', 'Saving...']}
      busy={rename.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} dir="auto" />}
      </Field>
    </FormDialog>
  );
}

export function RemovePasskeyDialog({ passkey, onClose }: ChangeProps) {
  const remove = useRemovePasskey();
  const confirm = () =>
    remove.mutate(passkey.id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Passkey removed', description: 'Delete it on your device too: it no longer works here.' });
      },
      onError: (error) => {
        onClose();
        showFailure('Failed to remove the passkey', 'Please try again.')(error);
      },
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Remove passkey"
      description={`${passkey.name} no longer signs you in. If you have no other second factor, your recovery codes stop working too.`}
      confirmLabel="Remove"
      pendingLabel="Removing..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}
