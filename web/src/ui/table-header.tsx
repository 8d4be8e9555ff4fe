import { classNames } from './class-names.ts';

type ColumnHeadsProps = {
  /** A name, or a name with the classes of its cell. */
  columns: readonly (string | readonly [name: string, className: string])[];
  /** Sticks to the top while rows scroll. */
  sticky?: boolean;
  /** Classes for the cells' padding. */
  className: string;
};

/** Header of a plain table. For sorting, or for cards on small screens, use `Table`. */
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
