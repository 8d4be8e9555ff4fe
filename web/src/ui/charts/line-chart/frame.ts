/** Height of the chart, including the x axis. */
export const height = 240;
/** Vertical range of the lines. */
export const plot = { top: 12, bottom: height - 30 };

/** Converts values to pixels. */
export type Scales = { toX: (x: number) => number; toY: (y: number) => number };
