import { Email, roles } from '@roster/contracts/auth';
import { NewInvitation, usualInvitationDays } from '@roster/contracts/invitations';
import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import type { ShownInvitation } from './invitation-link-dialog.tsx';
import { useInvite } from './invitation-queries.ts';

const Form = z.object({
  email: z.string().refine((typed) => Email.safeParse(typed).success, 'Invalid email address'),
  role: NewInvitation.shape.role,
  expiresInDays: z
    .string()
    .transform((typed) => (typed.trim() === '' ? Number.NaN : Number(typed)))
    .pipe(NewInvitation.shape.expiresInDays.unwrap()),
});

const useInviteForm = () =>
  useSchemaForm(Form, { email: '', role: 'Editor', expiresInDays: String(usualInvitationDays) });

export function InviteDialog({ onClose, onLink }: { onClose: () => void; onLink: (shown: ShownInvitation) => void }) {
  const invite = useInvite();
  const sendsMail = useQuery(signInOptionsQuery).data?.mail ?? true;
  const form = useInviteForm();
  const { errors, isDirty } = form.formState;
  const submit = form.handleSubmit((draft) =>
    invite.mutate(draft, {
      onSuccess: ({ invitation, link }) => {
        onClose();
        if (link !== null) return onLink({ invitation, link });
        toast({ title: 'Invitation sent', description: `A link was emailed to ${invitation.email}.` });
      },
      onError: showFormFailure(form, 'Failed to send the invitation', 'An error occurred. Please try again.'),
    }),
  );
  return (
    <FormDialog
      title="Invite"
      description={
        sendsMail
          ? 'Emails a link for creating an account.'
          : 'Creates a link for creating an account. This installation has no mail server, so you see the link once and send it yourself.'
      }
      action={sendsMail ? ['Send Invitation', 'Sending...'] : ['Create Link', 'Creating...']}
      busy={invite.isPending}
      onSubmit={submit}
      onClose={onClose}
      unsaved={{ when: isDirty && !invite.isSuccess, what: 'this invitation' }}
      className="grid gap-5"
    >
      {invite.error && (
        <Notice tone="destructive" live>
          {errorText(invite.error)}
        </Notice>
      )}
      <Field label="Email" required error={errors.email?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('email')}
            type="email"
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
      </Field>
      <RoleAndTime form={form} />
    </FormDialog>
  );
}

function RoleAndTime({ form }: { form: ReturnType<typeof useInviteForm> }) {
  const { errors } = form.formState;
  return (
    <div className="grid items-start gap-5 sm:grid-cols-2">
      <Field label="Role" error={errors.role?.message}>
        {(control) => (
          <Select {...control} {...form.register('role')}>
            {roles.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Valid for (days)" hint="From 1 to 30." error={errors.expiresInDays?.message}>
        {(control) => <Input {...control} {...form.register('expiresInDays')} inputMode="numeric" />}
      </Field>
    </div>
  );
}
