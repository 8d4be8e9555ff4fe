import { providerNameIn } from '@roster/contracts/provider-name';
import { isBlank } from '@roster/contracts/text/blank';
import { useRef, useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useSaveAdminKey } from './queries.ts';

type AdminKeyDialogProps = { provider: string; replaces: boolean; onClose: () => void };

/** The key that is typed, what is wrong with it, and how it is saved. */
function useAdminKeyForm({ provider, onClose }: Omit<AdminKeyDialogProps, 'replaces'>) {
  const [adminKey, setAdminKey] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const { mutate, isPending, error, reset } = useSaveAdminKey();
  const wrongField = error instanceof ApiError ? error.fields?.adminKey : undefined;
  const submit = () => {
    setIsMissing(isBlank(adminKey));
    if (isBlank(adminKey)) {
      field.current?.focus();
      return;
    }
    mutate(adminKey, {
      onSuccess: ({ notice }) => {
        toast(
          notice === null
            ? { title: 'Admin key saved', description: `${providerNameIn('beginning', provider)} accepted it.` }
            : { title: 'Admin key saved, but not verified', description: notice },
        );
        onClose();
      },
      onError: () => field.current?.focus(),
    });
  };
  const type = (key: string) => {
    setAdminKey(key);
    setIsMissing(false);
    if (error) reset();
  };
  const problem = isMissing ? 'Admin key is required' : wrongField;
  return { adminKey, type, field, problem, submit, isPending, error: wrongField ? null : error };
}

/** Saves an admin key, after explaining what it is and how it is used. */
export function AdminKeyDialog({ provider, replaces, onClose }: AdminKeyDialogProps) {
  const { adminKey, type, field, problem, submit, isPending, error } = useAdminKeyForm({ provider, onClose });
  return (
    <FormDialog
      title={replaces ? 'Replace admin key' : 'Add admin key'}
      description={`An owner of the organization makes an admin key in the organization settings of ${provider}.`}
      action={['Save admin key', 'Trying...']}
      busy={isPending}
      onSubmit={submit}
      onClose={onClose}
      failed={{ title: 'The key was not saved', error }}
      className="grid gap-4"
    >
      <ul className="list-disc space-y-1 ps-5 text-muted-foreground text-sm">
        <li>It covers the whole organization, not only what goes through Roster.</li>
        <li>Roster reads usage and costs with it, and uses it for nothing else.</li>
        <li>It is stored encrypted, is yours alone, and is never shown again.</li>
      </ul>
      <Field label="Admin key" hint="At OpenAI it begins with 'sk-admin-'." error={problem} required>
        {(control) => (
          <SecretInput
            {...control}
            ref={field}
            what="admin key"
            autoComplete="off"
            placeholder="sk-admin-…"
            value={adminKey}
            onChange={(event) => type(event.currentTarget.value)}
            className="font-mono placeholder:font-sans"
          />
        )}
      </Field>
    </FormDialog>
  );
}
