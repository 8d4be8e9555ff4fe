import { memo, Suspense, useDeferredValue, useState } from 'react';
import { classNames } from '#web/ui/class-names.ts';
import { CodeBlock } from './code-block.tsx';
import { type MarkdownDocument, readMarkdown } from './document.ts';
import { InlineText, MathText } from './inline-text.tsx';
import { onDemand } from './on-demand.tsx';
import type { Align, Block, ListItem, Section } from './tree.ts';

const PlainDiagram = ({ source }: { source: string }) => <CodeBlock text={source} language="mermaid" />;
const Diagram = onDemand(async () => (await import('./diagram.tsx')).Diagram, PlainDiagram);

const headings = [
  'mt-6 mb-2 text-lg font-semibold',
  'mt-6 mb-2 text-lg font-semibold',
  'mt-5 mb-1.5 font-semibold',
  'mt-4 mb-1 font-medium',
];
const levels = ['h3', 'h4', 'h5'] as const;
const alignments = { left: 'text-start', center: 'text-center', right: 'text-end' };
const alignment = (align: Align | undefined) => alignments[align ?? 'left'];

function Heading({ block }: { block: Extract<Block, { kind: 'heading' }> }) {
  // The page and the conversation have the first two levels; an answer's outline goes below them.
  const Tag = levels[block.depth - 1] ?? 'h6';
  return (
    <Tag className={classNames(headings[block.depth - 1] ?? headings[3], 'first:mt-0')}>
      <InlineText parts={block.children} />
    </Tag>
  );
}

function List({ start, items }: { start: number | null; items: ListItem[] }) {
  const Tag = start === null ? 'ul' : 'ol';
  const tasks = items.some((item) => item.checked !== null);
  return (
    <Tag
      {...(start !== null && start !== 1 ? { start } : {})}
      className={classNames(
        'my-2.5 space-y-1 marker:text-muted-foreground first:mt-0 last:mb-0 [li_&]:my-1',
        tasks ? 'list-none ps-1' : start === null ? 'list-disc ps-6' : 'list-decimal ps-7',
      )}
    >
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item's only identity is its place
        <li key={index} className={item.checked === null ? 'ps-0.5' : 'flex items-start gap-2.5'}>
          {item.checked !== null && (
            <input
              type="checkbox"
              checked={item.checked}
              disabled
              aria-label={item.checked ? 'done' : 'open'}
              className="mt-1 size-3.5 accent-primary"
            />
          )}
          {item.checked === null ? (
            <Blocks blocks={item.blocks} />
          ) : (
            <div className="min-w-0 flex-1">
              <Blocks blocks={item.blocks} />
            </div>
          )}
        </li>
      ))}
    </Tag>
  );
}

function Table({ block }: { block: Extract<Block, { kind: 'table' }> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <div tabIndex={0} className="my-3 overflow-x-auto rounded-md border border-border first:mt-0 last:mb-0">
      <table className="w-full border-collapse text-start [overflow-wrap:break-word]">
        <thead>
          <tr className="bg-card">
            {block.header.map((cell, index) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell's only identity is its place
                key={index}
                scope="col"
                className={classNames('px-3 py-2 font-medium', alignment(block.align[index]))}
              >
                <InlineText parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, rowIndex) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row's only identity is its place
            <tr key={rowIndex} className="border-border border-t">
              {row.map((cell, index) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell's only identity is its place
                  key={index}
                  className={classNames('min-w-24 px-3 py-2 align-top', alignment(block.align[index]))}
                >
                  <InlineText parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function BlockPart({ block }: { block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p className="my-2.5 first:mt-0 last:mb-0">
          <InlineText parts={block.children} />
        </p>
      );
    case 'line':
      return (
        <div>
          <InlineText parts={block.children} />
        </div>
      );
    case 'heading':
      return <Heading block={block} />;
    case 'code':
      if (block.language !== 'mermaid' || !block.closed) {
        return <CodeBlock text={block.text} language={block.language} />;
      }
      return (
        <Suspense fallback={<PlainDiagram source={block.text} />}>
          <Diagram source={block.text} />
        </Suspense>
      );
    case 'math':
      return (
        <div className="my-3 first:mt-0 last:mb-0">
          <MathText source={block.source} display />
        </div>
      );
    case 'quote':
      return (
        <blockquote className="my-3 border-border-strong border-s-2 ps-4 text-muted-foreground first:mt-0 last:mb-0">
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return <List start={block.start} items={block.items} />;
    case 'table':
      return <Table block={block} />;
    case 'rule':
      return <hr className="my-5 border-border border-t" />;
    case 'plain':
      return <div className="my-2.5 whitespace-pre-wrap first:mt-0 last:mb-0">{block.text}</div>;
  }
}

function Blocks({ blocks }: { blocks: Block[] }) {
  return blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a block's only identity is its place
    <BlockPart key={index} block={block} />
  ));
}

/** Drawn again only when its own source changes; while an answer arrives, that is the last block. */
const SectionPart = memo(
  function SectionPart({ section }: { section: Section; links: string }) {
    return <BlockPart block={section.block} />;
  },
  (before, after) => before.section.raw === after.section.raw && before.links === after.links,
);

/** The texts read last, so that scrolling back over a long thread does not read them again. */
const readLately = new Map<string, MarkdownDocument>();

function readOnce(text: string): MarkdownDocument {
  const document = readLately.get(text) ?? readMarkdown(text);
  readLately.delete(text);
  readLately.set(text, document);
  const oldest = readLately.size > 100 ? readLately.keys().next().value : undefined;
  if (oldest !== undefined) readLately.delete(oldest);
  return document;
}

function useDocument(text: string, live: boolean): MarkdownDocument {
  const [state, setState] = useState(() => ({ text, live, document: live ? readMarkdown(text) : readOnce(text) }));
  if (state.text === text && state.live === live) return state.document;
  // Once more in full at the end: a link's address may be given after the link.
  const document = live ? readMarkdown(text, state.document) : readOnce(text);
  setState({ text, live, document });
  return document;
}

/** Markdown as elements of ours. `live`: the text is still growing. */
export const MarkdownText = memo(function MarkdownText({ text, live }: { text: string; live: boolean }) {
  // Typing and scrolling go first; a frame that comes too soon is skipped.
  const shown = useDeferredValue(text);
  const document = useDocument(live ? shown : text, live);
  const links = Object.keys(document.links).length === 0 ? '' : JSON.stringify(document.links);
  return document.sections.map((section, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: sections are only ever added at the end
    <SectionPart key={index} section={section} links={links} />
  ));
});
