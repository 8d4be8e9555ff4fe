import { classNames } from './class-names.ts';

type ColumnHeadsProps = {
  /** A name, or a name and the classes of its cell. */
  columns: readonly (string | readonly [name: string, className: string])[];
  /** Stays in view while the rows scroll under it. */
  sticky?: boolean;
  /** Of the row: the room in and between its cells. */
  className: string;
};

/** The head of a plain table of figures. Rows that are sorted, or become cards, are a `Table`. */
export function TableHeader({ columns, sticky, className }: ColumnHeadsProps) {
  return (
    <thead
      className={classNames('text-muted-foreground', sticky && 'sticky top-0 bg-card shadow-[0_1px_0_var(--border)]')}
    >
      <tr className={classNames('[&>th]:py-2 [&>th]:font-medium', className)}>
        {columns.map((column) => {
          const [name, cell] = typeof column === 'string' ? [column] : column;
          return (
            <th key={name} scope="col" className={cell}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
