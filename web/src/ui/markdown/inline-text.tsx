import { truncate } from '@roster/contracts/text/truncate';
import { ImageOff } from 'lucide-react';
import { useContext } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { FootnoteMark } from './footnote.tsx';
import { isMisleadingLabel } from './misleading-label.ts';
import { isRasterData } from './raster-data.ts';
import { SourcesContext } from './source-marks.ts';
import type { Inline } from './tree.ts';

type FormulaProps = { source: string; display: boolean };

const PlainFormula = ({ source }: FormulaProps) => (
  <code dir="ltr" className="font-mono text-[0.92em]">
    {source}
  </code>
);
const PendingFormula = ({ source, display }: FormulaProps) => (
  <span
    aria-hidden="true"
    className={classNames(
      'rounded-xs bg-active',
      display ? 'block h-8 max-w-full' : 'inline-block h-[1em] align-middle',
    )}
    style={{ width: `${Math.min(display ? 24 : 12, Math.max(1, source.length / 2))}ch` }}
  />
);
export const MathText = lazyPart<FormulaProps>(async () => (await import('./math/formula.tsx')).Formula, {
  pending: PendingFormula,
  failed: PlainFormula,
});

/** Images are never loaded: the request would tell a third party when and by whom this was read. */
function ImagePlaceholder({ address, alt }: { address: string; alt: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-xs border border-border bg-muted px-1.5 align-text-bottom text-muted-foreground text-sm">
      <ImageOff aria-hidden className="size-3.5" />
      <span
        dir="auto"
        className="min-w-0 break-all"
      >{`Image not loaded${alt === '' ? '' : `: ${alt}`} (${truncate(address, address.startsWith('data:') ? 40 : 2_000)})`}</span>
    </span>
  );
}

const textOf = (parts: Inline[]): string =>
  parts.map((part) => ('text' in part ? part.text : 'children' in part ? textOf(part.children) : '')).join('');

/** A number that links to its source. */
function SourceMark({ number }: { number: number }) {
  const sources = useContext(SourcesContext);
  const name = sources?.names[number - 1];
  if (!sources || name === undefined) return null;
  return (
    <sup className="[line-height:0]">
      <button
        type="button"
        aria-label={`Source ${number}: ${name}`}
        title={name}
        onClick={() => sources.onShow(number)}
        className="ms-0.5 inline-block min-w-6 cursor-pointer rounded-sm border border-border bg-muted px-1 py-1 text-center text-primary-text text-xs tabular-nums leading-none hover:border-border-strong"
      >
        {number}
      </button>
    </sup>
  );
}

/** Long: one case per kind. */
function InlinePart({ part }: { part: Inline }) {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'strong':
      return (
        <strong className="font-semibold">
          <InlineText parts={part.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <InlineText parts={part.children} />
        </em>
      );
    case 'deleted':
      return (
        <del>
          <InlineText parts={part.children} />
        </del>
      );
    case 'code':
      return (
        <code
          dir="ltr"
          className="rounded-xs border border-border bg-muted px-1 py-px font-mono text-[0.92em] [font-variant-ligatures:none]"
        >
          {part.text}
        </code>
      );
    case 'link':
      return (
        <a
          href={part.href}
          target="_blank"
          rel="noopener noreferrer"
          className="text-primary-text underline decoration-primary-text/40 underline-offset-2 [overflow-wrap:anywhere] hover:decoration-primary-text"
        >
          <InlineText parts={part.children} />
          {isMisleadingLabel(textOf(part.children), part.href) && ` (${new URL(part.href).host})`}
        </a>
      );
    case 'sub':
    case 'sup':
    case 'u':
    case 'ins':
    case 'small': {
      const Tag = part.kind;
      return (
        <Tag className={part.kind === 'sub' || part.kind === 'sup' ? '[line-height:0]' : undefined}>
          <InlineText parts={part.children} />
        </Tag>
      );
    }
    case 'kbd':
      return (
        <kbd className="rounded-xs border border-border-strong border-b-2 bg-muted px-1 py-px font-mono text-[0.86em]">
          <InlineText parts={part.children} />
        </kbd>
      );
    case 'mark':
      return (
        <mark className="rounded-xs bg-[color-mix(in_oklab,var(--warning)_30%,transparent)] px-0.5 text-foreground">
          <InlineText parts={part.children} />
        </mark>
      );
    case 'image':
      if (isRasterData(part.address)) {
        return (
          <img
            src={part.address}
            alt={part.alt}
            className="my-1 inline-block h-auto max-h-[70vh] max-w-full rounded-sm"
          />
        );
      }
      return <ImagePlaceholder address={part.address} alt={part.alt} />;
    case 'math':
      return <MathText source={part.source} display={part.display} />;
    case 'footnote':
      return <FootnoteMark label={part.label} />;
    case 'source':
      return <SourceMark number={part.number} />;
    case 'break':
      return <br />;
  }
}

/** Inline content. Parts have no identity but their position, which is their key. */
export function InlineText({ parts }: { parts: Inline[] }) {
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <InlinePart key={index} part={part} />
  ));
}
