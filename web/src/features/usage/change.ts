export type Direction = 'up' | 'down' | 'same' | 'none';
export type Change = { direction: Direction; text: string };

const percent = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function size(share: number): string {
  if (share < 0.01) return 'less than 1%';
  if (share >= 10) return `to ${percent.format(share + 1)} times the amount`;
  return `${percent.format(share * 100)}%`;
}

/** Change against the previous period, as text. null: unknown. */
export function describeChange(now: number | null, before: number | null): Change {
  if (now === null || before === null) return { direction: 'none', text: 'cannot be compared' };
  // Sums of floats may differ by rounding; that is no change.
  if (Math.abs(now - before) <= 1e-9 * Math.max(now, before))
    return now === 0 ? { direction: 'none', text: 'no earlier data' } : { direction: 'same', text: 'no change' };
  if (before === 0) return { direction: 'none', text: 'no earlier data' };
  const direction = now > before ? 'up' : 'down';
  return { direction, text: `${direction} ${size(Math.abs(now - before) / before)}` };
}
