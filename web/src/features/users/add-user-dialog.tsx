import { zodResolver } from '@hookform/resolvers/zod';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { errorText } from '#web/lib/api.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { UnsavedChanges } from '#web/lib/unsaved-changes.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type NewLink, newLink } from './password-link-dialog.tsx';
import { useAddUser } from './queries.ts';
import { announceInvalid, UserFields, userFieldNames } from './user-fields.tsx';
import { AddForm, type UserValues } from './user-schema.ts';

export function AddUserDialog({ onClose, onLink }: { onClose: () => void; onLink: (link: NewLink) => void }) {
  const add = useAddUser();
  const formId = useId();
  const form = useForm<UserValues>({
    resolver: zodResolver(AddForm),
    defaultValues: { name: '', email: '', role: 'Editor', status: 'Active', password: '' },
  });
  const submit = ({ password, ...draft }: UserValues) =>
    add.mutate(password === '' ? draft : { ...draft, password }, {
      onSuccess: ({ user, passwordLink }) => {
        onClose();
        const mailed = passwordLink?.mailed ? ' A link to set a password was mailed to them.' : '';
        toast({ title: 'User added', description: `${user.email} now has an account.${mailed}` });
        if (passwordLink?.link) onLink(newLink(user, passwordLink.link, 'new'));
      },
      onError: (error) => {
        showFieldErrors(form, error, userFieldNames);
        toast({
          title: 'Failed to add user',
          description: errorText(error, 'An error occurred. Please try again.'),
          variant: 'destructive',
        });
      },
    });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add User"
      description="Gives somebody an account on this installation."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={add.isPending} pendingLabel="Adding...">
            Add User
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.stopPropagation();
          if (add.isPending) return event.preventDefault();
          void form.handleSubmit(submit, announceInvalid)(event);
        }}
        className="grid gap-5"
      >
        {add.error && (
          <Notice tone="destructive" live>
            {errorText(add.error)}
          </Notice>
        )}
        <UserFields form={form} withPassword />
      </form>
      <UnsavedChanges when={form.formState.isDirty && !add.isSuccess} what="this user" />
    </Dialog>
  );
}
