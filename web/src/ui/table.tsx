import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';
import { Select } from './forms/select.tsx';
import { IconButton } from './icon-button.tsx';
import { Skeleton } from './states/skeleton.tsx';
import { useNarrow } from './use-narrow.ts';

type Order = 'asc' | 'desc';
type Sorting<Sort extends string> = { sort: Sort; order: Order };

export type Column<Row, Sort extends string = never> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Sort key of the column; without it the header is not a button. */
  sort?: Sort;
  /** Order of the first click: times and sizes read better with the largest first. */
  firstOrder?: Order;
  /** Numbers align to the end. */
  align?: 'start' | 'end';
  /** A width class, such as `w-32`; columns without one share the rest. */
  width?: string;
  /** Used as the card's title on small screens. */
  isTitle?: boolean;
};

type TableProps<Row, Sort extends string> = {
  /** Accessible name of the table. */
  label: string;
  columns: readonly Column<Row, Sort>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  sorting?: Sorting<Sort>;
  onSortingChange?: (sorting: Sorting<Sort>) => void;
  /** Menu at the end of a row. */
  actions?: (row: Row) => ReactNode;
  /** Number of skeleton rows. */
  loadingRows?: number;
  /** Shows previous rows while others load. */
  isStale?: boolean;
};

/**
 * A sortable table with a sticky header; below 768 px each row is a card. Search, paging, empty and error states are
 * the owner's job.
 */
export function Table<Row, Sort extends string = never>(props: TableProps<Row, Sort>) {
  return useNarrow() ? <Cards {...props} /> : <Rows {...props} />;
}

const isSortable = <Row, Sort extends string>(
  column: Column<Row, Sort>,
): column is Column<Row, Sort> & { sort: Sort } => column.sort !== undefined;

const opposite = (order: Order): Order => (order === 'asc' ? 'desc' : 'asc');

function Rows<Row, Sort extends string>(props: TableProps<Row, Sort>) {
  const { label, columns, rows, rowKey, actions, loadingRows = 0, isStale } = props;
  return (
    // No overflow here: the header sticks to the window, not to a box.
    <div className="rounded-lg border border-border bg-card">
      <table
        aria-label={label}
        aria-busy={loadingRows > 0 || isStale || undefined}
        className="w-full table-fixed border-separate border-spacing-0 text-start"
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} table={props} />
            ))}
            {actions && (
              <th scope="col" className={classNames(headerClass, 'w-14')}>
                <span className="sr-only">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody className={classNames('transition-opacity duration-120', isStale && 'opacity-60')}>
          {rows.map((row) => (
            <tr key={rowKey(row)} className="group/row hover:bg-hover">
              {columns.map((column) => (
                <td key={column.id} className={classNames(cellClass, column.align === 'end' && 'text-end')}>
                  <div className="truncate">{column.cell(row)}</div>
                </td>
              ))}
              {actions && <td className={classNames(cellClass, 'pe-2.5 ps-0 text-end')}>{actions(row)}</td>}
            </tr>
          ))}
          {Array.from({ length: loadingRows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
            <tr key={`loading ${row}`}>
              {columns.map(({ id, align }) => (
                <td key={id} className={cellClass}>
                  <Skeleton className={classNames('h-4 w-3/5', align === 'end' && 'ms-auto')} />
                </td>
              ))}
              {actions && <td className={cellClass} />}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const headerClass =
  'sticky top-0 z-10 h-10 border-border border-b bg-card px-4 font-medium text-muted-foreground text-sm first:rounded-ss-lg last:rounded-se-lg';
const cellClass = 'h-11 border-border border-b px-4 group-last/row:border-b-0';

type HeaderCellProps<Row, Sort extends string> = { column: Column<Row, Sort>; table: TableProps<Row, Sort> };

function HeaderCell<Row, Sort extends string>({ column, table }: HeaderCellProps<Row, Sort>) {
  const { sorting, onSortingChange } = table;
  const { header, align, width, firstOrder = 'asc' } = column;
  const atEnd = align === 'end';
  if (!isSortable(column) || !onSortingChange) {
    return (
      <th scope="col" className={classNames(headerClass, width, atEnd && 'text-end')}>
        {header}
      </th>
    );
  }
  const { sort } = column;
  const order = sorting?.sort === sort ? sorting.order : undefined;
  const OrderIcon = order === 'asc' ? ArrowUp : order === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}
      className={classNames(headerClass, width, atEnd && 'text-end')}
    >
      <button
        type="button"
        onClick={() => onSortingChange({ sort, order: order ? opposite(order) : firstOrder })}
        className={classNames(
          '-mx-1.5 inline-flex h-7 max-w-full items-center gap-1 rounded-sm px-1.5 transition-colors duration-120 hover:text-foreground',
          atEnd && 'flex-row-reverse',
          order && 'text-foreground',
        )}
      >
        <span className="truncate">{header}</span>
        <OrderIcon aria-hidden className={classNames('size-3.5', !order && 'opacity-60')} />
      </button>
    </th>
  );
}

function Cards<Row, Sort extends string>(props: TableProps<Row, Sort>) {
  const { label, columns, rows, rowKey, actions, loadingRows = 0, isStale } = props;
  const title = columns.find((column) => column.isTitle) ?? columns[0];
  const details = columns.filter((column) => column !== title);
  return (
    <div>
      <SortChoice {...props} />
      <ul
        aria-label={label}
        aria-busy={loadingRows > 0 || isStale || undefined}
        className={classNames('grid gap-3 transition-opacity duration-120', isStale && 'opacity-60')}
      >
        {rows.map((row) => (
          <li key={rowKey(row)} className="min-w-0 rounded-lg border border-border bg-card p-4">
            <div className="flex min-h-9 items-center gap-2">
              <div className="min-w-0 flex-1 truncate font-medium">{title?.cell(row)}</div>
              {actions && <div className="-me-2">{actions(row)}</div>}
            </div>
            <dl className="mt-1 grid gap-1.5 text-sm">
              {details.map(({ id, header, cell }) => (
                <div key={id} className="flex min-w-0 items-baseline gap-3">
                  <dt className="w-24 shrink-0 text-muted-foreground">{header}</dt>
                  <dd className="wrap-anywhere min-w-0">{cell(row)}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
        {Array.from({ length: loadingRows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
          <li key={`loading ${row}`} className="rounded-lg border border-border bg-card p-4">
            <Skeleton className="my-2.5 h-4 w-2/5" />
            <Skeleton className="h-4 w-4/5" />
            <Skeleton className="mt-2.5 h-4 w-3/5" />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Sorting for cards, which have no headers. */
function SortChoice<Row, Sort extends string>({ columns, sorting, onSortingChange }: TableProps<Row, Sort>) {
  const id = useId();
  const sortable = columns.filter(isSortable);
  if (!sorting || !onSortingChange || sortable.length === 0) return null;
  const choose = (chosen: string) => {
    const column = sortable.find(({ sort }) => sort === chosen);
    if (column) onSortingChange({ sort: column.sort, order: column.firstOrder ?? 'asc' });
  };
  return (
    <div className="mb-3 flex items-center gap-2">
      <label htmlFor={id} className="shrink-0 text-muted-foreground text-sm">
        Sort by
      </label>
      <Select
        id={id}
        value={sorting.sort}
        onChange={(event) => choose(event.currentTarget.value)}
        className="min-w-0 flex-1"
      >
        {sortable.map(({ sort, header }) => (
          <option key={sort} value={sort}>
            {header}
          </option>
        ))}
      </Select>
      <IconButton
        label={sorting.order === 'asc' ? 'Ascending; change to descending' : 'Descending; change to ascending'}
        icon={sorting.order === 'asc' ? ArrowUp : ArrowDown}
        variant="secondary"
        onClick={() => onSortingChange({ ...sorting, order: opposite(sorting.order) })}
        className="max-md:size-10"
      />
    </div>
  );
}
