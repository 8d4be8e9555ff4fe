import { Tabs as Radix } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { classNames } from './class-names.ts';
import type { Icon } from './icon.ts';

export type TabItem<Value extends string> = { value: Value; label: ReactNode; icon?: Icon };

type TabsProps<Value extends string> = {
  /** What the tabs choose between; read out. */
  label: string;
  value: Value;
  onValueChange: (value: Value) => void;
  items: readonly TabItem<Value>[];
  /** `line`: for a page. `segment`: inside a card or under other tabs. */
  look?: 'line' | 'segment' | undefined;
  /** Segments of equal width over the whole line. */
  stretch?: boolean | undefined;
  /** The content of the chosen tab. */
  children: ReactNode;
  className?: string | undefined;
};

const lists = {
  // As much room around the words as the ring of the focus takes; the words still begin where the page does.
  line: 'gap-3',
  segment: 'gap-0.5 rounded-md border border-border p-0.5 light:bg-muted',
};
const triggers = {
  line:
    'h-10 rounded-t-xs px-1.5 border-transparent border-b-2 text-muted-foreground hover:text-foreground ' +
    'data-[state=active]:border-foreground data-[state=active]:text-foreground',
  segment:
    'h-8 rounded-sm px-3 text-muted-foreground hover:text-foreground ' +
    'data-[state=active]:bg-active data-[state=active]:text-foreground light:data-[state=active]:bg-card light:data-[state=active]:shadow-[0_0_0_1px_var(--border)]',
};

/**
 * The arrow keys, at once: Radix moves the focus in a task of its own, and a second press that comes before it is lost.
 */
function moveAmongTabs(event: KeyboardEvent<HTMLElement>) {
  // Whoever goes on by keyboard sees where the focus is.
  event.currentTarget.removeAttribute('data-pointer');
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
  const at = tabs.findIndex((tab) => tab.matches(':focus'));
  const isMirrored = getComputedStyle(event.currentTarget).direction === 'rtl';
  const moves: Record<string, number> = {
    ArrowRight: at + (isMirrored ? -1 : 1),
    ArrowLeft: at + (isMirrored ? 1 : -1),
    Home: 0,
    End: tabs.length - 1,
  };
  const next = moves[event.key];
  if (next === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  tabs[(next + tabs.length) % tabs.length]?.focus();
}

/** Tabs with their one visible panel; arrow keys move between them. The list scrolls sideways where it must. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, value, onValueChange, items, look = 'line', stretch, children, className } = props;
  const choose = (chosen: string) => {
    const item = items.find((candidate) => candidate.value === chosen);
    if (item) onValueChange(item.value);
  };
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab to show is found by the value.
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[data-state="active"]');
    const scroller = list.current?.parentElement;
    if (!tab || !scroller) return;
    // Not scrollIntoView, which would also scroll the page.
    // From right to left, the beginning is at the right and what lies beyond it counts down from 0.
    const isMirrored = getComputedStyle(scroller).direction === 'rtl';
    const origin = isMirrored ? scroller.scrollWidth - scroller.clientWidth : 0;
    scroller.scrollLeft = tab.offsetLeft - (scroller.clientWidth - tab.offsetWidth) / 2 - origin;
  }, [value]);
  return (
    // Radix would set its own direction, from left to right, for the panel too.
    <Radix.Root
      dir={document.dir === 'rtl' ? 'rtl' : 'ltr'}
      value={value}
      onValueChange={choose}
      className={classNames('min-w-0', className)}
    >
      <div
        className={classNames(
          'relative max-w-full overflow-x-auto overflow-y-hidden [scrollbar-width:none]',
          look === 'line' && '-mx-1.5 shadow-[inset_0_-1px_0_var(--border)]',
          look === 'segment' && !stretch && 'w-fit',
        )}
      >
        <Radix.List
          ref={list}
          aria-label={label}
          onKeyDownCapture={moveAmongTabs}
          onPointerDownCapture={({ currentTarget }) => currentTarget.setAttribute('data-pointer', '')}
          onBlur={({ currentTarget, relatedTarget }) => {
            const stays = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
            if (!stays) currentTarget.removeAttribute('data-pointer');
          }}
          className={classNames('group/tabs flex min-w-full', lists[look], !stretch && 'w-max')}
        >
          {items.map(({ value: item, label: text, icon: IconPart }) => (
            <Radix.Trigger
              key={item}
              value={item}
              className={classNames(
                'inline-flex shrink-0 items-center justify-center gap-2 whitespace-nowrap font-medium transition-colors duration-120 focus-visible:outline-offset-[-2px] group-data-pointer/tabs:outline-none',
                triggers[look],
                stretch && 'flex-1',
              )}
            >
              {IconPart && <IconPart aria-hidden className="size-4" />}
              {text}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      <Radix.Content value={value} tabIndex={-1} className="outline-none">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
