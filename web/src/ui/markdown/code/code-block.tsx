import { WrapText } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { shownLines, useCodeFold, useKeptInView } from './code-folding.ts';
import { FoldToggle } from './fold-toggle.tsx';

type CodeProps = { text: string; language: string };

const PlainCode = ({ text }: CodeProps) => text;
/** Code with syntax highlighting, plain until that has loaded. */
export const HighlightedCode = lazyPart<CodeProps>(
  async () => (await import('./highlighted-code.tsx')).HighlightedCode,
  { pending: PlainCode, failed: PlainCode },
);

type CodeFrameProps = { label: string; actions: ReactNode; isFolded?: boolean | undefined; children: ReactNode };

/** Frame of code and diagrams: kind on the left, actions on the right. */
export function CodeFrame({ label, actions, isFolded, children }: CodeFrameProps) {
  return (
    <figure
      dir="ltr"
      data-folded={isFolded || undefined}
      data-unfolds={isFolded === undefined ? undefined : true}
      className="my-3 overflow-hidden rounded-md border border-border bg-card first:mt-0 last:mb-0"
    >
      <figcaption className="flex h-9 items-center gap-1 border-border border-b pe-1 ps-3.5">
        <span className="me-auto min-w-0 truncate text-muted-foreground text-xs">{label}</span>
        {actions}
      </figcaption>
      {children}
    </figure>
  );
}

type CodeBlockProps = CodeProps & { note?: string; below?: ReactNode };

/** Code with its language, Copy and line wrapping; long code is folded within `CodeFoldingContext`. `note` says why something else is shown as code. */
export function CodeBlock({ text, language, note, below }: CodeBlockProps) {
  const [wraps, setWraps] = useState(false);
  const fold = useCodeFold(text, language);
  const isFolded = fold?.isFolded ?? false;
  const toggle = useRef<HTMLButtonElement>(null);
  useKeptInView(isFolded, toggle);
  return (
    <CodeFrame
      isFolded={fold?.isFolded}
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
        // The search of the browser scrolls to what it finds, although it is hidden.
        onScroll={({ currentTarget }) => isFolded && currentTarget.scrollTop > 0 && fold?.change(true)}
        className={classNames(
          'px-4 py-3 font-mono text-sm [font-variant-ligatures:none]',
          wraps ? 'whitespace-pre-wrap break-words' : 'overflow-x-auto',
          isFolded && 'max-h-[calc(20lh+0.75rem)] overflow-y-hidden print:max-h-none',
        )}
      >
        <code>{language === '' ? text : <HighlightedCode text={text} language={language} />}</code>
      </pre>
      {fold && (
        <FoldToggle
          ref={toggle}
          isFolded={isFolded}
          onClick={() => fold.change(isFolded)}
          className="w-full rounded-none border-border border-t px-3.5 focus-visible:-outline-offset-2"
        >
          {isFolded ? `Show all ${fold.lines} lines` : `Show the first ${shownLines} lines`}
        </FoldToggle>
      )}
      {below}
    </CodeFrame>
  );
}
