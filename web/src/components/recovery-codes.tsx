import { Download, Printer } from 'lucide-react';
import { saveText } from '#web/lib/download.ts';
import { Button } from '#web/ui/button.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

const textOf = (codes: readonly string[]) =>
  `Recovery codes for Roster at ${window.location.host}\nEach code works once.\n\n${codes.join('\n')}\n`;

/** Prints a text alone, from a frame that is removed afterwards. */
function print(text: string) {
  const frame = document.createElement('iframe');
  frame.className = 'fixed size-0 border-0';
  frame.setAttribute('aria-hidden', 'true');
  document.body.append(frame);
  const page = frame.contentWindow;
  if (!page) return frame.remove();
  const paragraph = page.document.createElement('pre');
  paragraph.textContent = text;
  page.document.body.append(paragraph);
  page.addEventListener('afterprint', () => frame.remove());
  page.print();
}

/** The codes, with ways to keep them. They are shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = textOf(codes);
  return (
    <div className="grid gap-4">
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-md border border-border bg-background px-4 py-3 font-mono text-sm"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-1">
        <CopyButton text={text} label="Copy" showLabel />
        <Button
          variant="ghost"
          size="sm"
          icon={Download}
          onClick={() => saveText('roster-recovery-codes.txt', text, 'text/plain')}
        >
          Download
        </Button>
        <Button variant="ghost" size="sm" icon={Printer} onClick={() => print(text)}>
          Print
        </Button>
      </div>
      <Notice tone="warning">
        Keep these codes somewhere you can reach without this device. Each one signs you in once if your authenticator
        app is lost.
      </Notice>
    </div>
  );
}

export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      open
      // Can only be closed by its button, since the codes are not shown again.
      onOpenChange={undefined}
      title="Save your recovery codes"
      description="They are shown only once."
      footer={
        <Button variant="primary" onClick={onClose}>
          I have saved them
        </Button>
      }
    >
      <RecoveryCodes codes={codes} />
    </Dialog>
  );
}
