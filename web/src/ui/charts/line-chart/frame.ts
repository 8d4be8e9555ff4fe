/** The chart as a whole, the axis below included. */
export const height = 240;
/** Between which heights the lines run. */
export const plot = { top: 12, bottom: height - 30 };

/** From what was measured to where it is drawn. */
export type Scales = { toX: (x: number) => number; toY: (y: number) => number };
