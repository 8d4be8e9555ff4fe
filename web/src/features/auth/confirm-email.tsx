import { auth } from '@roster/contracts/auth';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { currentUserQuery, useLogout, useUser } from '#web/api/current-user.ts';
import { useRequestConfirmation } from '#web/api/mailed-links.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { ApiError, call, errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import type { MailedLink } from './mailed-link.ts';
import { NarrowPage } from './narrow-page.tsx';

const title = 'Confirm your email';

/** Confirms the address of a signed-in user at once, or says why not and what to do. */
export function ConfirmEmail({ link }: { link: MailedLink | null }) {
  const user = useUser();
  // A link may also be for another address than the confirmed one.
  if (user.emailVerified && link?.userId !== user.id) return <Confirmed />;
  if (!link) {
    return (
      <Unconfirmed
        heading="Invalid Confirmation Link"
        lead="Part of the link is missing, or the page was reloaded. Open the link from the email once more, or send a new one."
      >
        <SendAgain />
      </Unconfirmed>
    );
  }
  return user.id === link.userId ? <Confirming link={link} /> : <OtherAccount />;
}

function Confirming({ link }: { link: MailedLink }) {
  const { mutate, isPending, isIdle, isSuccess, error } = useConfirmEmail();
  const { email, emailVerified } = useUser();
  const mail = useQuery(signInOptionsQuery).data?.mail;
  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current) return;
    isStarted.current = true;
    mutate(link);
  }, [mutate, link]);

  if (isSuccess) return <Confirmed />;
  if (isIdle || isPending || !error) return <SpinnerPanel label="Confirming your address" className="min-h-dvh" />;
  const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
  // Without a mail server a new link cannot be sent.
  if (isRefused && (emailVerified || mail === false))
    return (
      <Unconfirmed
        heading="This link no longer works"
        lead={`It has already been used or has expired. The address of your account is ${email}${emailVerified ? ', and it is confirmed' : ''}.`}
      >
        <Link to="/settings" className={buttonClass({ className: 'mt-6 self-start' })}>
          Account settings
        </Link>
      </Unconfirmed>
    );
  return (
    <Unconfirmed heading="Failed to confirm the address">
      <Notice tone="destructive" live className="mt-5">
        {errorText(error, 'The confirmation link is invalid or has expired.')}
      </Notice>
      {isRefused ? (
        <SendAgain />
      ) : (
        <Button variant="primary" className="mt-6 self-start" onClick={() => mutate(link)}>
          Try Again
        </Button>
      )}
    </Unconfirmed>
  );
}

function useConfirmEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (link: MailedLink) => call(auth.confirmEmail, { body: link }),
    onSuccess: (user) => {
      client.setQueryData(currentUserQuery.queryKey, user);
    },
  });
}

function Confirmed() {
  const { email, emailVerified } = useUser();
  // Without a mail server a link does not prove who reads the mail.
  const heading = emailVerified ? 'Your email address is confirmed' : 'Your email address was changed';
  return (
    <NarrowPage title={title} heading={heading} lead={email}>
      <div className="mt-6 flex flex-wrap gap-2">
        <Link to="/" className={buttonClass({ variant: 'primary' })}>
          Go to Home
        </Link>
        <Link to="/settings" className={buttonClass()}>
          Account settings
        </Link>
      </div>
    </NarrowPage>
  );
}

function OtherAccount() {
  const { email } = useUser();
  const logout = useLogout();
  return (
    <Unconfirmed
      heading="This link is for another account"
      lead={`You are signed in as ${email}. Log out, then log in to the account named in the email.`}
    >
      <Button
        variant="primary"
        busy={logout.isPending}
        pendingLabel="Logging out..."
        className="mt-6 self-start"
        onClick={() =>
          logout.mutate(undefined, {
            onError: showFailure('Logout failed'),
          })
        }
      >
        Logout
      </Button>
    </Unconfirmed>
  );
}

function Unconfirmed({ heading, lead, children }: { heading: string; lead?: string; children: ReactNode }) {
  return (
    <NarrowPage title={title} heading={heading} lead={lead}>
      {children}
      <Link to="/" className={buttonClass({ variant: 'ghost', className: 'mt-6 -ms-3.5 self-start' })}>
        Go to Home
      </Link>
    </NarrowPage>
  );
}

function SendAgain() {
  const { email } = useUser();
  const { data: options } = useQuery(signInOptionsQuery);
  const request = useRequestConfirmation();
  if (!options?.mail) return null;
  const sendConfirmation = () =>
    request.mutate(undefined, {
      onSuccess: () =>
        toast({ title: 'Confirmation email sent', description: `Open the link in the email to ${email}.` }),
      onError: showFailure('Confirmation email failed', 'Please try again later.'),
    });
  return (
    <Button
      variant="primary"
      busy={request.isPending}
      pendingLabel="Sending..."
      className="mt-6 self-start"
      onClick={sendConfirmation}
    >
      Send a new confirmation email
    </Button>
  );
}
