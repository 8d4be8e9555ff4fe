import { invitations } from '@roster/contracts/invitations';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call, errorText } from '#web/lib/api-client.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { type AcceptedBy, AcceptInvitation } from './accept-invitation.tsx';
import { AddPasskeyPage } from './add-passkey-page.tsx';
import { NarrowPage } from './narrow-page.tsx';

/** `token`: null if the address is not that of an invitation. */
export function InvitationPage({ token }: { token: string | null }) {
  const [accepted, setAccepted] = useState<{ email: string; by: AcceptedBy } | null>(null);
  if (accepted?.by === 'passkey') return <AddPasskeyPage />;
  if (accepted) return <Accepted email={accepted.email} />;
  if (token === null)
    return (
      <Refused
        heading="Invalid invitation link"
        lead="The link is incomplete, or the page was reloaded. Open the link again."
      />
    );
  return <Invited token={token} onAccepted={(email, by) => setAccepted({ email, by })} />;
}

function Invited({ token, onAccepted }: { token: string; onAccepted: (email: string, by: AcceptedBy) => void }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call(invitations.read, { body: { token } }, signal),
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (data) return <AcceptInvitation token={token} invitation={data} onAccepted={(by) => onAccepted(data.email, by)} />;
  if (error instanceof ApiError && error.code === 'email_taken')
    return <Refused heading="You already have an account" lead={errorText(error)} />;
  if (error instanceof ApiError && error.status < 500 && error.status !== 429)
    return <Refused heading="This invitation cannot be used" lead={errorText(error)} />;
  if (error)
    return (
      <NarrowPage title="Invitation" heading="Invitation">
        <ErrorState
          title="The invitation could not be loaded"
          message={errorText(error)}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </NarrowPage>
    );
  return <SpinnerPanel label="Loading the invitation" className="min-h-dvh" />;
}

function Refused({ heading, lead }: { heading: string; lead: string }) {
  return (
    <NarrowPage title="Invitation" heading={heading} lead={lead}>
      <Link to="/auth" className={buttonClass({ className: 'mt-6 self-start' })}>
        Go to login
      </Link>
    </NarrowPage>
  );
}

function Accepted({ email }: { email: string }) {
  return (
    <NarrowPage
      title="Welcome"
      heading="Your account is ready"
      lead={`You are signed in as ${email}. With a passkey you sign in without your password. Add one now, or later in Settings.`}
    >
      <div className="mt-6 flex flex-wrap gap-2">
        <Link to="/" className={buttonClass({ variant: 'primary' })}>
          Go to Home
        </Link>
        <Link to="/settings" search={{ tab: 'account' }} className={buttonClass()}>
          Add a passkey
        </Link>
      </div>
    </NarrowPage>
  );
}
