import { zodResolver } from '@hookform/resolvers/zod';
import { PersonName } from '@roster/contracts/auth';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { useUser } from '#web/data/current-user.ts';
import { tellFormFailure } from '#web/lib/form-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Input } from '#web/ui/input.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeName } from './account-queries.ts';

const resolver = zodResolver(z.object({ name: PersonName }));

export function ChangeNameDialog({ onClose }: { onClose: () => void }) {
  const user = useUser();
  const change = useChangeName();
  const formId = useId();
  const form = useForm({ resolver, defaultValues: { name: user.name ?? '' } });
  const submit = form.handleSubmit(({ name }) =>
    change.mutate(name, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Name changed', description: `You are called ${name} from now on.` });
      },
      onError: tellFormFailure(form, 'Failed to change name', 'Please try again.'),
    }),
  );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title="Change name"
      description="How you are called here; administrators see it too."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={change.isPending} pendingLabel="Saving...">
            Change Name
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <Field label="Name" error={form.formState.errors.name?.message}>
          {(control) => <Input {...control} {...form.register('name')} autoComplete="name" dir="auto" />}
        </Field>
      </form>
    </Dialog>
  );
}
