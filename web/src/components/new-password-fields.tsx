import { passwordMinimum, passwordRecommended } from '@roster/contracts/auth';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { Field } from '#web/ui/forms/field.tsx';
import { SecretInput } from '#web/ui/forms/secret-input.tsx';

/** Shown below every field in which a new password is chosen. */
const passwordHint = `At least ${passwordMinimum} characters; ${passwordRecommended} or more are recommended.`;

/** Registered on render: the order decides which invalid field gets focus first. */
type Registered = { register: () => UseFormRegisterReturn; error: string | undefined };

type NewPasswordFieldsProps = { label: 'Password' | 'New Password'; password: Registered; confirmation: Registered };

/** New password and its confirmation. */
export function NewPasswordFields({ label, password, confirmation }: NewPasswordFieldsProps) {
  return (
    <>
      <Field label={label} hint={passwordHint} error={password.error}>
        {(control) => (
          <SecretInput {...control} {...password.register()} what={label.toLowerCase()} autoComplete="new-password" />
        )}
      </Field>
      <Field label="Confirm Password" error={confirmation.error}>
        {(control) => (
          <SecretInput
            {...control}
            {...confirmation.register()}
            what="password confirmation"
            autoComplete="new-password"
          />
        )}
      </Field>
    </>
  );
}
