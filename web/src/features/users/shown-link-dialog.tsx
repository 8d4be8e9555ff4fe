import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type ShownLinkDialogProps = {
  title: string;
  /** The address of the person whom the link is for. */
  email: string;
  link: string;
  /** How often and how long it works. */
  hint: string;
  warning: ReactNode;
  onClose: () => void;
};

/** Shows an administrator, once, a link that could not be mailed. */
export function ShownLinkDialog({ title, email, link, hint, warning, onClose }: ShownLinkDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={`This installation has no mail server, so send this link to ${email} yourself.`}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-4">
        <Field label="Link" hint={`${hint} It is not shown again.`}>
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
        <Notice tone="warning">{warning}</Notice>
      </div>
    </Dialog>
  );
}
