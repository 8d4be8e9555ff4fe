import {
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from 'react';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';

export type TabItem<Value extends string> = { value: Value; label: ReactNode; icon?: Icon };

type TabsProps<Value extends string> = {
  /** Accessible name of the tabs. */
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  items: readonly TabItem<Value>[];
  /** `line`: for a page. `segment`: inside a card or under other tabs. */
  look?: 'line' | 'segment' | undefined;
  /** Segments of equal width. */
  stretch?: boolean | undefined;
  /** The panel stays the same element for all tabs, for content that is hidden instead of removed. */
  keepsPanel?: boolean | undefined;
  /** Content of the selected tab. */
  children: ReactNode;
  className?: string | undefined;
};

const lists = {
  // Room for the focus ring around the text, which still aligns with the page.
  line: 'gap-3',
  segment: 'gap-0.5 rounded-md border border-border p-0.5 light:bg-muted',
};
const triggers = {
  line:
    'h-10 rounded-t-xs px-1.5 border-transparent border-b-2 text-muted-foreground hover:text-foreground ' +
    'data-[state=active]:border-foreground data-[state=active]:text-foreground',
  segment:
    'h-8 rounded-sm px-3 text-muted-foreground hover:text-foreground max-md:h-10 ' +
    'data-[state=active]:bg-active data-[state=active]:text-foreground light:data-[state=active]:bg-card light:data-[state=active]:shadow-[0_0_0_1px_var(--border)]',
};

/** Index that a key moves to, wrapping around; null for other keys. */
function nextTab({ key, currentTarget }: KeyboardEvent<HTMLElement>, from: number, count: number): number | null {
  const forwards = getComputedStyle(currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return null;
  return (from + (key === forwards ? 1 : -1) + count) % count;
}

type TabButtonProps<Value extends string> = Pick<TabsProps<Value>, 'look' | 'stretch' | 'onValueChange'> & {
  id: string;
  item: TabItem<Value>;
  active: boolean;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

function TabButton<Value extends string>(props: TabButtonProps<Value>) {
  const { id, item, active, look = 'line', stretch, onValueChange, onKeyDown } = props;
  const { value, label, icon: IconPart } = item;
  return (
    <button
      type="button"
      role="tab"
      id={`${id}-${value}`}
      aria-selected={active}
      aria-controls={active ? `${id}-panel` : undefined}
      data-state={active ? 'active' : 'inactive'}
      tabIndex={active ? 0 : -1}
      onClick={() => !active && onValueChange(value)}
      onKeyDown={onKeyDown}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center gap-2 whitespace-nowrap font-medium transition-colors duration-120 focus-visible:outline-offset-[-2px] group-data-pointer/tabs:outline-none',
        triggers[look],
        stretch && 'flex-1',
      )}
    >
      {IconPart && <IconPart aria-hidden className="size-4" />}
      {label}
    </button>
  );
}

/** Scrolls the list to the selected tab. Not scrollIntoView, which would also scroll the page. */
function useTabInView(list: RefObject<HTMLElement | null>, value: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab to show is found by the value.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[data-state="active"]');
    const scroller = list.current?.parentElement;
    if (!tab || !scroller) return;
    // Right to left, scrollLeft starts at 0 on the right and counts down.
    const isMirrored = getComputedStyle(scroller).direction === 'rtl';
    const origin = isMirrored ? scroller.scrollWidth - scroller.clientWidth : 0;
    scroller.scrollLeft = tab.offsetLeft - (scroller.clientWidth - tab.offsetWidth) / 2 - origin;
  }, [value]);
}

/** Marks pointer use, so that the focus ring appears only with the keyboard. */
const pointerMark: Pick<HTMLAttributes<HTMLElement>, 'onKeyDownCapture' | 'onPointerDownCapture' | 'onBlur'> = {
  onKeyDownCapture: ({ currentTarget }) => currentTarget.removeAttribute('data-pointer'),
  onPointerDownCapture: ({ currentTarget }) => currentTarget.setAttribute('data-pointer', ''),
  onBlur({ currentTarget, relatedTarget }) {
    const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
    if (!stays) currentTarget.removeAttribute('data-pointer');
  },
};

/** Tabs with one visible panel; arrow keys move between them. The list scrolls sideways if needed. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, value, onValueChange, items, look = 'line', stretch, keepsPanel, children, className } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useTabInView(list, value);
  // Start from the focused tab, which may be ahead of the value when keys come quickly.
  const keyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const tabs = [...(list.current?.children ?? [])];
    const index = nextTab(event, tabs.indexOf(event.currentTarget), tabs.length);
    if (index === null) return;
    event.preventDefault();
    const [tab, item] = [tabs[index], items[index]];
    if (tab instanceof HTMLElement) tab.focus();
    if (item) onValueChange(item.value);
  };
  return (
    <div className={classNames('min-w-0', className)}>
      <div
        className={classNames(
          'relative max-w-full overflow-x-auto overflow-y-hidden [scrollbar-width:none]',
          look === 'line' && '-mx-1.5 shadow-[inset_0_-1px_0_var(--border)]',
          look === 'segment' && !stretch && 'w-fit',
        )}
      >
        <div
          ref={list}
          role="tablist"
          aria-label={label}
          {...pointerMark}
          className={classNames('group/tabs flex min-w-full', lists[look], !stretch && 'w-max')}
        >
          {items.map((item) => (
            <TabButton
              key={item.value}
              {...{ id, item, look, stretch, onValueChange }}
              active={item.value === value}
              onKeyDown={keyDown}
            />
          ))}
        </div>
      </div>
      <div
        key={keepsPanel ? undefined : value}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
        tabIndex={-1}
        className="outline-none"
      >
        {children}
      </div>
    </div>
  );
}
