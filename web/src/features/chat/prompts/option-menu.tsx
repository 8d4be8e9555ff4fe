import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { isEnter } from '#web/lib/keyboard/enter-key.ts';
import { classNames } from '#web/ui/class-names.ts';
import { usePlacement } from '#web/ui/menus/use-placement.ts';

export type MenuOption = { id: string; label: string; detail?: string | undefined };
/** Returns true if the key was for the menu. */
export type MenuKeys = RefObject<((event: KeyboardEvent) => boolean) | null>;

type OptionMenuProps<Option extends MenuOption> = {
  box: HTMLTextAreaElement;
  keys: MenuKeys;
  label: string;
  options: readonly Option[];
  onTake: (option: Option) => void;
  onClose: () => void;
  /** Enter waits until the options are known, instead of sending the message. */
  isLoading?: boolean;
  /** Below the options, or instead of them. */
  children?: ReactNode;
};

/** Options for the message field, which keeps the focus: a combobox with its list above. */
export function OptionMenu<Option extends MenuOption>(props: OptionMenuProps<Option>) {
  const { box, label, options, onTake, children } = props;
  const menu = useRef<HTMLDivElement>(null);
  const listId = useId();
  const { active, setActiveId } = useOptionKeys(props);
  const optionId = ({ id }: MenuOption) => `${listId}-${id}`;
  const activeElement = active && optionId(active);
  usePlacement({ box: menu, anchor: () => box.parentElement, side: 'top', align: 'start', gap: 6 });
  useComboboxRole(box, listId, activeElement);
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps the focus in the message while an option is pressed
    <div
      ref={menu}
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      className="fixed z-40 flex max-h-[min(20rem,45dvh)] w-[min(30rem,calc(100vw-1rem))] animate-rise flex-col rounded-lg border border-border bg-popover shadow-float"
    >
      <div id={listId} role="listbox" aria-label={label} className="min-h-0 overflow-y-auto p-1 empty:hidden">
        {options.map((option) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the message field has the focus and the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the message field names the active option
          <div
            key={option.id}
            id={optionId(option)}
            role="option"
            aria-selected={option === active}
            onPointerMove={() => setActiveId(option.id)}
            onClick={() => onTake(option)}
            className={classNames(
              'flex min-h-9 cursor-pointer items-center gap-3 rounded-sm px-2.5 py-1.5 max-md:min-h-11',
              option === active && 'bg-hover',
            )}
          >
            <bdi className="min-w-0 max-w-[60%] truncate">{option.label}</bdi>
            {option.detail && (
              <span className="min-w-0 flex-1 truncate text-end text-muted-foreground text-sm">
                <bdi>{option.detail}</bdi>
              </span>
            )}
          </div>
        ))}
      </div>
      {children}
    </div>,
    document.body,
  );
}

function useOptionKeys<Option extends MenuOption>(props: OptionMenuProps<Option>) {
  const { keys, options, onTake, onClose, isLoading = false } = props;
  const [activeId, setActiveId] = useState<string | null>(null);
  const isWanted = useRef(false);
  const active = options.find(({ id }) => id === activeId) ?? options[0];

  function onKey(event: KeyboardEvent): boolean {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const takes = isEnter(event) || (event.key === 'Tab' && !event.shiftKey);
    if (event.key === 'Escape') onClose();
    else if (takes && isLoading) isWanted.current = true;
    else if (!active) return false;
    else if (step !== 0)
      setActiveId(options[(options.indexOf(active) + step + options.length) % options.length]?.id ?? null);
    else if (takes) onTake(active);
    else return false;
    return true;
  }
  useLayoutEffect(() => {
    keys.current = onKey;
    return () => {
      keys.current = null;
    };
  });
  // Enter was pressed before the options were there.
  useEffect(() => {
    if (isLoading || !isWanted.current) return;
    isWanted.current = false;
    if (active) onTake(active);
  });
  return { active, setActiveId };
}

/** Roles while the list is open; without it the field is an ordinary one. */
function useComboboxRole(box: HTMLTextAreaElement, listId: string, activeElement: string | undefined) {
  useEffect(() => {
    const attributes = {
      role: 'combobox',
      'aria-expanded': 'true',
      'aria-controls': listId,
      'aria-autocomplete': 'list',
    };
    for (const [name, value] of Object.entries(attributes)) box.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(attributes)) box.removeAttribute(name);
    };
  }, [box, listId]);
  useEffect(() => {
    if (!activeElement) return;
    box.setAttribute('aria-activedescendant', activeElement);
    document.getElementById(activeElement)?.scrollIntoView({ block: 'nearest' });
    return () => box.removeAttribute('aria-activedescendant');
  }, [box, activeElement]);
}
