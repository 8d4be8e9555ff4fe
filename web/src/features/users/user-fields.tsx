import { type Role, roles, type UserStatus } from '@roster/contracts/auth';
import type { FieldErrors, UseFormReturn } from 'react-hook-form';
import { toastError } from '#web/lib/toast.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import type { UserValues } from './user-schema.ts';

type UserForm = UseFormReturn<UserValues>;

const userFieldNames = ['name', 'email', 'role', 'status', 'password'] as const;

const roleHints: Record<Role, string> = {
  Admin: 'Everything, including this page.',
  Editor: 'Full access to their own data.',
  Viewer: 'Can chat with their assistants, but not change assistants, files or fine-tuning jobs.',
};

const statusHints: Record<UserStatus, string> = {
  Active: 'Can sign in.',
  Inactive:
    'Cannot sign in. All devices are signed out, running answers are stopped and access tokens are revoked. Nothing else is deleted.',
};

/** Repeats the field errors in a toast, as specified. */
export function showInvalidFields(errors: FieldErrors<UserValues>): void {
  const wrong = userFieldNames.flatMap((name) => {
    const message = errors[name]?.message;
    return message ? [`${name}: ${message}`] : [];
  });
  toastError({ title: 'Validation Error', description: wrong.join(', ') });
}

type UserFieldsProps = {
  form: UserForm;
  /** Reason why the email address cannot be changed. */
  fixedEmail?: string | undefined;
  withPassword?: boolean | undefined;
  /** The account was created without a name and may keep none. */
  maybeNameless?: boolean | undefined;
  /** The user edits their own account: warns about the effect of changing role or status. */
  isMe?: boolean | undefined;
};

export function UserFields({ form, fixedEmail, withPassword, maybeNameless, isMe }: UserFieldsProps) {
  const { errors } = form.formState;
  return (
    <div className="grid gap-5">
      <Field label="Name" required={!maybeNameless} error={errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} autoComplete="off" data-autofocus />}
      </Field>
      <Field label="Email" required={!fixedEmail} hint={fixedEmail} error={errors.email?.message}>
        {(control) => (
          <Input
            {...control}
            {...form.register('email')}
            type="email"
            autoComplete="off"
            spellCheck={false}
            readOnly={fixedEmail !== undefined}
            className={fixedEmail === undefined ? undefined : 'text-muted-foreground'}
          />
        )}
      </Field>
      <RoleAndStatus form={form} isMe={isMe} />
      {withPassword && (
        <Field
          label="Password"
          hint="Leave empty to send a link for setting it. Otherwise use at least 8 characters; 15 or more are better."
          error={errors.password?.message}
        >
          {(control) => (
            <SecretInput {...control} {...form.register('password')} what="password" autoComplete="new-password" />
          )}
        </Field>
      )}
    </div>
  );
}

function RoleAndStatus({ form, isMe }: Pick<UserFieldsProps, 'form' | 'isMe'>) {
  const { errors } = form.formState;
  const [role, status] = form.watch(['role', 'status']);
  return (
    <div className="grid items-start gap-5 sm:grid-cols-2">
      <Field label="Role" hint={roleHints[role]} error={errors.role?.message}>
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
      <Field
        label="Status"
        hint={
          isMe && status === 'Inactive'
            ? 'Signs you out immediately, and you cannot sign in again.'
            : statusHints[status]
        }
        error={errors.status?.message}
      >
        {(control) => (
          <Select {...control} {...form.register('status')}>
            <option value="Active">Active</option>
            <option value="Inactive">Inactive</option>
          </Select>
        )}
      </Field>
    </div>
  );
}
