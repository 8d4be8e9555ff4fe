import type { Block, Inline } from './tree.ts';

const sum = <Item>(items: readonly Item[], weightOf: (item: Item) => number): number =>
  items.reduce((total, item) => total + weightOf(item), 0);

function weightOfInline(part: Inline): number {
  if ('children' in part) return 1 + sum(part.children, weightOfInline);
  // A formula becomes dozens of elements.
  return part.kind === 'math' ? 20 + part.source.length : 1;
}

const weightOfLine = (parts: readonly Inline[]) => 1 + sum(parts, weightOfInline);

/** Estimated number of elements of a block. */
export function weightOf(block: Block): number {
  switch (block.kind) {
    case 'paragraph':
    case 'line':
    case 'heading':
      return weightOfLine(block.children);
    case 'quote':
    case 'footnote':
      return 1 + sum(block.blocks, weightOf);
    case 'details':
      return 1 + weightOfLine(block.summary) + sum(block.blocks, weightOf);
    case 'list':
      return 1 + sum(block.items, (item) => 1 + sum(item.blocks, weightOf));
    case 'table':
      return 1 + sum(block.header, weightOfLine) + sum(block.rows, (row) => 1 + sum(row, weightOfLine));
    case 'math':
      return 20 + block.source.length;
    case 'code':
      return 20 + Math.ceil(block.text.length / 100);
    default:
      return 1;
  }
}
