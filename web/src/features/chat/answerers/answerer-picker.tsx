import { modelsAtOnce } from '@roster/contracts/chat';
import { useQuery } from '@tanstack/react-query';
import { Check, Search, Square, SquareCheck } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { modelsQuery } from '#web/data/models.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { usePlacement } from '#web/ui/use-placement.ts';
import { type AnswererOption, answererOptions } from './answerer-options.ts';
import { type Choice, useAnswerers } from './use-assistants.ts';

export type AnswererPickerProps = {
  anchor: () => HTMLElement | null;
  label: string;
  current: Choice | null;
  onChoose: (choice: Choice) => void;
  /** Where a question can go to several models at once: those chosen so far. */
  several?: { models: readonly string[]; onChoose: (models: string[]) => void } | undefined;
  /** Assistants are left out. */
  modelsOnly?: boolean | undefined;
  onClose: (returnFocus: boolean) => void;
};

const isSame = (one: Choice | null, other: Choice) =>
  one?.assistantId === other.assistantId && one.model === other.model;

/** Assistants and models with what they cost: one field that searches them, by pointer and by keyboard. */
export function AnswererPicker(props: AnswererPickerProps) {
  const { anchor, label, current, onChoose, several, modelsOnly = false, onClose } = props;
  const known = useAnswerers();
  const models = useQuery(modelsQuery);
  const [text, setText] = useState('');
  const [marked, setMarked] = useState<readonly string[] | null>(several?.models.length ? several.models : null);
  const isOfModels = modelsOnly || marked !== null;
  const searched = isOfModels ? 'Search models' : 'Search assistants and models';
  const groups = answererOptions({
    answerers: known?.answerers ?? [],
    models: models.data,
    text,
    modelsOnly: isOfModels,
  });
  const options = groups.flatMap((group) => group.options);
  const [activeId, setActiveId] = useState<string | null>(null);
  const active =
    options.find(({ id }) => id === activeId) ??
    options.find(({ choice, label: name }) => (text === '' ? isSame(current, choice) : name === text.trim())) ??
    options[0];
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  usePlacement({ box, anchor, side: 'bottom', align: 'end', gap: 6 });

  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element to show is found by what is active.
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' });
  }, [active?.id]);
  useEffect(() => {
    const pressBeside = ({ target }: Event) => {
      if (!(target instanceof Node) || box.current?.contains(target) || anchor()?.contains(target)) return;
      onClose(false);
    };
    document.addEventListener('pointerdown', pressBeside, true);
    return () => document.removeEventListener('pointerdown', pressBeside, true);
  });

  const isFull = marked !== null && marked.length >= modelsAtOnce;
  const reasonOf = ({ disabledReason, label: id }: AnswererOption) =>
    disabledReason ?? (isFull && !marked.includes(id) ? `${modelsAtOnce} models are chosen.` : null);
  const take = (option: AnswererOption | undefined) => {
    if (!option || reasonOf(option) !== null) return;
    if (marked === null) {
      onClose(true);
      queueMicrotask(() => onChoose(option.choice));
    } else
      setMarked(marked.includes(option.label) ? marked.filter((id) => id !== option.label) : [...marked, option.label]);
  };
  const finish = (chosen: readonly string[]) => {
    onClose(true);
    queueMicrotask(() => several?.onChoose([...chosen]));
  };
  const move = (step: number) => {
    const at = active ? options.indexOf(active) : 0;
    setActiveId(options[(at + step + options.length) % options.length]?.id ?? null);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter') take(active);
    else return;
    event.preventDefault();
  };

  return createPortal(
    <div
      ref={box}
      role="dialog"
      aria-label={label}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose(true);
      }}
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.stopPropagation()}
      style={{ top: 0, left: 0 }}
      className="fixed z-60 flex max-h-[min(30rem,calc(100dvh-5rem))] w-[min(26rem,calc(100vw-1rem))] animate-appear flex-col rounded-lg bg-popover text-base text-foreground shadow-float"
    >
      <div className="flex shrink-0 items-center gap-2.5 border-border border-b px-3">
        <Search aria-hidden className="size-4 shrink-0 text-muted-foreground" />
        <input
          ref={field}
          role="combobox"
          aria-label={searched}
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={active ? `${listId}-${active.id}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder={`${searched}…`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setActiveId(null);
          }}
          onKeyDown={keyDown}
          className="h-11 min-w-0 flex-1 bg-transparent text-lg outline-none md:text-base"
        />
        <span className="shrink-0 text-muted-foreground text-xs max-md:hidden">US$ per million tokens</span>
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={label}
        aria-multiselectable={marked !== null}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain p-1.5"
      >
        <p aria-hidden="true" className="px-2 pt-1.5 text-end text-muted-foreground text-xs md:hidden">
          US$ per million tokens
        </p>
        {groups.map(({ title, options: grouped }) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox groups its options with this role.
          <div key={title} role="group" aria-label={title} className="pb-1">
            <p aria-hidden="true" className="px-2 pt-1.5 pb-1 text-muted-foreground text-xs">
              {title}
            </p>
            {grouped.map((option) => (
              <Option
                key={option.id}
                id={`${listId}-${option.id}`}
                option={option}
                reason={reasonOf(option)}
                isActive={option === active}
                isChosen={marked === null ? isSame(current, option.choice) : marked.includes(option.label)}
                isMarkable={marked !== null}
                onPoint={() => setActiveId(option.id)}
                onTake={() => {
                  setActiveId(option.id);
                  take(option);
                }}
              />
            ))}
          </div>
        ))}
        {options.length === 0 && (
          <p className="wrap-anywhere px-2 py-6 text-center text-muted-foreground">
            {known && models.data ? `Nothing found for “${text.trim()}”` : 'Loading the models…'}
          </p>
        )}
        {models.data?.notice && <p className="px-2 py-1.5 text-muted-foreground text-sm">{models.data.notice}</p>}
      </div>
      {several && <SeveralFooter marked={marked} onBegin={() => setMarked([])} onFinish={finish} />}
    </div>,
    document.body,
  );
}

type SeveralFooterProps = {
  /** null: one answers. */
  marked: readonly string[] | null;
  onBegin: () => void;
  onFinish: (models: readonly string[]) => void;
};

/** From one model to several, and back. */
function SeveralFooter({ marked, onBegin, onFinish }: SeveralFooterProps) {
  const line = 'flex shrink-0 flex-wrap items-center gap-2 border-border border-t p-2';
  if (marked === null)
    return (
      <div className={line}>
        <Button size="sm" variant="ghost" className="max-md:h-10" onClick={onBegin}>
          Ask several models at once…
        </Button>
      </div>
    );
  const tooFew = marked.length < 2;
  return (
    <div className={line}>
      <p aria-live="polite" className="min-w-0 flex-1 px-1 text-muted-foreground text-sm">
        {tooFew ? `Choose 2 to ${modelsAtOnce} models` : `${marked.length} chosen, each is charged`}
      </p>
      <Button size="sm" variant="ghost" className="max-md:h-10" onClick={() => onFinish([])}>
        Ask one
      </Button>
      <Button
        size="sm"
        variant="primary"
        className="max-md:h-10"
        disabledReason={tooFew ? 'Choose at least two models.' : undefined}
        onClick={() => onFinish(marked)}
      >
        {tooFew ? 'Ask together' : `Ask ${marked.length} models`}
      </Button>
    </div>
  );
}

type OptionProps = {
  id: string;
  option: AnswererOption;
  reason: string | null;
  isActive: boolean;
  isChosen: boolean;
  isMarkable: boolean;
  onPoint: () => void;
  onTake: () => void;
};

function Option({ id, option, reason, isActive, isChosen, isMarkable, onPoint, onTake }: OptionProps) {
  const { label, isModel, note, cost } = option;
  const Box = isChosen ? SquareCheck : Square;
  const below = reason ?? note;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys, as a combobox does.
    // biome-ignore lint/a11y/useFocusableInteractive: see above; the field names the active option.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={reason === null ? undefined : true}
      data-active={isActive || undefined}
      onPointerMove={onPoint}
      onClick={onTake}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 max-md:min-h-11',
        isActive && 'bg-hover',
        reason !== null && 'text-muted-foreground',
      )}
    >
      {isMarkable && <Box aria-hidden className="size-4 shrink-0 text-muted-foreground" />}
      <span className="min-w-0 flex-1">
        <span className={classNames('wrap-anywhere block', isModel && 'font-mono text-sm')}>
          <bdi>{label}</bdi>
        </span>
        {below && <span className="wrap-anywhere block text-muted-foreground text-xs">{below}</span>}
        {cost && <span className="block text-muted-foreground text-xs tabular-nums md:hidden">{cost}</span>}
      </span>
      {cost && <span className="shrink-0 text-muted-foreground text-xs tabular-nums max-md:hidden">{cost}</span>}
      {!isMarkable && <Check aria-hidden className={classNames('size-4 shrink-0', !isChosen && 'invisible')} />}
    </div>
  );
}
