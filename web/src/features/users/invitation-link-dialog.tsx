import type { Invitation } from '@roster/contracts/invitations';
import { ShownLinkDialog } from './shown-link-dialog.tsx';

/** A link that could not be mailed; it is shown once. */
export type ShownInvitation = { invitation: Invitation; link: string };

export function InvitationLinkDialog({ shown, onClose }: { shown: ShownInvitation; onClose: () => void }) {
  const { email, role } = shown.invitation;
  return (
    <ShownLinkDialog
      title="Invitation Link"
      email={email}
      link={shown.link}
      hint="Works once, until the invitation expires."
      warning={`Whoever opens the link first gets the account with the role ${role}. Send it only where nobody else reads it.`}
      onClose={onClose}
    />
  );
}
