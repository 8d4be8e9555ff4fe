import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { toastError } from '#web/lib/toast.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';

type CopyButtonProps = {
  /** Text to copy; a function if it is expensive to build. */
  text: string | (() => string);
  /** Builds a formatted version for applications that accept HTML. */
  html?: ((text: string) => Promise<string>) | undefined;
  label?: string | undefined;
  /** Shows the label beside the icon. */
  showLabel?: boolean | undefined;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
};

const write = (text: string) => navigator.clipboard.writeText(text);

/** The clipboard must be written during the click; the item's contents may still be promises. */
async function writeBoth(text: string, html: Promise<string>) {
  const blobOf = async (content: string | Promise<string>, type: string) => new Blob([await content], { type });
  const item = new ClipboardItem({
    'text/plain': blobOf(text, 'text/plain'),
    'text/html': blobOf(html, 'text/html'),
  });
  // Fall back to plain text.
  await navigator.clipboard.write([item]).catch(() => write(text));
}

/** Copies text and confirms it for two seconds. */
export function CopyButton({ text, html, label = 'Copy', showLabel, size = 'sm', className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    const plain = typeof text === 'string' ? text : text();
    const written = html && typeof ClipboardItem !== 'undefined' ? writeBoth(plain, html(plain)) : write(plain);
    written.then(
      () => setCopied(true),
      () => toastError({ title: 'Copying failed', description: 'The browser denied access to the clipboard.' }),
    );
  };
  const shownLabel = copied ? 'Copied' : label;
  const icon = copied ? Check : Copy;
  if (showLabel) {
    return (
      <Button variant="ghost" size={size} icon={icon} onClick={copy} className={className}>
        {shownLabel}
      </Button>
    );
  }
  return <IconButton label={shownLabel} icon={icon} size={size} onClick={copy} className={className} />;
}
