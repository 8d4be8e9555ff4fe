import type { LoginProviderFailure } from '@roster/contracts/auth';
import { toast, toastError } from '#web/lib/toast.ts';

/** Result of signing in with Google or GitHub, as the address carries it. */
export type LoginProviderOutcome = { error?: string | undefined; connected?: string | undefined };

const names = { google: 'Google', github: 'GitHub' };

const failures: Record<LoginProviderFailure, string> = {
  cancelled: 'You cancelled at the login provider, so nothing has changed. You can try again at any time.',
  expired:
    'The sign-in took longer than ten minutes, or was started in another browser or tab. Start again and finish it here.',
  provider_failed: 'The login provider did not respond correctly. Try again in a moment, or log in with your password.',
  not_configured: 'This way to sign in is not set up on this installation. Use another one, or ask its operator.',
  too_many: 'Too many sign-in attempts from your network. Wait five minutes and try again.',
  login_required: 'You are not logged in at the login provider. Log in there first, then try again here.',
  interaction_required: 'The login provider needs something from you first. Log in there, complete it, then try again.',
  consent_required:
    'The login provider needs your consent to tell this installation who you are. Try again and allow it there.',
  account_selection_required:
    'The login provider does not know which of your accounts to use. Choose one there, then try again.',
  temporarily_unavailable: 'The login provider is overloaded or down for maintenance. Try again in a few minutes.',
  server_error: 'The login provider reports an internal error. Try again in a moment, or log in with your password.',
  shared_signature:
    'The login provider signs tokens with HS256, which Roster cannot verify. Ask the operator of this installation to set the client there to RS256.',
  email_missing:
    'The login provider gave no email address. Add one to your account there, or allow it to be shared, and try again.',
  email_unvouched:
    'The login provider does not say whether your email address is verified. Ask the operator of this installation, or log in with your password.',
  email_unusable:
    'The email address of your account there cannot be used here: it needs a domain with a dot, as in name@example.org. Change it there and try again.',
  email_unverified:
    'The login provider has not verified your email address. Verify it there and try again, or log in with your password.',
  account_exists:
    'There is already an account with this email address. Log in to it first, then connect under Settings, Account.',
  registration_closed:
    'There is no account for you yet, and registration is closed. Ask the administrator of this installation for one.',
  registration_invited:
    'There is no account for you yet, and registration is by invitation. Ask an administrator of this installation for one.',
  domain_not_registrable:
    'There is no account for you yet, and addresses of this domain cannot register here. Ask an administrator for an invitation.',
  setup_code_required: 'The first account needs the setup code printed by the server. Register it with a password.',
  inactive: 'This account is inactive. Ask the administrator of this installation to activate it.',
  linked_elsewhere:
    'That account is already connected to another account of this installation. Disconnect it there first.',
  already_connected: 'Your account is connected to another one there. Disconnect that first, then connect this one.',
  unconfirmed_email:
    'The address there is not the one of this account, and this account’s own address is not confirmed. Confirm it first.',
  sign_in_again:
    'You signed in more than ten minutes ago. For your security, log out, log in again, and connect within ten minutes.',
  not_in_groups:
    'Your account there is not in a group that may use this installation. Ask whoever manages it to add you to one.',
  groups_unknown:
    'The login provider did not report your groups, which this installation requires. Ask the operator of this installation.',
  domain_not_allowed:
    'Accounts with the domain of your email address may not use this installation. Use another one there, or ask the operator.',
  invitation_invalid:
    'This invitation was used already, has expired, or was replaced or revoked. Ask an administrator for a new one.',
  invitation_other_address:
    'The address of your account there is not the one that was invited. Open the invitation again and use the invited address, or set a password.',
};

/** Object.hasOwn, because the code comes from the address and may be anything. */
const isFailure = (code: string): code is LoginProviderFailure => Object.hasOwn(failures, code);
const isProvider = (name: string): name is keyof typeof names => Object.hasOwn(names, name);

/** Shows the result as a toast. */
export function showLoginProviderOutcome({ error, connected }: LoginProviderOutcome, failed: string): void {
  if (error !== undefined) {
    const description = isFailure(error) ? failures[error] : 'Please try again.';
    // Shown longer than other toasts: the text is a sentence or two.
    toastError({ title: failed, description, duration: 12_000 });
  } else if (connected !== undefined && isProvider(connected)) {
    const name = names[connected];
    toast({ title: `${name} connected`, description: `You can now log in with your ${name} account.` });
  } else if (connected?.startsWith('oidc')) {
    toast({ title: 'Login connected', description: 'You can now log in with your account at the login provider.' });
  }
}
