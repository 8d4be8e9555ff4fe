/** About `count` round values from 0 to at least `max`; steps are 1, 2 or 5 times a power of ten. */
export function valueTicks(max: number, count = 4): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10);
  const steps = Math.ceil(max / step - 1e-9);
  // Avoids rounding errors such as 3 * 0.1.
  return Array.from({ length: steps + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** Indexes of the bars to label if there is room for `room` labels: evenly spaced, always including the last. */
export function labelledBars(bars: number, room: number): number[] {
  if (bars === 0) return [];
  const apart = Math.max(1, Math.ceil(bars / Math.max(1, room)));
  const labelled: number[] = [];
  for (let at = bars - 1; at >= 0; at -= apart) labelled.unshift(at);
  return labelled;
}
