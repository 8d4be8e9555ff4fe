/** `number`: as it was written, where its own digits count. */
export type Cell = string | number | { number: string } | null;

/** A text that a spreadsheet would read as a formula gets an apostrophe before it, which makes it a text again. */
const neutralizeFormula = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
const plain = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 15 });

function written(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return plain.format(cell);
  const text = typeof cell === 'string' ? neutralizeFormula(cell) : cell.number;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with the mark that tells spreadsheets that it is UTF-8. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')}`;
