/**
 * Everything that Markdown can become on the page. Since no other kinds exist, nothing else a model writes can reach
 * it: HTML is text except for a few elements without attributes, and an image is an address, not a request.
 */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; children: Inline[] }
  | { kind: 'sub' | 'sup' | 'kbd' | 'u' | 'mark' | 'ins' | 'small'; children: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'link'; href: string; children: Inline[] }
  | { kind: 'image'; address: string; alt: string }
  | { kind: 'math'; source: string; display: boolean }
  /** Links to a source of the text. */
  | { kind: 'source'; number: number }
  /** Links to the footnote with this label. */
  | { kind: 'footnote'; label: string }
  | { kind: 'break' };

export type Align = 'left' | 'right' | 'center' | null;

export type ListItem = { checked: boolean | null; blocks: Block[] };

export type Block =
  | { kind: 'paragraph'; children: Inline[] }
  /** Content of a tight list item: a paragraph without margins. */
  | { kind: 'line'; children: Inline[] }
  | { kind: 'heading'; depth: number; children: Inline[] }
  /** `closed`: the closing fence has arrived. */
  | { kind: 'code'; language: string; text: string; closed: boolean }
  | { kind: 'math'; source: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | null; items: ListItem[] }
  | { kind: 'table'; align: Align[]; header: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' }
  | { kind: 'footnote'; label: string; blocks: Block[] }
  /** Collapsible under its summary; `closed`: the closing tag has arrived. */
  | { kind: 'details'; summary: Inline[]; blocks: Block[]; closed: boolean }
  /** Shown as source: raw HTML, and excessive nesting. */
  | { kind: 'plain'; text: string };

/**
 * A top-level block with its Markdown source. `labels`: those it may refer to; `links`: their targets when it was
 * parsed.
 */
export type Section = {
  raw: string;
  end: number;
  weight: number;
  block: Block;
  labels: readonly string[];
  links: string;
};
