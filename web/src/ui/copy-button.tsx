import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { tellProblem } from '#web/lib/toast.ts';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';

type CopyButtonProps = {
  /** What is copied; a function where making the text costs something. */
  text: string | (() => string);
  label?: string | undefined;
  /** With the word beside the icon. */
  showLabel?: boolean | undefined;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
};

/** Copies text and says so for two seconds. */
export function CopyButton({ text, label = 'Copy', showLabel, size = 'sm', className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => tellProblem({ title: 'Copying failed', description: 'The browser refused the clipboard.' }),
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
