import { parallelModelLimit } from '@roster/contracts/chat';
import { useQuery } from '@tanstack/react-query';
import { Check, Search, Square, SquareCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { modelsQuery } from '#web/api/models.ts';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { type Choice, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { useActiveOption } from '#web/ui/menus/use-active-option.ts';
import { usePlacement } from '#web/ui/menus/use-placement.ts';
import { type ChatTargetOption, chatTargetOptions } from './chat-target-options.ts';

export type ChatTargetPickerProps = {
  anchor: () => HTMLElement | null;
  label: string;
  current: Choice | null;
  onChoose: (choice: Choice) => void;
  /** Enables sending to several models; those chosen so far. */
  several?: { models: readonly string[]; onChoose: (models: string[]) => void } | undefined;
  /** Leaves out assistants. */
  modelsOnly?: boolean | undefined;
  onClose: (returnFocus: boolean) => void;
};

const isSame = (one: Choice | null, other: Choice) =>
  one?.assistantId === other.assistantId && one.model === other.model;

/** A popover below its button; a press outside closes it. */
function usePopover({ anchor, onClose }: Pick<ChatTargetPickerProps, 'anchor' | 'onClose'>) {
  const box = useRef<HTMLDivElement>(null);
  usePlacement({ box, anchor, side: 'bottom', align: 'end', gap: 6 });
  useEffect(() => {
    const pressBeside = ({ target }: Event) => {
      if (!(target instanceof Node) || box.current?.contains(target) || anchor()?.contains(target)) return;
      onClose(false);
    };
    document.addEventListener('pointerdown', pressBeside, true);
    return () => document.removeEventListener('pointerdown', pressBeside, true);
  });
  return box;
}

/** Filtered options, the selected ones, and what selecting does. */
function useOptions({ current, onChoose, several, modelsOnly = false, onClose }: ChatTargetPickerProps) {
  const known = useChatTargets();
  const { data: models } = useQuery(modelsQuery);
  const [text, setText] = useState('');
  /** Selected models in multi-select mode; null in single mode. */
  const [marked, setMarked] = useState<readonly string[] | null>(several?.models.length ? several.models : null);
  const isOfModels = modelsOnly || marked !== null;
  const groups = chatTargetOptions({ chatTargets: known?.chatTargets ?? [], models, text, modelsOnly: isOfModels });
  const options = groups.flatMap((group) => group.options);
  const isFull = marked !== null && marked.length >= parallelModelLimit;
  const reasonOf = ({ disabledReason, label: id }: ChatTargetOption) =>
    disabledReason ?? (isFull && !marked.includes(id) ? `You can choose at most ${parallelModelLimit} models.` : null);
  const take = (option: ChatTargetOption | undefined) => {
    if (!option || reasonOf(option) !== null) return;
    if (marked === null) {
      onClose(true);
      queueMicrotask(() => onChoose(option.choice));
    } else
      setMarked(marked.includes(option.label) ? marked.filter((id) => id !== option.label) : [...marked, option.label]);
  };
  return {
    ...{ text, setText, marked, setMarked, groups, options, reasonOf, take },
    first:
      options.find(({ choice, label: name }) => (text === '' ? isSame(current, choice) : name === text.trim())) ??
      options[0],
    isChosen: ({ choice, label: id }: ChatTargetOption) =>
      marked === null ? isSame(current, choice) : marked.includes(id),
    searched: isOfModels ? 'Search models' : 'Search assistants and models',
    none: known && models ? `Nothing found for “${text.trim()}”` : 'Loading the models…',
    notice: models?.notice,
  };
}

/** Searchable list of assistants and models with their prices, for pointer and keyboard. */
export function ChatTargetPicker(props: ChatTargetPickerProps) {
  const { label, several, onClose } = props;
  const box = usePopover(props);
  const found = useOptions(props);
  const { text, setText, marked, setMarked, searched } = found;
  const listed = useActiveOption({ options: found.options, first: found.first, onTake: found.take });
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const finish = (chosen: readonly string[]) => {
    onClose(true);
    queueMicrotask(() => several?.onChoose([...chosen]));
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
          {...listed.fieldProps}
          ref={field}
          aria-label={searched}
          placeholder={`${searched}…`}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            listed.setActiveId(null);
          }}
          className="h-11 min-w-0 flex-1 bg-transparent text-lg outline-none md:text-base"
        />
        <span className="shrink-0 text-muted-foreground text-xs max-md:hidden">US$ per million tokens</span>
      </div>
      <OptionList label={label} found={found} listed={listed} />
      {several && <SeveralFooter marked={marked} onBegin={() => setMarked([])} onFinish={finish} />}
    </div>,
    document.body,
  );
}

type OptionListProps = {
  label: string;
  found: ReturnType<typeof useOptions>;
  listed: ReturnType<typeof useActiveOption<ChatTargetOption>>;
};

function OptionList({ label, found, listed }: OptionListProps) {
  const { groups, options, marked, reasonOf, isChosen, take, none, notice } = found;
  const { listId, optionId, active, setActiveId } = listed;
  return (
    <div
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
              id={optionId(option)}
              option={option}
              reason={reasonOf(option)}
              isActive={option === active}
              isChosen={isChosen(option)}
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
      {options.length === 0 && <p className="wrap-anywhere px-2 py-6 text-center text-muted-foreground">{none}</p>}
      {notice && <p className="px-2 py-1.5 text-muted-foreground text-sm">{notice}</p>}
    </div>
  );
}

type SeveralFooterProps = {
  /** null in single mode. */
  marked: readonly string[] | null;
  onBegin: () => void;
  onFinish: (models: readonly string[]) => void;
};

/** Switches between one model and several. */
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
        {tooFew ? `Choose 2 to ${parallelModelLimit} models` : `${marked.length} chosen; each answer is billed`}
      </p>
      <Button size="sm" variant="ghost" className="max-md:h-10" onClick={() => onFinish([])}>
        Back to one model
      </Button>
      <Button
        size="sm"
        variant="primary"
        className="max-md:h-10"
        disabledReason={tooFew ? 'Choose at least two models.' : undefined}
        onClick={() => onFinish(marked)}
      >
        {tooFew ? 'Ask selected' : `Ask ${marked.length} models`}
      </Button>
    </div>
  );
}

type OptionProps = {
  id: string;
  option: ChatTargetOption;
  reason: string | null;
  isActive: boolean;
  isChosen: boolean;
  isMarkable: boolean;
  onPoint: () => void;
  onTake: () => void;
};

function Option({ id, option, reason, isActive, isChosen, isMarkable, onPoint, onTake }: OptionProps) {
  const { label, isModel, look, note, cost } = option;
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
      onPointerMove={onPoint}
      onClick={onTake}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 max-md:min-h-11',
        isActive && 'bg-hover',
        reason !== null && 'text-muted-foreground',
      )}
    >
      {isMarkable && <Box aria-hidden className="size-4 shrink-0 text-muted-foreground" />}
      {look && <AssistantAvatar {...look} />}
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
