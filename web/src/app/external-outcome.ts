import type { ExternalFailure, ExternalProvider } from '@roster/contracts/auth';
import { tellProblem, toast } from '#web/lib/toast.ts';

/** How a visit to Google or GitHub ended, as the address says it. */
export type ExternalOutcome = { error?: string | undefined; connected?: string | undefined };

const names: Record<ExternalProvider, string> = { google: 'Google', github: 'GitHub' };

/** What happened, and what the person can do now. */
const failures: Record<ExternalFailure, string> = {
  cancelled: 'It was cancelled on the other site, and nothing has changed. You can try again at any time.',
  expired:
    'It took longer than ten minutes, or was begun in another browser or tab. Start again here and finish it here.',
  provider_failed: 'The other site did not answer as it should. Try again in a moment, or log in with your password.',
  not_configured: 'This way to sign in is not set up on this installation. Use another one, or ask its operator.',
  too_many: 'There were too many attempts to sign in from your network. Wait five minutes and try again.',
  email_unverified:
    'The other site has not verified your email address. Verify it there and try again, or log in with your password.',
  account_exists:
    'There is already an account with this email address. Log in to it first, then connect under Settings, Account.',
  registration_closed:
    'There is no account for you yet, and registration is closed. Ask the administrator of this installation for one.',
  setup_code_required:
    'The first account of this installation takes the set-up code that the server printed. Register it with a password.',
  inactive: 'This account is inactive. Ask the administrator of this installation to activate it.',
  linked_elsewhere:
    'That account is already connected to another account of this installation. Disconnect it there first.',
  already_connected: 'Your account is connected to another one there. Disconnect that first, then connect this one.',
  unconfirmed_email:
    'The address there is not the one of this account, and this account’s own address is not confirmed. Confirm it first.',
  sign_in_again:
    'You signed in more than ten minutes ago. Log out, log in again, and connect within ten minutes: so nobody who finds this browser open can do it.',
};

/** Object.hasOwn: the code comes out of the address, where anything may stand. */
const isFailure = (code: string): code is ExternalFailure => Object.hasOwn(failures, code);
const isProvider = (name: string): name is ExternalProvider => Object.hasOwn(names, name);

/** Says how it ended. */
export function tellExternalOutcome({ error, connected }: ExternalOutcome, failed: string): void {
  if (error !== undefined) {
    const description = isFailure(error) ? failures[error] : 'It did not work. Please try again.';
    // Longer than other toasts: they say what to do, in a sentence or two.
    tellProblem({ title: failed, description, duration: 12_000 });
  } else if (connected !== undefined && isProvider(connected)) {
    const name = names[connected];
    toast({ title: `${name} connected`, description: `You can now log in with your ${name} account.` });
  }
}
