import { zodResolver } from '@hookform/resolvers/zod';
import type { ManagedUser } from '@roster/contracts/users';
import { useForm } from 'react-hook-form';
import { useUser } from '#web/api/current-user.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/ui/states/toast.tsx';
import { useChangeUser } from './queries.ts';
import { UserDialog } from './user-dialog.tsx';
import { UserFields } from './user-fields.tsx';
import { editForm, type UserValues } from './user-schema.ts';

const described = ({ email, accessTokens }: ManagedUser) =>
  accessTokens > 0 ? `${email} · ${formatCount(accessTokens, 'access token')}` : email;

export function EditUserDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const change = useChangeUser();
  const isMe = useUser().id === user.id;
  const hasSignedIn = user.lastActive !== null;
  const before = { name: user.name ?? '', email: user.email, role: user.role, status: user.status };
  const form = useForm<UserValues>({
    resolver: zodResolver(editForm(user.name !== null)),
    defaultValues: { ...before, password: '' },
  });
  const submit = ({ name, email, role, status }: UserValues) => {
    const changes = {
      ...(name !== before.name && { name }),
      ...(email !== before.email && { email }),
      ...(role !== before.role && { role }),
      ...(status !== before.status && { status }),
    };
    if (Object.keys(changes).length === 0) return onClose();
    change.mutate(
      { id: user.id, changes },
      {
        onSuccess: (changed) => {
          onClose();
          toast({ title: 'User updated', description: `The changes to ${changed.email} have been saved.` });
        },
        onError: showFormFailure(form, 'Failed to update user', 'An error occurred. Please try again.'),
      },
    );
  };
  return (
    <UserDialog
      title="Edit User"
      description={described(user)}
      action={['Save Changes', 'Saving...']}
      form={form}
      saving={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <UserFields
        form={form}
        isMe={isMe}
        maybeNameless={user.name === null}
        fixedEmail={
          hasSignedIn ? 'This address has been used to sign in, so you cannot change it. Its owner can.' : undefined
        }
      />
    </UserDialog>
  );
}
