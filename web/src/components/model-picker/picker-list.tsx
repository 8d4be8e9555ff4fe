import { type ReactElement, type RefObject, useEffect, useMemo, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { useActiveOption } from '#web/ui/menus/use-active-option.ts';
import { Option } from './picker-option.tsx';
import { isOption, type PickerOption, type PickerRow } from './picker-rows.ts';
import type { Picker } from './use-picker.ts';

type PickerListProps = {
  label: string;
  picker: Picker;
  listed: ReturnType<typeof useActiveOption<PickerOption>>;
};

/** Rows from which only those in view are drawn. */
const manyRows = 80;

/** The list box with its groups. */
export function PickerList({ label, picker, listed }: PickerListProps) {
  const { rows, options, marked, none } = picker;
  const box = useRef<HTMLDivElement>(null);
  const places = useMemo(() => new Map(options.map((option, index) => [option.id, index + 1])), [options]);
  const drawn = (row: PickerRow) => <Row key={row.id} row={row} picker={picker} listed={listed} places={places} />;
  return (
    <div
      ref={box}
      id={listed.listId}
      role="listbox"
      aria-label={label}
      aria-multiselectable={marked !== null}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5"
    >
      {rows.length > manyRows ? (
        <ManyRows box={box} rows={rows} activeId={listed.active?.id}>
          {drawn}
        </ManyRows>
      ) : (
        rows.map(drawn)
      )}
      {options.length === 0 && <p className="wrap-anywhere px-2 py-6 text-center text-muted-foreground">{none}</p>}
    </div>
  );
}

type ManyRowsProps = {
  box: RefObject<HTMLDivElement | null>;
  rows: PickerRow[];
  activeId: string | undefined;
  children: (row: PickerRow) => ReactElement;
};

function ManyRows({ box, rows, activeId, children }: ManyRowsProps) {
  const handle = useRef<VirtualizerHandle>(null);
  const active = useMemo(() => rows.findIndex(({ id }) => id === activeId), [rows, activeId]);
  useEffect(() => {
    if (active >= 0) handle.current?.scrollToIndex(active, { align: 'nearest' });
  }, [active]);
  return (
    <Virtualizer
      ref={handle}
      scrollRef={box}
      data={rows}
      itemSize={52}
      // Drawn at once: otherwise the list is empty until its height has been measured.
      ssrCount={12}
      // The field names the active option, so it must be in the page.
      keepMounted={active >= 0 ? [active] : []}
    >
      {children}
    </Virtualizer>
  );
}

type RowProps = { row: PickerRow; picker: Picker; listed: PickerListProps['listed']; places: Map<string, number> };

function Row({ row, picker, listed, places }: RowProps) {
  if (row.kind === 'title')
    return (
      <p role="presentation" className="px-2 pt-2 pb-1 text-muted-foreground text-xs">
        <bdi>{row.text}</bdi>
      </p>
    );
  if (row.kind === 'note')
    return (
      <p role="presentation" className="wrap-anywhere px-2 py-1.5 text-muted-foreground text-sm">
        {row.text}
      </p>
    );
  if (!isOption(row)) return null;
  const { optionId, active, setActiveId } = listed;
  return (
    <Option
      id={optionId(row)}
      option={row}
      place={places.get(row.id) ?? 1}
      count={places.size}
      reason={picker.reasonOf(row)}
      isActive={row.id === active?.id}
      isChosen={picker.isChosen(row)}
      isMarkable={picker.marked !== null}
      isFavorite={row.kind === 'model' && picker.choices.favorites.includes(row.reference)}
      onPoint={() => setActiveId(row.id)}
      onTake={() => {
        setActiveId(row.id);
        picker.take(row);
      }}
      onFavorite={picker.toggleFavorite}
      onHide={picker.toggleHidden}
    />
  );
}
