type LinePoint = { x: number; y: number };

/** Lines also differ by dashes and dots, not only by color. */
export type LineStyle = 'primary' | 'accent' | 'violet';

export type Line = {
  key: string;
  name: string;
  look: LineStyle;
  /** Ascending by x. Missing measurements are omitted; the line connects the next point. */
  points: readonly LinePoint[];
};

export const lineStyles: Record<LineStyle, { stroke: string; fill: string; text: string; dash: string | undefined }> = {
  primary: { stroke: 'stroke-primary', fill: 'fill-primary', text: 'fill-primary-text', dash: undefined },
  accent: { stroke: 'stroke-accent', fill: 'fill-accent', text: 'fill-accent-text', dash: '6 4' },
  violet: { stroke: 'stroke-violet', fill: 'fill-violet', text: 'fill-violet-text', dash: '1.5 4' },
};
