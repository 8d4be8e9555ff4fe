import { memo } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { CodeBlock } from './code/code-block.tsx';
import { Footnote } from './footnote.tsx';
import { InlineText, MathText } from './inline-text.tsx';
import type { Align, Block, Inline, ListItem } from './tree.ts';

const PlainDiagram = ({ source }: { source: string }) => <CodeBlock text={source} language="mermaid" />;
const PendingDiagram = () => <Skeleton className="my-3 h-56 first:mt-0 last:mb-0" />;
const Diagram = lazyPart(async () => (await import('./diagrams/diagram.tsx')).Diagram, {
  pending: PendingDiagram,
  failed: PlainDiagram,
});

const headings = [
  'mt-6 mb-2 text-lg font-semibold',
  'mt-6 mb-2 text-lg font-semibold',
  'mt-5 mb-1.5 font-semibold',
  'mt-4 mb-1 font-medium',
];
const levels = ['h3', 'h4', 'h5'] as const;
const alignments = { left: 'text-start', center: 'text-center', right: 'text-end' };
const alignment = (align: Align | undefined) => alignments[align ?? 'left'];

/**
 * A top-level block takes its direction from its first strong letter. Nested content uses plaintext bidi line by line:
 * an element with `dir` would be ignored when the block determines its direction.
 */
const ownDirection = '[unicode-bidi:plaintext]';
type Place = { nested: boolean };
const directionOf = ({ nested }: Place) => (nested ? {} : { dir: 'auto' });
/** Inside lists and quotes all lines align to the block's side, next to their marker. */
const lineClass = ({ nested }: Place) =>
  nested ? `${ownDirection} [text-align:left] [&:dir(rtl)]:[text-align:right]` : ownDirection;

function Heading({ block, nested }: Place & { block: Extract<Block, { kind: 'heading' }> }) {
  // Page and conversation use the first two levels; headings of an answer start below them.
  const Tag = levels[block.depth - 1] ?? 'h6';
  return (
    <Tag
      {...directionOf({ nested })}
      className={classNames(headings[block.depth - 1] ?? headings[3], lineClass({ nested }), 'first:mt-0')}
    >
      <InlineText parts={block.children} />
    </Tag>
  );
}

/** True if two subtrees are equal, so that the part need not rerender. */
const isSame = (before: unknown, after: unknown) =>
  before === after || JSON.stringify(before) === JSON.stringify(after);

const Item = memo(
  function Item({ item }: { item: ListItem }) {
    if (item.checked === null) {
      return (
        <li className="ps-0.5">
          <Blocks blocks={item.blocks} />
        </li>
      );
    }
    return (
      <li className="flex items-start gap-2.5">
        <input
          type="checkbox"
          checked={item.checked}
          disabled
          aria-label={item.checked ? 'done' : 'open'}
          className="mt-1 size-3.5 accent-primary"
        />
        <div className="min-w-0 flex-1">
          <Blocks blocks={item.blocks} />
        </div>
      </li>
    );
  },
  (before, after) => isSame(before.item, after.item),
);

function List({ start, items, nested }: Place & { start: number | null; items: ListItem[] }) {
  const Tag = start === null ? 'ul' : 'ol';
  const tasks = items.some((item) => item.checked !== null);
  return (
    <Tag
      {...directionOf({ nested })}
      {...(start !== null && start !== 1 ? { start } : {})}
      className={classNames(
        'my-2.5 space-y-1 marker:text-muted-foreground first:mt-0 last:mb-0 [li_&]:my-1',
        tasks ? 'list-none ps-1' : start === null ? 'list-disc ps-6' : 'list-decimal ps-7',
      )}
    >
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item's only identity is its place
        <Item key={index} item={item} />
      ))}
    </Tag>
  );
}

/** A cell's alignment follows its column, its text direction its own letters. */
const Cell = ({ parts }: { parts: Inline[] }) => (
  <span className={ownDirection}>
    <InlineText parts={parts} />
  </span>
);

const Row = memo(
  function Row({ row, align }: { row: Inline[][]; align: Align[] }) {
    return (
      <tr className="border-border border-t">
        {row.map((cell, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a cell's only identity is its place
          <td key={index} className={classNames('min-w-24 px-3 py-2 align-top', alignment(align[index]))}>
            <Cell parts={cell} />
          </td>
        ))}
      </tr>
    );
  },
  (before, after) => isSame(before.row, after.row) && isSame(before.align, after.align),
);

function Table({ block, nested }: Place & { block: Extract<Block, { kind: 'table' }> }) {
  return (
    <div
      {...directionOf({ nested })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
      tabIndex={0}
      className="scroll-hint my-3 overflow-x-auto rounded-md border border-border first:mt-0 last:mb-0"
    >
      <table className="w-full border-collapse text-start [overflow-wrap:break-word]">
        <thead>
          <tr className="bg-foreground/5">
            {block.header.map((cell, index) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell's only identity is its place
                key={index}
                scope="col"
                className={classNames('px-3 py-2 font-medium', alignment(block.align[index]))}
              >
                <Cell parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row's only identity is its place
            <Row key={index} row={row} align={block.align} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Folded({ block, nested }: Place & { block: Extract<Block, { kind: 'details' }> }) {
  return (
    <details
      {...directionOf({ nested })}
      open={block.closed ? undefined : true}
      className="my-3 rounded-md border border-border px-3.5 py-2 first:mt-0 last:mb-0"
    >
      <summary className={classNames('cursor-pointer select-none font-medium', lineClass({ nested }))}>
        {block.summary.length === 0 ? 'Details' : <InlineText parts={block.summary} />}
      </summary>
      <div className="pt-2 pb-1">
        <Blocks blocks={block.blocks} />
      </div>
    </details>
  );
}

/** Long: one case per kind. */
export function BlockPart({ block, nested }: Place & { block: Block }) {
  const direction = directionOf({ nested });
  switch (block.kind) {
    case 'paragraph':
      return (
        <p {...direction} className={classNames('my-2.5 first:mt-0 last:mb-0', lineClass({ nested }))}>
          <InlineText parts={block.children} />
        </p>
      );
    case 'line':
      return (
        <div {...direction} className={lineClass({ nested })}>
          <InlineText parts={block.children} />
        </div>
      );
    case 'heading':
      return <Heading block={block} nested={nested} />;
    case 'code':
      if (block.language !== 'mermaid' || !block.closed) {
        return <CodeBlock text={block.text} language={block.language} />;
      }
      return <Diagram source={block.text} />;
    case 'math':
      return (
        <div className="my-3 first:mt-0 last:mb-0">
          <MathText source={block.source} display />
        </div>
      );
    case 'quote':
      return (
        <blockquote
          {...direction}
          className="my-3 border-border-strong border-s-2 ps-4 text-muted-foreground first:mt-0 last:mb-0"
        >
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return <List start={block.start} items={block.items} nested={nested} />;
    case 'table':
      return <Table block={block} nested={nested} />;
    case 'footnote':
      return (
        <Footnote label={block.label}>
          <Blocks blocks={block.blocks} />
        </Footnote>
      );
    case 'details':
      return <Folded block={block} nested={nested} />;
    case 'rule':
      return <hr className="my-5 border-border border-t" />;
    case 'plain':
      return (
        <div
          {...direction}
          className={classNames('my-2.5 whitespace-pre-wrap first:mt-0 last:mb-0', lineClass({ nested }))}
        >
          {block.text}
        </div>
      );
  }
}

function Blocks({ blocks }: { blocks: Block[] }) {
  return blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a block's only identity is its place
    <BlockPart key={index} block={block} nested />
  ));
}
