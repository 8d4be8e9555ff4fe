import { type Cell, toCsv } from '#web/lib/text/csv.ts';
import type { JsonTable, JsonTree, JsonValue } from './json-tree.ts';

/** CSV of a table, with numbers as written. */
export function tableCsv({ written, said }: JsonTree, { columns, rows }: JsonTable): string {
  const cellOf = (value: JsonValue | undefined): Cell => {
    if (value === undefined || written(value) === 'null') return null;
    if (value.kind === 'number') return { number: written(value) };
    return value.kind === 'string' ? said(value) : written(value);
  };
  return toCsv([columns, ...rows.map((row) => columns.map((name) => cellOf(row.get(name))))]);
}
