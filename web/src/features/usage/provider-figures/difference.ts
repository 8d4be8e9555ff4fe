import { formatCost, formatNumber } from '#web/lib/format.ts';

/** Rounding error of a sum of many small amounts. */
const negligible = 1e-9;

const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text);

/** The provider's figure minus Roster's: '+$0.0031', '−12', 'none'; '—' if one of them is unknown. */
export function formatDifference(theirs: number | null, ours: number | null, unit: 'usd' | 'count'): string {
  if (theirs === null || ours === null) return '—';
  const difference = theirs - ours;
  if (Math.abs(difference) < negligible) return 'none';
  const text = unit === 'usd' ? formatCost(difference) : formatNumber(difference);
  return signed(difference, text.replace('-', '−'));
}
