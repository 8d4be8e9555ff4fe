import { WrapText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';

type CodeProps = { text: string; language: string };

const PlainCode = ({ text }: CodeProps) => text;
/** Code with syntax highlighting, plain until that has loaded. */
export const HighlightedCode = lazyPart<CodeProps>(
  async () => (await import('./highlighted-code.tsx')).HighlightedCode,
  { pending: PlainCode, failed: PlainCode },
);

type CodeFrameProps = { label: string; actions: ReactNode; children: ReactNode };

/** Frame of code and diagrams: kind on the left, actions on the right. */
export function CodeFrame({ label, actions, children }: CodeFrameProps) {
  return (
    <figure dir="ltr" className="my-3 overflow-hidden rounded-md border border-border bg-card first:mt-0 last:mb-0">
      <figcaption className="flex h-9 items-center gap-1 border-border border-b pe-1 ps-3.5">
        <span className="me-auto min-w-0 truncate text-muted-foreground text-xs">{label}</span>
        {actions}
      </figcaption>
      {children}
    </figure>
  );
}

type CodeBlockProps = CodeProps & { note?: string; below?: ReactNode };

/** Code with its language, Copy and line wrapping. `note` says why something else is shown as code. */
export function CodeBlock({ text, language, note, below }: CodeBlockProps) {
  const [wraps, setWraps] = useState(false);
  return (
    <CodeFrame
      label={note ? `${language} · ${note}` : language || 'text'}
      actions={
        <>
          <IconButton
            label="Wrap lines"
            icon={WrapText}
            size="sm"
            aria-pressed={wraps}
            onClick={() => setWraps(!wraps)}
            className={wraps ? 'bg-active text-foreground' : ''}
          />
          <CopyButton text={text} label="Copy code" />
        </>
      }
    >
      <pre
        tabIndex={wraps ? undefined : 0}
        className={classNames(
          'px-4 py-3 font-mono text-sm [font-variant-ligatures:none]',
          wraps ? 'whitespace-pre-wrap break-words' : 'overflow-x-auto',
        )}
      >
        <code>{language === '' ? text : <HighlightedCode text={text} language={language} />}</code>
      </pre>
      {below}
    </CodeFrame>
  );
}
