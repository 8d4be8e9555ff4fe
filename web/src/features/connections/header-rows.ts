/** `isKept`: the server has its value, which stays while none is typed. `id`: of the row in the form. */
export type HeaderRow = { id: string; name: string; value: string; isKept: boolean };

let added = 0;
export const emptyHeader = (): HeaderRow => ({ id: `added-${++added}`, name: '', value: '', isKept: false });

export const keptHeaders = (names: readonly string[]): HeaderRow[] =>
  names.map((name) => ({ id: name, name, value: '', isKept: true }));

const isFilled = ({ name, value, isKept }: HeaderRow) => isKept || name.trim() !== '' || value !== '';

export const newHeaders = (rows: readonly HeaderRow[]) =>
  rows.filter(isFilled).map(({ name, value }) => ({ name, value }));

/** The headers from now on; undefined: nothing has changed. */
export function changedHeaders(rows: readonly HeaderRow[], before: readonly string[]) {
  const filled = rows.filter(isFilled);
  if (filled.length === before.length && filled.every(({ isKept, value }) => isKept && value === '')) return undefined;
  return filled.map(({ name, value, isKept }) => (isKept && value === '' ? { name } : { name, value }));
}
