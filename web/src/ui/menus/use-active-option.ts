import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { isEnter, isImeKey } from '#web/lib/keyboard/enter-key.ts';

type ListedOption = { id: string };
type Listed<Option> = {
  options: readonly Option[];
  /** Active until the user moves to another. */
  first: Option | undefined;
  onTake: (option: Option | undefined) => void;
};

/**
 * Combobox options below a field that keeps focus: arrow keys cycle through them, and Enter selects the active one,
 * which is scrolled into view.
 */
export function useActiveOption<Option extends ListedOption>({ options, first, onTake }: Listed<Option>) {
  const listId = useId();
  const [activeId, setActiveId] = useState<string | null>(null);
  const active = options.find(({ id }) => id === activeId) ?? first;
  const optionId = ({ id }: ListedOption) => `${listId}-${id}`;
  const elementId = active && optionId(active);
  useEffect(() => {
    if (elementId) document.getElementById(elementId)?.scrollIntoView({ block: 'nearest' });
  }, [elementId]);

  const move = (step: number) => {
    const at = active ? options.indexOf(active) : 0;
    setActiveId(options[(at + step + options.length) % options.length]?.id ?? null);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (isImeKey(event.nativeEvent)) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (isEnter(event.nativeEvent)) onTake(active);
    else return;
    event.preventDefault();
  };
  /** Props of the field. */
  const fieldProps = {
    role: 'combobox',
    'aria-expanded': true,
    'aria-controls': listId,
    'aria-activedescendant': elementId,
    'aria-autocomplete': 'list',
    autoComplete: 'off',
    spellCheck: false,
    onKeyDown: keyDown,
  } as const;
  return { active, setActiveId, listId, optionId, fieldProps };
}
