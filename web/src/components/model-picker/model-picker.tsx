import { parallelModelLimit } from '@roster/contracts/chat';
import { Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { modelName } from '#web/api/model-names.ts';
import { Button } from '#web/ui/button.tsx';
import { useActiveOption } from '#web/ui/menus/use-active-option.ts';
import { usePlacement } from '#web/ui/menus/use-placement.ts';
import { PickerList } from './picker-list.tsx';
import type { PickerOption } from './picker-rows.ts';
import { type ModelPickerProps, type Picker, usePicker } from './use-picker.ts';

/** A popover beside its button; a press outside closes it. */
function usePopover({ anchor, align = 'end', onClose }: Pick<ModelPickerProps, 'anchor' | 'align' | 'onClose'>) {
  const box = useRef<HTMLDivElement>(null);
  usePlacement({ box, anchor, side: 'bottom', align, gap: 6 });
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

/** Searchable list of models with size, abilities and price, for pointer and keyboard. */
export function ModelPicker(props: ModelPickerProps) {
  const { label, modelSelection, onClose } = props;
  const box = usePopover(props);
  const picker = usePicker(props);
  const { options, first, take, marked, setMarked, remember } = picker;
  const listed = useActiveOption({ options, first, onTake: take });
  const finish = (chosen: readonly string[]) => {
    // Not while they are marked: the rows would move.
    remember(...chosen);
    onClose(true);
    queueMicrotask(() => modelSelection?.onChoose([...chosen]));
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
      className="fixed z-60 flex max-h-[min(32rem,calc(100dvh-5rem))] w-[min(34rem,calc(100vw-1rem))] animate-appear flex-col rounded-lg bg-popover text-base text-foreground shadow-float"
    >
      <SearchRow picker={picker} listed={listed} />
      <PickerList label={label} picker={picker} listed={listed} />
      <ActiveModel picker={picker} option={listed.active} />
      {modelSelection && <SeveralFooter marked={marked} onBegin={() => setMarked([])} onFinish={finish} />}
    </div>,
    document.body,
  );
}

type SearchRowProps = { picker: Picker; listed: ReturnType<typeof useActiveOption<PickerOption>> };

function SearchRow({ picker: { text, setText, searched }, listed }: SearchRowProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  return (
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
      <span className="shrink-0 text-muted-foreground text-xs max-md:sr-only">In, out: US$ per million tokens</span>
    </div>
  );
}

/** The keys for the active model, besides choosing it. */
function ActiveModel({ picker, option }: { picker: Picker; option: PickerOption | undefined }) {
  if (option?.kind !== 'model') return null;
  const { reference, isHidden } = option;
  const name = modelName(reference);
  const isFavorite = picker.choices.favorites.includes(reference);
  return (
    <div className="flex shrink-0 items-center gap-1 border-border border-t px-2 py-1 text-sm max-md:sr-only">
      <span className="min-w-0 flex-1 truncate px-1 font-mono text-muted-foreground text-xs">{name}</span>
      <Button
        size="sm"
        variant="ghost"
        aria-pressed={isFavorite}
        aria-label={`Favorite ${name}`}
        onClick={() => picker.toggleFavorite(reference)}
      >
        {isFavorite ? 'Remove from favorites' : 'Favorite'}
      </Button>
      <Button
        size="sm"
        variant="ghost"
        aria-label={`${isHidden ? 'Show' : 'Hide'} ${name}`}
        onClick={() => picker.toggleHidden(reference)}
      >
        {isHidden ? 'Show again' : 'Hide'}
      </Button>
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
