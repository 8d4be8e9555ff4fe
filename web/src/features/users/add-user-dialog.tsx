import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { toast } from '#web/ui/states/toast.tsx';
import { type NewLink, newLink } from './password-link-dialog.tsx';
import { useAddUser } from './queries.ts';
import { UserDialog } from './user-dialog.tsx';
import { UserFields } from './user-fields.tsx';
import { AddForm, type UserValues } from './user-schema.ts';

export function AddUserDialog({ onClose, onLink }: { onClose: () => void; onLink: (link: NewLink) => void }) {
  const add = useAddUser();
  const form = useForm<UserValues>({
    resolver: zodResolver(AddForm),
    defaultValues: { name: '', email: '', role: 'Editor', status: 'Active', password: '' },
  });
  const submit = ({ password, ...draft }: UserValues) =>
    add.mutate(password === '' ? draft : { ...draft, password }, {
      onSuccess: ({ user, passwordLink }) => {
        onClose();
        const mailed = passwordLink?.mailed ? ' A link to set a password has been emailed to them.' : '';
        toast({ title: 'User added', description: `${user.email} now has an account.${mailed}` });
        if (passwordLink?.link) onLink(newLink(user, passwordLink.link, 'new'));
      },
      onError: showFormFailure(form, 'Failed to add user', 'An error occurred. Please try again.'),
    });
  return (
    <UserDialog
      title="Add User"
      description="Creates an account on this installation."
      action={['Add User', 'Adding...']}
      form={form}
      saving={add}
      onSubmit={submit}
      onClose={onClose}
    >
      <UserFields form={form} withPassword />
    </UserDialog>
  );
}
