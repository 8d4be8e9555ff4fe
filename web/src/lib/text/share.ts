const shareFormat = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 0 });

/** '62%'; never 0% for a nonzero part and never 100% for less than all. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0%';
  const share = part / whole;
  if (share < 0.01) return '<1%';
  if (share < 1 && share > 0.99) return '>99%';
  return shareFormat.format(share);
}
