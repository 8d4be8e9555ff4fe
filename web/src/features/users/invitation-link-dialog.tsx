import type { Invitation } from '@roster/contracts/invitations';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

/** A link that could not be mailed; it is shown once. */
export type ShownInvitation = { invitation: Invitation; link: string };

export function InvitationLinkDialog({ shown, onClose }: { shown: ShownInvitation; onClose: () => void }) {
  const { invitation, link } = shown;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Invitation Link"
      description={`This installation has no mail server, so pass this link on to ${invitation.email} yourself.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4">
        <Field label="Link" hint="Works once, until the invitation expires. It is not shown again.">
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                readOnly
                value={link}
                onFocus={(event) => event.currentTarget.select()}
                className="flex-1 font-mono"
              />
              <CopyButton text={link} label="Copy link" showLabel size="md" />
            </div>
          )}
        </Field>
        <Notice tone="warning">
          Whoever opens the link first gets the account with the role {invitation.role}. Send it only where nobody else
          reads it.
        </Notice>
      </div>
    </Dialog>
  );
}
