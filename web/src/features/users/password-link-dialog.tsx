import type { ManagedUser } from '@roster/contracts/users';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

/** A link that could not be mailed; it is shown once. */
export type NewLink = { email: string; link: string; why: 'new' | 'reset' };

export const newLink = ({ email }: ManagedUser, link: string, why: NewLink['why']): NewLink => ({ email, link, why });

export function PasswordLinkDialog({ link: { email, link, why }, onClose }: { link: NewLink; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={why === 'new' ? 'Link to Set a Password' : 'Link to Set a New Password'}
      description={`This installation has no mail server, so send this link to ${email} yourself.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4">
        <Field label="Link" hint="Works once, for 30 minutes. It is not shown again.">
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                readOnly
                value={link}
                onFocus={(event) => event.currentTarget.select()}
                className="flex-1 font-mono"
              />
              <CopyButton text={link} label="Copy" showLabel size="md" />
            </div>
          )}
        </Field>
        <Notice tone="warning">
          Anyone who opens the link can set the password of this account, sign in and read everything in it. Send it
          only where nobody but its owner reads it.
          {why === 'reset' && ' The owner is notified at the next sign-in that you have seen the link.'}
        </Notice>
      </div>
    </Dialog>
  );
}
