import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { Model, ModelMark, Price } from '@roster/contracts/models/models';
import { Braces, Brain, Check, ChevronDown, Eye, EyeOff, Image, Square, SquareCheck, Star, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { formatCost } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import type { PickerOption } from './picker-rows.ts';
import { splitTunedName } from './tuned-name.ts';

const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });
const dayText = (day: string) => shortDay.format(new Date(`${day}T00:00`));

const priceInWords = (price: Price | null | undefined): string =>
  price
    ? `${formatCost(price.input)} in · ${formatCost(price.output)} out${price.family === null ? '' : ` (as ${modelIdOf(price.family)})`}`
    : 'no price known';

const trimmed = (value: number) => String(Math.round(value * 10) / 10);

/** '128K', '1M' */
const contextText = (tokens: number): string =>
  tokens >= 999_500 ? `${trimmed(tokens / 1_000_000)}M` : `${Math.round(tokens / 1_000)}K`;

const marks: Record<ModelMark, [label: string, icon: Icon]> = {
  vision: ['Images', Image],
  reasoning: ['Reasoning', Brain],
  tools: ['Tools', Wrench],
  json: ['JSON', Braces],
};
const markOrder = ['vision', 'reasoning', 'tools', 'json'] as const satisfies readonly ModelMark[];

function Marks({ model }: { model: Model }) {
  const has = (mark: ModelMark) => model.marks.includes(mark) || (mark === 'reasoning' && model.efforts.length > 0);
  return markOrder.filter(has).map((mark) => {
    const [label, IconPart] = marks[mark];
    return (
      <span key={mark} title={label} className="inline-flex">
        <IconPart aria-hidden className="size-3.5" />
        <span className="sr-only">{label} </span>
      </span>
    );
  });
}

function RetirementBadge({ model: { lifecycle, shutdownDate } }: { model: Model }) {
  if (lifecycle === 'current') return null;
  const [verb, tone] = lifecycle === 'gone' ? (['Retired', 'destructive'] as const) : (['Retires', 'warning'] as const);
  const when = shutdownDate === null ? (lifecycle === 'gone' ? '' : 'soon') : dayText(shutdownDate);
  return <Badge tone={tone}>{`${verb} ${when}`.trim()}</Badge>;
}

/** Size and abilities. */
function Facts({ model }: { model: Model }) {
  return (
    <span className="inline-flex items-center gap-x-2 text-muted-foreground text-xs tabular-nums">
      {model.contextTokens !== null && <span>{contextText(model.contextTokens)} context</span>}
      <Marks model={model} />
    </span>
  );
}

/** Below a model's name: its purpose, otherwise its size and abilities; on narrow screens the price too. */
function BelowName({ model }: { model: Model }) {
  const { goodFor, price } = model;
  return (
    <span className="flex flex-wrap items-center gap-x-2 text-muted-foreground text-xs tabular-nums">
      {goodFor === null ? <Facts model={model} /> : <span>{goodFor}</span>}
      <span className="md:sr-only">{priceInWords(price)}</span>
    </span>
  );
}

function Prices({ price }: { price: Price | null }) {
  const cell = 'w-16 shrink-0 text-end text-xs tabular-nums text-muted-foreground max-md:hidden';
  return (
    <>
      <span aria-hidden="true" className={cell}>
        {price ? formatCost(price.input) : '—'}
      </span>
      <span aria-hidden="true" className={cell}>
        {price ? formatCost(price.output) : '—'}
      </span>
    </>
  );
}

export type OptionProps = {
  id: string;
  option: PickerOption;
  /** Place among all options, from 1. */
  place: number;
  count: number;
  reason: string | null;
  isActive: boolean;
  isChosen: boolean;
  isMarkable: boolean;
  isFavorite: boolean;
  onPoint: () => void;
  onTake: () => void;
  onFavorite: (model: string) => void;
  onHide: (model: string) => void;
};

/** One row of the list that can be chosen. */
export function Option(props: OptionProps) {
  const { id, place, count, reason, isActive, isChosen, onPoint, onTake } = props;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and the keys, as a combobox does.
    // biome-ignore lint/a11y/useFocusableInteractive: see above; the field names the active option.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={reason === null ? undefined : true}
      aria-setsize={count}
      aria-posinset={place}
      onPointerMove={onPoint}
      onClick={onTake}
      className={classNames(
        'group flex min-h-9 cursor-pointer items-center gap-2 rounded-sm px-2 py-1 max-md:min-h-11',
        isActive && 'bg-hover',
        reason !== null && 'text-muted-foreground',
      )}
    >
      <OptionContent {...props} />
    </div>
  );
}

function OptionContent(props: OptionProps) {
  const { option, reason, isChosen, isMarkable } = props;
  const Box = isChosen ? SquareCheck : Square;
  if (option.kind === 'fold')
    return (
      <span className="flex items-center gap-1.5 text-muted-foreground text-sm">
        <ChevronDown aria-hidden className="size-4" />
        {option.text}
      </span>
    );
  if (option.kind === 'extra') {
    const { label, look, note } = option.option;
    return (
      <>
        {look && <AssistantAvatar {...look} />}
        <Text label={<bdi>{label}</bdi>} below={note && <Below>{note}</Below>} />
        <Check aria-hidden className={classNames('size-4 shrink-0', !isChosen && 'invisible')} />
      </>
    );
  }
  const { model, reference } = option;
  return (
    <>
      {isMarkable && <Box aria-hidden className="size-4 shrink-0 text-muted-foreground" />}
      <Text
        label={
          <span className="inline-flex max-w-full flex-wrap items-center gap-x-2">
            <Name id={modelIdOf(reference)} /> {model && <RetirementBadge model={model} />}
            {model && model.goodFor !== null && <Facts model={model} />}
          </span>
        }
        below={
          <>
            {model && <BelowName model={model} />}
            {reason !== null && <Below>{reason}</Below>}
          </>
        }
      />
      {model && <Prices price={model.price} />}
      <RowButtons {...props} reference={reference} isHidden={option.isHidden} />
      {!isMarkable && <Check aria-hidden className={classNames('size-4 shrink-0', !isChosen && 'invisible')} />}
    </>
  );
}

/** Names of tuned models are cut in the middle: the base before, and the suffix after, tell them apart. */
function Name({ id }: { id: string }) {
  const [head, tail] = splitTunedName(id);
  if (tail === '') return <bdi className="font-mono text-sm">{id}</bdi>;
  return (
    <bdi title={id} className="flex min-w-0 max-w-full font-mono text-sm">
      <span className="sr-only">{id}</span>
      <span aria-hidden className="min-w-[11ch] shrink-99 truncate">
        {head}
      </span>
      <span aria-hidden className="min-w-0 truncate">
        {tail}
      </span>
    </bdi>
  );
}

const Below = ({ children }: { children: ReactNode }) => (
  <span className="wrap-anywhere block text-muted-foreground text-xs">{children}</span>
);

const Text = ({ label, below }: { label: ReactNode; below: ReactNode }) => (
  <span className="min-w-0 flex-1">
    <span className="wrap-anywhere block">{label}</span>
    {below}
  </span>
);

type RowButtonsProps = OptionProps & { reference: string; isHidden: boolean };

/** For the pointer only: an option of a list has no controls of its own. The keyboard has them below the list. */
function RowButtons({ reference, isHidden, isFavorite, isActive, onFavorite, onHide }: RowButtonsProps) {
  const button = 'inline-flex size-7 items-center justify-center rounded-sm hover:bg-active max-md:size-9';
  const quiet = classNames('text-muted-foreground', !isActive && 'md:opacity-0 md:group-hover:opacity-100');
  const press = (act: (model: string) => void) => (event: { stopPropagation: () => void }) => {
    event.stopPropagation();
    act(reference);
  };
  const HideIcon = isHidden ? Eye : EyeOff;
  return (
    <span aria-hidden="true" className="-my-1 flex shrink-0">
      <Press
        title={isFavorite ? 'Remove from favorites' : 'Favorite'}
        onPress={press(onFavorite)}
        className={classNames(button, isFavorite ? 'text-warning-text' : quiet)}
      >
        <Star className={classNames('size-4', isFavorite && 'fill-current')} />
      </Press>
      <Press title={isHidden ? 'Show again' : 'Hide'} onPress={press(onHide)} className={classNames(button, quiet)}>
        <HideIcon className="size-4" />
      </Press>
    </span>
  );
}

type PressProps = {
  title: string;
  onPress: (event: { stopPropagation: () => void }) => void;
  className: string;
  children: ReactNode;
};

const Press = ({ onPress, ...rest }: PressProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: see above
  // biome-ignore lint/a11y/noStaticElementInteractions: see above
  <span {...rest} onClick={onPress} />
);
