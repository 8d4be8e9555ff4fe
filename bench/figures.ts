/** The value that `share` percent of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of one figure over several runs. */
export const medianOf = <T>(runs: readonly T[], figure: (run: T) => number): number => median(runs.map(figure));

const isMeasured = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value);

export function ms(value: number | undefined): string {
  if (!isMeasured(value)) return '–';
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : 1)} ms`;
}

/** A difference with its sign. */
export const added = (value: number | undefined) => (isMeasured(value) && value >= 0 ? `+${ms(value)}` : ms(value));

export const times = (value: number | undefined) => (isMeasured(value) ? `${value.toFixed(2)}×` : '–');

export const megabytes = (bytes: number | undefined) =>
  isMeasured(bytes) ? `${(bytes / 1024 / 1024).toFixed(0)} MB` : '–';

/** Compares a figure with its target. A miss is reported but fails nothing, since speed depends on the machine. */
export function verdict(value: number, limit: number): string {
  if (!isMeasured(value)) return 'not measured';
  return value <= limit ? 'ok' : 'missed';
}

/** A Markdown table that is also readable as plain text. */
export function printTable(title: string, head: string[], rows: string[][]) {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  console.log(`\n${title}\n`);
  console.log([line(head), rule, ...rows.map(line)].join('\n'));
}

const pad = (cell: string, width: number, column: number) => (column === 0 ? cell.padEnd(width) : cell.padStart(width));
