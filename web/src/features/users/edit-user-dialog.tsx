import { zodResolver } from '@hookform/resolvers/zod';
import type { ManagedUser } from '@roster/contracts/users';
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { useUser } from '#web/data/current-user.ts';
import { errorText } from '#web/lib/api.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { UnsavedChanges } from '#web/lib/unsaved-changes.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeUser } from './queries.ts';
import { announceInvalid, UserFields, userFieldNames } from './user-fields.tsx';
import { editForm, type UserValues } from './user-schema.ts';

export function EditUserDialog({ user, onClose }: { user: ManagedUser; onClose: () => void }) {
  const change = useChangeUser();
  const formId = useId();
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
        onError: (error) => {
          showFieldErrors(form, error, userFieldNames);
          toast({
            title: 'Failed to update user',
            description: errorText(error, 'An error occurred. Please try again.'),
            variant: 'destructive',
          });
        },
      },
    );
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Edit User"
      description={user.email}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={change.isPending} pendingLabel="Saving...">
            Save Changes
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          event.stopPropagation();
          if (change.isPending) return event.preventDefault();
          void form.handleSubmit(submit, announceInvalid)(event);
        }}
        className="grid gap-5"
      >
        {change.error && (
          <Notice tone="destructive" live>
            {errorText(change.error)}
          </Notice>
        )}
        <UserFields
          form={form}
          isMe={isMe}
          fixedEmail={
            hasSignedIn
              ? 'Somebody has signed in with this address, so it cannot be changed here: another address would get their conversations.'
              : undefined
          }
        />
      </form>
      <UnsavedChanges when={form.formState.isDirty && !change.isSuccess} what="this user" />
    </Dialog>
  );
}
