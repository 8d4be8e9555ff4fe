import { providerNameIn } from '@roster/contracts/provider-name';
import { AdminKey } from '@roster/contracts/usage/usage';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useSaveAdminKey } from './queries.ts';

type AdminKeyDialogProps = { provider: string; replaces: boolean; onClose: () => void };

const AdminKeyForm = z.object({ adminKey: AdminKey });

function useAdminKeyForm({ provider, onClose }: Omit<AdminKeyDialogProps, 'replaces'>) {
  const form = useSchemaForm(AdminKeyForm, { adminKey: '' });
  const { mutate, isPending, error, reset } = useSaveAdminKey();
  const submit = form.handleSubmit(({ adminKey }) =>
    mutate(adminKey, {
      onSuccess: ({ notice }) => {
        toast(
          notice === null
            ? { title: 'Admin key saved', description: `${providerNameIn('beginning', provider)} accepted it.` }
            : { title: 'Admin key saved, but not verified', description: notice },
        );
        onClose();
      },
      onError: (failure) => {
        if (!showFieldErrors(form, failure)) form.setFocus('adminKey');
      },
    }),
  );
  const control = form.register('adminKey', {
    onChange() {
      form.clearErrors('adminKey');
      if (error) reset();
    },
  });
  const problem = form.formState.errors.adminKey?.message;
  return { control, problem, submit, isPending, error: problem === undefined ? error : null };
}

/** Saves an admin key, after explaining what it is and how it is used. */
export function AdminKeyDialog({ provider, replaces, onClose }: AdminKeyDialogProps) {
  const { control: field, problem, submit, isPending, error } = useAdminKeyForm({ provider, onClose });
  return (
    <FormDialog
      title={replaces ? 'Replace admin key' : 'Add admin key'}
      description={`An organization owner can create an admin key in the organization settings at ${provider}.`}
      action={['Save admin key', 'Trying...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'Failed to save the key', error }}
      className="grid gap-4"
    >
      <ul className="list-disc space-y-1 ps-5 text-muted-foreground text-sm">
        <li>It covers the whole organization, not only requests through Roster.</li>
        <li>Roster uses it only to read usage and costs.</li>
        <li>It is stored encrypted, used only for your account, and never shown again.</li>
      </ul>
      <Field label="Admin key" hint="OpenAI admin keys begin with 'sk-admin-'." error={problem} required>
        {(control) => (
          <SecretInput
            {...control}
            {...field}
            what="admin key"
            autoComplete="off"
            placeholder="sk-admin-…"
            className="font-mono placeholder:font-sans"
          />
        )}
      </Field>
    </FormDialog>
  );
}
