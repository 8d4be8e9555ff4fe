/**
 * What Markdown may become on screen. Only these kinds exist, so whatever a model writes, nothing else can reach the
 * page: HTML is text but for a few elements without attributes, and an image is an address, not a request.
 */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; children: Inline[] }
  | { kind: 'sub' | 'sup' | 'kbd' | 'u' | 'mark' | 'ins' | 'small'; children: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'link'; href: string; children: Inline[] }
  | { kind: 'image'; address: string; alt: string }
  | { kind: 'math'; source: string; display: boolean }
  /** Leads to a source of the text. */
  | { kind: 'source'; number: number }
  /** Leads to the footnote of this label. */
  | { kind: 'footnote'; label: string }
  | { kind: 'break' };

export type Align = 'left' | 'right' | 'center' | null;

export type ListItem = { checked: boolean | null; blocks: Block[] };

export type Block =
  | { kind: 'paragraph'; children: Inline[] }
  /** The text of a tight list item: a paragraph without the space around it. */
  | { kind: 'line'; children: Inline[] }
  | { kind: 'heading'; depth: number; children: Inline[] }
  /** `closed`: its end has arrived. */
  | { kind: 'code'; language: string; text: string; closed: boolean }
  | { kind: 'math'; source: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | null; items: ListItem[] }
  | { kind: 'table'; align: Align[]; header: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' }
  | { kind: 'footnote'; label: string; blocks: Block[] }
  /** Folded away under its summary; `closed`: its end has arrived. */
  | { kind: 'details'; summary: Inline[]; blocks: Block[]; closed: boolean }
  /** Shown exactly as it was written: raw HTML, and what is nested too deep to be meant. */
  | { kind: 'plain'; text: string };

/**
 * A block at the top of a document, with the Markdown it was made of. `labels` are those it may refer to, `links` where
 * they led when it was read.
 */
export type Section = {
  raw: string;
  end: number;
  weight: number;
  block: Block;
  labels: readonly string[];
  links: string;
};
