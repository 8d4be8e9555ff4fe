/** `number`: written with its original digits. */
export type Cell = string | number | { number: string } | null;

/** Prefixes an apostrophe to text that spreadsheets would run as a formula. */
const neutralizeFormula = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
const plain = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 });

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return plain.format(cell);
  const text = typeof cell === 'string' ? neutralizeFormula(cell) : cell.number;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** CSV as in RFC 4180, with a BOM so that spreadsheets read UTF-8. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')}`;
