import { zodResolver } from '@hookform/resolvers/zod';
import { type LoginProvider, NewPassword, type Role, type SignInOptions, UserName } from '@roster/contracts/auth';
import { invitations } from '@roster/contracts/invitations';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { useSignedIn } from '#web/api/current-user.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { NewPasswordFields } from '#web/components/new-password-fields.tsx';
import { call } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { passkeysWork } from '#web/lib/passkeys-work.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { NarrowPage } from './narrow-page.tsx';

const Fields = z
  .object({ name: UserName, password: NewPassword, confirmation: z.string() })
  .refine((fields) => fields.password === fields.confirmation, {
    path: ['confirmation'],
    message: "Passwords don't match",
    when: () => true,
  });
type Values = z.input<typeof Fields>;
const resolver = zodResolver(Fields);

/** With a passkey the account has no password, and the passkey is added next. */
export type AcceptedBy = 'password' | 'passkey';

const roleWords: Record<Role, string> = { Admin: 'an administrator', Editor: 'an Editor', Viewer: 'a Viewer' };

type Props = {
  token: string;
  invitation: z.output<typeof invitations.read.output>;
  onAccepted: (by: AcceptedBy) => void;
};

export function AcceptInvitation({ token, invitation: { email, role, invitedBy }, onAccepted }: Props) {
  const { data: options } = useQuery(signInOptionsQuery);
  const hasPasswords = options?.passwordLogin !== false;
  return (
    <NarrowPage
      title="Invitation"
      heading="Create your Roster account"
      lead={`${invitedBy} invites you to Roster as ${roleWords[role]}.`}
    >
      {hasPasswords && <AcceptForm token={token} email={email} onAccepted={onAccepted} />}
      {options && <Providers options={options} token={token} email={email} />}
    </NarrowPage>
  );
}

type FormProps = Pick<Props, 'token' | 'onAccepted'> & { email: string };

function AcceptForm({ token, email, onAccepted }: FormProps) {
  const accept = useAccept(token);
  const form = useForm<Values>({ resolver, defaultValues: { name: '', password: '', confirmation: '' } });
  const { errors } = form.formState;
  const onError = showFormFailure(form, 'Failed to accept the invitation', 'Please try again.');
  const submit = form.handleSubmit(({ name, password }) =>
    accept.mutate({ name, password }, { onSuccess: () => onAccepted('password'), onError }),
  );
  const withoutPassword = async () => {
    if (await form.trigger('name', { shouldFocus: true }))
      accept.mutate({ name: form.getValues('name') }, { onSuccess: () => onAccepted('passkey'), onError });
  };
  return (
    <form onSubmit={submit} noValidate className="mt-6 grid gap-4">
      <Field label="Email">
        {(control) => (
          <Input
            {...control}
            value={email}
            readOnly
            type="email"
            autoComplete="username"
            className="text-muted-foreground"
          />
        )}
      </Field>
      <Field label="Name" error={errors.name?.message}>
        {(control) => <Input {...control} {...form.register('name')} autoComplete="name" />}
      </Field>
      <NewPasswordFields
        label="Password"
        password={{ register: () => form.register('password'), error: errors.password?.message }}
        confirmation={{ register: () => form.register('confirmation'), error: errors.confirmation?.message }}
      />
      <Button
        type="submit"
        variant="primary"
        busy={accept.isPending}
        pendingLabel="Creating account..."
        className="mt-1"
      >
        Create Account
      </Button>
      {passkeysWork() && (
        <Button icon={Fingerprint} disabled={accept.isPending} onClick={() => void withoutPassword()}>
          Use a Passkey Instead
        </Button>
      )}
    </form>
  );
}

function useAccept(token: string) {
  const signedIn = useSignedIn();
  return useMutation({
    mutationFn: (given: { name: string; password?: string }) => call(invitations.accept, { body: { token, ...given } }),
    onSuccess: signedIn,
  });
}

/** Buttons for the configured login providers; nothing if there are none. */
function Providers({ options, token, email }: { options: SignInOptions; token: string; email: string }) {
  const begin = useMutation({
    mutationFn: (provider: LoginProvider) => call(invitations.acceptAtProvider, { body: { token, provider } }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: showFailure('Sign-in failed', 'Please try again.'),
  });
  const providers: { id: LoginProvider; name: string }[] = [
    ...(options.github ? [{ id: 'github' as const, name: 'GitHub' }] : []),
    ...(options.google ? [{ id: 'google' as const, name: 'Google' }] : []),
    ...(options.openId ?? []),
  ];
  if (providers.length === 0) return null;
  return (
    <section aria-label="Other ways" className="mt-7 grid gap-3">
      <p className="text-muted-foreground text-sm">
        {options.passwordLogin ? 'Or sign in' : 'Sign in'} with an account that has the verified address {email}:
      </p>
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          busy={begin.isPending && begin.variables === id}
          pendingLabel="Opening..."
          onClick={() => begin.mutate(id)}
        >
          Continue with {name}
        </Button>
      ))}
    </section>
  );
}
