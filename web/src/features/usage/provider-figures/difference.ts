import { formatCost, formatNumber } from '#web/lib/format.ts';

/** Less than what a sum of many small amounts loses on its way. */
const negligible = 1e-9;

const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text);

/** What the provider has more than Roster: '+$0.0031', '−12', 'none'; '—' where one of the two is not known. */
export function formatDifference(theirs: number | null, ours: number | null, unit: 'usd' | 'count'): string {
  if (theirs === null || ours === null) return '—';
  const difference = theirs - ours;
  if (Math.abs(difference) < negligible) return 'none';
  const text = unit === 'usd' ? formatCost(difference) : formatNumber(difference);
  return signed(difference, text.replace('-', '−'));
}
