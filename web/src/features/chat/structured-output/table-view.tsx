import { Download } from 'lucide-react';
import { useState } from 'react';
import { saveText } from '#web/lib/download.ts';
import { type Cell, toCsv } from '#web/lib/text/csv.ts';
import { Button } from '#web/ui/button.tsx';
import { itemsPerPage, type JsonTable, type JsonTree, type JsonValue, pointerTo } from './json-tree.ts';
import { PlainValue, ValueError } from './plain-value.tsx';
import { ShowMore } from './show-more.tsx';
import { useShownTree } from './shown-tree.ts';

/** CSV of a table, with numbers as written. */
export function tableCsv({ written, said }: JsonTree, { columns, rows }: JsonTable): string {
  const cellOf = (value: JsonValue | undefined): Cell => {
    if (value === undefined || written(value) === 'null') return null;
    if (value.kind === 'number') return { number: written(value) };
    return value.kind === 'string' ? said(value) : written(value);
  };
  return toCsv([columns, ...rows.map((row) => columns.map((name) => cellOf(row.get(name))))]);
}

const cell = 'px-3 py-1.5 align-top';

type TableViewProps = { table: JsonTable; at: string; label: string };

/** A table of similar objects; scrolls inside its box, not the page. */
export function TableView({ table, at, label }: TableViewProps) {
  const { tree, nameOf } = useShownTree();
  const { columns, rows } = table;
  const [count, setCount] = useState(itemsPerPage);
  const save = () => saveText(`${nameOf(at)}.csv`, tableCsv(tree, table), 'text/csv;charset=utf-8');
  const numbers = new Set(
    columns.filter((name) => rows.every((row) => (row.get(name)?.kind ?? 'number') === 'number')),
  );
  return (
    <>
      <section
        aria-label={`Table: ${label}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-md border border-border focus-visible:-outline-offset-2"
      >
        <table aria-label={label} className="w-full border-separate border-spacing-0">
          <thead>
            <tr className="*:border-border *:border-b *:bg-muted *:font-medium *:text-muted-foreground">
              <th scope="col" className={`${cell} w-px text-start`}>
                <span className="sr-only">Number</span>
              </th>
              {columns.map((name) => (
                <th key={name} scope="col" className={`${cell} ${numbers.has(name) ? 'text-end' : 'text-start'}`}>
                  {name === '' ? 'no name' : <bdi>{name}</bdi>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, count).map((row, index) => (
              <TableRow
                key={pointerTo(at, index)}
                at={pointerTo(at, index)}
                number={index + 1}
                row={row}
                columns={columns}
                numbers={numbers}
              />
            ))}
          </tbody>
        </table>
      </section>
      <div className="flex flex-wrap items-center">
        <ShowMore left={rows.length - count} what="rows" onMore={() => setCount(count + itemsPerPage)} />
        <Button variant="ghost" size="sm" icon={Download} onClick={save} className="ms-auto mt-1 max-md:h-10">
          Download CSV
        </Button>
      </div>
    </>
  );
}

type TableRowProps = {
  row: JsonTable['rows'][number];
  at: string;
  number: number;
  columns: readonly string[];
  /** Columns with only numbers, aligned to the end. */
  numbers: ReadonlySet<string>;
};

function TableRow({ row, at, number, columns, numbers }: TableRowProps) {
  return (
    <tr className="*:border-border not-last:*:border-b">
      <th scope="row" className={`${cell} text-start font-normal text-muted-foreground tabular-nums`}>
        {number}
        <ValueError at={at} />
      </th>
      {columns.map((name) => {
        const value = row.get(name);
        return (
          <td key={name} className={`${cell} ${numbers.has(name) ? '' : 'min-w-24'}`}>
            <div className={`w-max max-w-80 max-md:max-w-60 ${numbers.has(name) ? 'ms-auto' : ''}`}>
              {value && <PlainValue value={value} />}
              <ValueError at={pointerTo(at, name)} />
            </div>
          </td>
        );
      })}
    </tr>
  );
}
