import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type NewTokenDialogProps = { name: string; token: string; onClose: () => void };

/** Shows a new token, which cannot be shown again. */
export function NewTokenDialog({ name, token, onClose }: NewTokenDialogProps) {
  const address = `${window.location.origin}/v1`;
  return (
    <Dialog
      open
      // Can only be closed by its button, since the token is not shown again.
      onOpenChange={undefined}
      title="Access Token Created"
      description={
        <>
          The token “<bdi>{name}</bdi>” is shown only once. Copy it now and store it where your program keeps its
          secrets.
        </>
      }
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="grid gap-5">
        <Shown label="Token" hint="Environment variable: OPENAI_API_KEY" text={token} />
        <Shown label="Base URL" hint="Environment variable: OPENAI_BASE_URL" text={address} />
        <Notice tone="warning">
          Anyone with this token can use your models and assistants at your cost. If it leaks, revoke it.
        </Notice>
      </div>
    </Dialog>
  );
}

function Shown({ label, hint, text }: { label: string; hint: string; text: string }) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div className="flex gap-2">
          <Input
            {...control}
            readOnly
            value={text}
            autoComplete="off"
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
            className="flex-1 font-mono"
          />
          <CopyButton text={text} label="Copy" showLabel size="md" />
        </div>
      )}
    </Field>
  );
}
