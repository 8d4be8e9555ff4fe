import { zodResolver } from '@hookform/resolvers/zod';
import { UserName } from '@roster/contracts/auth';

import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { useUser } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { useChangeName } from './account-queries.ts';

const resolver = zodResolver(z.object({ name: UserName }));

export function ChangeNameDialog({ onClose }: { onClose: () => void }) {
  const user = useUser();
  const change = useChangeName();
  const form = useForm({ resolver, defaultValues: { name: user.name ?? '' } });
  const submit = form.handleSubmit(({ name }) =>
    change.mutate(name, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Name changed', description: `Your name is now ${name}.` });
      },
      onError: showFormFailure(form, 'Failed to change name', 'Please try again.'),
    }),
  );
  return (
    <FormDialog
      size="sm"
      title="Change name"
      description="Your name in Roster. Administrators see it too."
      action={['Change Name', 'Saving...']}
      busy={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" error={form.formState.errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} autoComplete="name" dir="auto" />}
      </Field>
    </FormDialog>
  );
}
