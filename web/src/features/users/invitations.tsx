import type { Invitation } from '@roster/contracts/invitations';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ban, Ellipsis, MailPlus, Send } from 'lucide-react';
import { useState } from 'react';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { type Column, Table } from '#web/ui/table.tsx';
import { InvitationLinkDialog, type ShownInvitation } from './invitation-link-dialog.tsx';
import { invitationsQuery, useResendInvitation, useRevokeInvitation } from './invitation-queries.ts';
import { InviteDialog } from './invite-dialog.tsx';

const states: Record<Invitation['state'], { label: string; tone: BadgeTone; why?: string }> = {
  open: { label: 'Open', tone: 'success' },
  expired: { label: 'Expired', tone: 'neutral' },
  sender_gone: {
    label: 'Invalid sender',
    tone: 'neutral',
    why: 'The sender is no longer an active administrator, so the link does not work. Resend it.',
  },
};

const columns: readonly Column<Invitation>[] = [
  { id: 'email', header: 'Email', cell: ({ email }) => <span title={email}>{email}</span>, isTitle: true },
  { id: 'role', header: 'Role', width: 'w-28', cell: ({ role }) => role },
  {
    id: 'state',
    header: 'State',
    width: 'w-32',
    cell: ({ state }) => (
      <span title={states[state].why}>
        <Badge tone={states[state].tone}>{states[state].label}</Badge>
      </span>
    ),
  },
  {
    id: 'invitedBy',
    header: 'Invited By',
    cell: ({ invitedBy }) => invitedBy ?? <span className="text-muted-foreground">Deleted account</span>,
  },
  { id: 'expires', header: 'Expires', width: 'w-36', cell: ({ expiresAt }) => <RelativeTime date={expiresAt} /> },
];

type Open = { what: 'invite' } | { what: 'resend' | 'revoke'; invitation: Invitation };

/** The invitations that nobody has accepted. */
export function Invitations() {
  const [open, setOpen] = useState<Open | null>(null);
  const [shown, setShown] = useState<ShownInvitation | null>(null);
  const close = () => setOpen(null);
  return (
    <section aria-label="Invitations">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-[72ch] text-muted-foreground">
          People who were invited and have no account yet. Each link works once.
        </p>
        <Button icon={MailPlus} onClick={() => setOpen({ what: 'invite' })}>
          Invite
        </Button>
      </div>
      <InvitationTable onChoose={setOpen} />
      {open?.what === 'invite' && <InviteDialog onClose={close} onLink={setShown} />}
      {open?.what === 'resend' && <ResendDialog invitation={open.invitation} onClose={close} onLink={setShown} />}
      {open?.what === 'revoke' && <RevokeDialog invitation={open.invitation} onClose={close} />}
      {shown && <InvitationLinkDialog shown={shown} onClose={() => setShown(null)} />}
    </section>
  );
}

function InvitationTable({ onChoose }: { onChoose: (open: Open) => void }) {
  const query = useInfiniteQuery(invitationsQuery);
  const rows = query.data ? allItems(query.data) : [];
  if (query.isError && rows.length === 0)
    return (
      <ErrorState
        title="Failed to load the invitations"
        message={errorText(query.error, 'An error occurred while loading the invitations.')}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.isSuccess && rows.length === 0) return <EmptyState icon={MailPlus} text="No open invitations." />;
  return (
    <>
      <Table
        label="Invitations"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        loadingRows={query.isPending ? 3 : 0}
        actions={(invitation) => (
          <Menu trigger={<IconButton label={`Actions for ${invitation.email}`} tooltip="Actions" icon={Ellipsis} />}>
            <MenuItem icon={Send} onSelect={() => onChoose({ what: 'resend', invitation })}>
              Resend
            </MenuItem>
            <MenuItem icon={Ban} destructive onSelect={() => onChoose({ what: 'revoke', invitation })}>
              Revoke
            </MenuItem>
          </Menu>
        )}
      />
      <LoadMore query={query} what="invitations" />
    </>
  );
}

type ResendProps = { invitation: Invitation; onClose: () => void; onLink: (shown: ShownInvitation) => void };

function ResendDialog({ invitation: { id, email }, onClose, onLink }: ResendProps) {
  const resend = useResendInvitation();
  const sendsMail = useQuery(signInOptionsQuery).data?.mail ?? true;
  const confirm = () =>
    resend.mutate(id, {
      onSuccess: ({ invitation, link }) => {
        onClose();
        if (link !== null) return onLink({ invitation, link });
        toast({ title: 'Invitation sent', description: `A new link was emailed to ${email}.` });
      },
      onError: showFailure('Failed to send the invitation', 'An error occurred. Please try again.'),
    });
  const how = sendsMail
    ? `Emails a new link to ${email}.`
    : `Creates a new link for ${email}, which is shown to you once.`;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Resend Invitation"
      description={`${how} The earlier link stops working at once.`}
      confirmLabel={sendsMail ? 'Resend' : 'Create Link'}
      pendingLabel={sendsMail ? 'Sending...' : 'Creating...'}
      busy={resend.isPending}
      onConfirm={confirm}
    />
  );
}

function RevokeDialog({ invitation: { id, email }, onClose }: { invitation: Invitation; onClose: () => void }) {
  const revoke = useRevokeInvitation();
  const confirm = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Invitation revoked', description: `The link for ${email} no longer works.` });
      },
      onError: showFailure('Failed to revoke the invitation', 'An error occurred. Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Revoke Invitation"
      description={`The link for ${email} stops working at once.`}
      confirmLabel="Revoke"
      pendingLabel="Revoking..."
      destructive
      busy={revoke.isPending}
      onConfirm={confirm}
    />
  );
}
