import { parallelModelLimit } from '@roster/contracts/chat';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useModelChoices } from '#web/api/model-choices.ts';
import { modelsQuery } from '#web/api/models.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { type ExtraGroup, isOption, optionLabel, type PickerOption, pickerRows } from './picker-rows.ts';

export type ModelPickerProps = {
  anchor: () => HTMLElement | null;
  label: string;
  /** The edge that it shares with its button. */
  align?: 'start' | 'end' | undefined;
  /** The chosen model; null: none. */
  current: string | null;
  onChoose: (model: string) => void;
  /** Options above the models. */
  extras?: readonly ExtraGroup[] | undefined;
  /** Models that are not offered. */
  without?: readonly string[] | undefined;
  /** Enables sending to several models; those chosen so far. */
  modelSelection?: { models: readonly string[]; onChoose: (models: string[]) => void } | undefined;
  /** Begins with these models marked. */
  begin?: readonly string[] | undefined;
  onClose: (returnFocus: boolean) => void;
};

const noExtras: readonly ExtraGroup[] = [];
const nothing: readonly string[] = [];

/** Why an option cannot be chosen. */
function lifeReason(option: PickerOption): string | null {
  if (option.kind !== 'model' || option.model?.lifecycle !== 'gone') return null;
  const { shutdownDate } = option.model;
  return shutdownDate === null ? 'Retired.' : `Retired on ${formatLongDate(shutdownDate)}.`;
}

function toggledIn(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** The rows that match what was typed, the marked models, and what choosing does. */
export function usePicker(props: ModelPickerProps) {
  const { current, onChoose, extras = noExtras, without = nothing, modelSelection, begin, onClose } = props;
  const { data: list } = useQuery(modelsQuery);
  const { choices, remember, toggleFavorite, toggleHidden } = useModelChoices();
  const providerName = useProviderName();
  const [text, setText] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const already = modelSelection?.models.length ? modelSelection.models : (begin ?? null);
  /** Marked models; null while a single one is chosen. */
  const [marked, setMarked] = useState<readonly string[] | null>(already);
  const shownExtras = marked === null ? extras : noExtras;
  const rows = useMemo(
    () => pickerRows({ list, choices, extras: shownExtras, without, text, open, current, providerName }),
    [list, choices, shownExtras, without, text, open, current, providerName],
  );
  const options = useMemo(() => rows.filter(isOption), [rows]);
  const isFull = marked !== null && marked.length >= parallelModelLimit;
  const reasonOf = (option: PickerOption) =>
    lifeReason(option) ??
    (isFull && option.kind === 'model' && !marked.includes(option.reference)
      ? `You can choose at most ${parallelModelLimit} models.`
      : null);
  const isChosen = (option: PickerOption) => {
    if (option.kind === 'extra') return option.option.isChosen;
    if (option.kind === 'fold') return false;
    return marked === null ? option.reference === current : marked.includes(option.reference);
  };
  const take = (option: PickerOption | undefined) => {
    if (!option || reasonOf(option) !== null) return;
    if (option.kind === 'fold') return setOpen(toggledIn(open, option.id));
    if (option.kind === 'model' && marked !== null) {
      const { reference } = option;
      return setMarked(marked.includes(reference) ? marked.filter((id) => id !== reference) : [...marked, reference]);
    }
    if (option.kind === 'model') remember(option.reference);
    onClose(true);
    queueMicrotask(() => (option.kind === 'model' ? onChoose(option.reference) : option.option.onTake()));
  };
  return {
    ...{ text, setText, rows, options, marked, setMarked, choices, toggleFavorite, toggleHidden },
    ...{ reasonOf, isChosen, take, remember },
    first:
      options.find((option) => (text === '' ? isChosen(option) : optionLabel(option) === text.trim())) ?? options[0],
    searched: shownExtras.some(({ title }) => title === 'Assistants')
      ? 'Search assistants and models'
      : 'Search models',
    none: list ? `Nothing found for “${text.trim()}”` : 'Loading the models…',
  };
}

export type Picker = ReturnType<typeof usePicker>;
