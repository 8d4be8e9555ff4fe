/** Colors as `#rrggbb`; `isDark`: light text on a dark background. */
export type DiagramColors = {
  isDark: boolean;
  background: string;
  text: string;
  line: string;
  fill: string;
  border: string;
};

/** Message from the page to the drawing frame. */
export type DiagramRequest = { id: number; source: string; colors: DiagramColors };

/** Message from the frame: ready, drawn, or failed. */
export type DiagramAnswer =
  | { kind: 'ready' }
  | { kind: 'drawn'; id: number; svg: string; width: number; height: number }
  | { kind: 'failed'; id: number; reason: string };
