import { ChevronRight } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { formatCount } from '#web/lib/text/format.ts';
import { initiallyExpanded, isGroup, itemsPerPage, type JsonChild, type JsonValue, pointerTo } from './json-tree.ts';
import { PlainValue, Quiet, ValueError } from './plain-value.tsx';
import { ShowMore } from './show-more.tsx';
import { type ShownTree, ShownTreeContext, useShownTree } from './shown-tree.ts';
import { TableView } from './table-view.tsx';

/** Deeper levels are shown as JSON. */
const levelLimit = 32;

/** Renders an answer: fields with names, lists, and similar objects as a table. */
export function TreeView(props: Omit<ShownTree, 'opened'>) {
  const { tree, problems, nameOf } = props;
  const opened = useMemo(() => initiallyExpanded(tree), [tree]);
  const shown = useMemo(() => ({ tree, opened, problems, nameOf }), [tree, opened, problems, nameOf]);
  return (
    <ShownTreeContext value={shown}>
      <div className="@container overflow-x-auto px-4 py-3 text-sm max-md:px-3">
        <Inside value={tree.root} at="" label="Answer" level={0} />
        <ValueError at="" />
      </div>
    </ShownTreeContext>
  );
}

type InsideProps = { value: JsonValue; at: string; label: string; level: number };

/** Content of an object or array. */
function Inside({ value, at, label, level }: InsideProps) {
  const { tree } = useShownTree();
  const [count, setCount] = useState(itemsPerPage);
  const table = tree.tableOf(value);
  const children = tree.childrenOf(value);
  if (children.length === 0) return <p className="text-muted-foreground">{emptyText(value)}</p>;
  if (table) return <TableView table={table} at={at} label={label} />;
  const List = value.kind === 'array' ? 'ol' : 'ul';
  return (
    <>
      <List aria-label={label} className="min-w-56">
        {children.slice(0, count).map((child, index) => (
          <li key={child.value.start} className="border-border not-first:border-t">
            <Row child={child} index={index} at={pointerTo(at, child.name ?? index)} level={level + 1} />
          </li>
        ))}
      </List>
      <ShowMore
        left={children.length - count}
        what={value.kind === 'array' ? 'items' : 'fields'}
        onMore={() => setCount(count + itemsPerPage)}
      />
    </>
  );
}

const emptyText = ({ kind }: JsonValue) => (kind === 'array' ? 'Empty list' : 'No fields');

type RowProps = { child: JsonChild; index: number; at: string; level: number };

function Row({ child: { name, value }, index, at, level }: RowProps) {
  const { tree } = useShownTree();
  const label = name ?? String(index + 1);
  const shownLabel =
    label === '' ? <Quiet>no name</Quiet> : <bdi className={name === null ? 'tabular-nums' : ''}>{label}</bdi>;
  if (isGroup(value) && tree.childrenOf(value).length > 0 && level < levelLimit)
    return <Group value={value} at={at} label={label} shownLabel={shownLabel} level={level} />;
  return (
    <div className={`gap-x-3 py-1.5 ${name === null ? 'flex' : '@sm:flex'}`}>
      <div className={`shrink-0 text-muted-foreground [overflow-wrap:anywhere] ${name === null ? 'w-8' : '@sm:w-36'}`}>
        {shownLabel}
      </div>
      <div className="min-w-0 flex-1">
        {!isGroup(value) ? (
          <PlainValue value={value} />
        ) : tree.childrenOf(value).length === 0 ? (
          <Quiet>{emptyText(value)}</Quiet>
        ) : (
          <code dir="ltr" className="wrap-anywhere block font-mono">
            {tree.written(value)}
          </code>
        )}
        <ValueError at={at} />
      </div>
    </div>
  );
}

type GroupProps = InsideProps & { shownLabel: ReactNode };

function Group({ value, at, label, shownLabel, level }: GroupProps) {
  const { tree, opened } = useShownTree();
  const [isOpen, setIsOpen] = useState(() => opened.has(value.start));
  const count = tree.childrenOf(value).length;
  return (
    <details
      open={isOpen}
      // toggle events of nested elements bubble in React.
      onToggle={({ target, currentTarget }) => target === currentTarget && setIsOpen(currentTarget.open)}
    >
      <summary className="-ms-1.5 flex min-h-8 list-none items-start gap-1 rounded-sm py-1.5 hover:bg-hover max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className={`mt-0.5 size-4 shrink-0 text-muted-foreground transition-transform duration-120 ${isOpen ? 'rotate-90 rtl:-rotate-90' : ''}`}
        />
        <span className="min-w-0">
          <span className="font-medium [overflow-wrap:anywhere]">{shownLabel}</span>{' '}
          <bdi className="text-muted-foreground">
            {value.kind === 'array' ? formatCount(count, 'item') : formatCount(count, 'field')}
          </bdi>
          <ValueError at={at} />
        </span>
      </summary>
      {isOpen && (
        <div className="mb-2 ms-0.5 border-border border-s-2 ps-3">
          <Inside value={value} at={at} label={label} level={level} />
        </div>
      )}
    </details>
  );
}
