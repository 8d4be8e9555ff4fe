import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useUser } from '#web/api/current-user.ts';
import { useRequestConfirmation } from '#web/api/mailed-links.ts';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { ChangeEmailDialog } from './change-email-dialog.tsx';
import { ChangeNameDialog } from './change-name-dialog.tsx';

export function AccountInformation() {
  const user = useUser();
  const mail = useQuery(signInOptionsQuery).data?.mail;
  const [changing, setChanging] = useState<'name' | 'email' | null>(null);
  const close = () => setChanging(null);
  return (
    <Card>
      <CardHeader title="Account Information" />
      <dl className="divide-y divide-border px-5 py-2">
        <Row
          label="Email"
          action={
            mail !== undefined && (
              <Button size="sm" aria-label="Change email" onClick={() => setChanging('email')}>
                Change
              </Button>
            )
          }
        >
          <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="wrap-anywhere min-w-0">{user.email}</span>
            {user.emailVerified ? <Badge tone="success">Confirmed</Badge> : <Badge tone="warning">Not confirmed</Badge>}
          </span>
          {!user.emailVerified && <Confirmation email={user.email} />}
        </Row>
        <Row
          label="Name"
          action={
            <Button size="sm" aria-label="Change name" onClick={() => setChanging('name')}>
              Change
            </Button>
          }
        >
          {user.name ? <span dir="auto">{user.name}</span> : <span className="text-muted-foreground">Not set</span>}
        </Row>
        <Row label="Role">{user.role}</Row>
        <Row label="Account created">
          {user.createdAt ? <time dateTime={user.createdAt}>{formatLongDate(user.createdAt)}</time> : 'Unknown'}
        </Row>
      </dl>
      {changing === 'name' && <ChangeNameDialog onClose={close} />}
      {changing === 'email' && <ChangeEmailDialog mail={mail ?? true} onClose={close} />}
    </Card>
  );
}

function Row({ label, action, children }: { label: string; action?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-14 flex-wrap items-center gap-x-6 gap-y-0.5 py-3">
      <dt className="w-40 text-muted-foreground max-sm:w-full">{label}</dt>
      <dd className="wrap-anywhere flex min-w-0 flex-1 items-center gap-4">
        <div className="min-w-0 flex-1">{children}</div>
        {action}
      </dd>
    </div>
  );
}

/** How to confirm an email address on this installation. */
function Confirmation({ email }: { email: string }) {
  const { data: options } = useQuery(signInOptionsQuery);
  const request = useRequestConfirmation();
  if (!options) return null;
  if (!options.mail) {
    return (
      <p className="mt-1 text-muted-foreground text-sm">
        This installation has no mail server, so your address can’t be confirmed.
      </p>
    );
  }
  const sendConfirmation = () =>
    request.mutate(undefined, {
      onSuccess: () =>
        toast({ title: 'Confirmation email sent', description: `Open the link in the email to ${email}.` }),
      onError: showFailure('Confirmation email failed', 'Please try again later.'),
    });
  return (
    <Button size="sm" busy={request.isPending} pendingLabel="Sending..." className="mt-2" onClick={sendConfirmation}>
      Send confirmation email
    </Button>
  );
}
