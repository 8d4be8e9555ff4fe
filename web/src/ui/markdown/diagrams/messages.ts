/** Colors as `#rrggbb`; whether they are light on dark. */
export type DiagramColors = {
  isDark: boolean;
  background: string;
  text: string;
  line: string;
  fill: string;
  border: string;
};

/** What the page asks of the frame that draws. */
export type DiagramRequest = { id: number; source: string; colors: DiagramColors };

/** What the frame says: that it can draw, what it has drawn, or why it could not. */
export type DiagramAnswer =
  | { kind: 'ready' }
  | { kind: 'drawn'; id: number; svg: string; width: number; height: number }
  | { kind: 'failed'; id: number; reason: string };
