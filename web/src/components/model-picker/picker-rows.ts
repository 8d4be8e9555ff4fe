import type { ModelChoices } from '@roster/contracts/models/model-choices';
import { modelIdOf, modelReference } from '@roster/contracts/models/model-reference';
import { type Model, type ModelList, wellKnownModels } from '@roster/contracts/models/models';
import { modelName } from '#web/api/model-names.ts';
import type { AssistantAppearance } from '#web/components/assistant-avatar.tsx';

/** An option that is no model of the list: an assistant, a version, 'Automatic'. */
type ExtraOption = {
  id: string;
  label: string;
  look?: (AssistantAppearance & { always?: boolean }) | undefined;
  note?: string | undefined;
  isChosen: boolean;
  onTake: () => void;
};
export type ExtraGroup = { title: string; options: readonly ExtraOption[] };

export type PickerRow =
  | { kind: 'title' | 'note'; id: string; text: string }
  | { kind: 'extra'; id: string; option: ExtraOption }
  | { kind: 'model'; id: string; reference: string; model: Model | undefined; isHidden: boolean }
  | { kind: 'fold'; id: string; text: string };

export type PickerOption = Exclude<PickerRow, { kind: 'title' | 'note' }>;

export const isOption = (row: PickerRow): row is PickerOption => row.kind !== 'title' && row.kind !== 'note';

export type Offer = {
  list: ModelList | undefined;
  choices: ModelChoices;
  extras: readonly ExtraGroup[];
  /** Models that are left out. */
  without: readonly string[];
  text: string;
  /** Ids of the folds that are open. */
  open: ReadonlySet<string>;
  /** Always offered in its group. */
  current: string | null;
  providerName: string;
};

type Place = {
  key: string;
  title: string;
  models: readonly Model[];
  /** Everything that is listed at the same place. */
  all: readonly Model[];
  notice: string | null;
  connectionId: number | null;
};

const datePattern = /[-@](?:20\d\d-?\d\d-?\d\d|\d{4})$/;

const foldable = new WeakMap<readonly Model[], ReadonlySet<string>>();

/** Retiring and retired models, and snapshots whose undated name is in the list too. Kept, since lists may be long. */
function foldableIn(models: readonly Model[]): ReadonlySet<string> {
  const known = foldable.get(models);
  if (known) return known;
  const ids = new Set(models.map(({ id }) => id));
  const found = new Set<string>();
  for (const { id, lifecycle } of models) {
    const base = id.slice(0, datePattern.exec(id)?.index ?? 0);
    if (lifecycle !== 'current' || (base !== '' && (ids.has(base) || ids.has(`${base}-latest`)))) found.add(id);
  }
  foldable.set(models, found);
  return found;
}

function placesOf({ list, providerName }: Offer): Place[] {
  if (!list) return [];
  const { models, connections, notice } = list;
  const own = { connectionId: null, notice: null, all: models };
  return [
    { ...own, key: 'tuned', title: 'Fine-tuned', models: models.filter(({ tuned }) => tuned) },
    {
      ...own,
      key: 'own',
      title: connections.length > 0 ? providerName : 'Your models',
      models: models.filter(({ tuned }) => !tuned),
      notice,
    },
    ...connections.map((one) => ({
      ...one,
      key: `connection-${one.id}`,
      title: one.name,
      connectionId: one.id,
      all: one.models,
    })),
  ];
}

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

const modelRow = (model: Model, isHidden = false): PickerRow => ({
  kind: 'model',
  id: `model-${model.id}`,
  reference: model.id,
  model,
  isHidden,
});

const titled = (id: string, text: string, rows: readonly PickerRow[]): PickerRow[] =>
  rows.length === 0 ? [] : [{ kind: 'title', id: `title-${id}`, text }, ...rows];

const typedRow = (reference: string): PickerRow => ({
  kind: 'model',
  id: `model-${reference}`,
  reference,
  model: undefined,
  isHidden: false,
});

/** The id that was typed, where the list is unknown and any may be valid. */
function typedRows({ text, list }: Offer, { key, connectionId, models, notice }: Place): PickerRow[] {
  const typed = text.trim();
  if (typed === '' || /\s/.test(typed) || key === 'tuned') return [];
  if (connectionId === null ? list?.source !== 'unknown' : notice === null) return [];
  const reference = modelReference({ connectionId, model: typed });
  return models.some(({ id }) => id === reference) ? [] : [typedRow(reference)];
}

/** Dated, retiring and retired models are folded, unless there is nothing else. */
function foldedRows(offer: Offer, place: Place, models: readonly Model[]): PickerRow[] {
  const ids = foldableIn(place.all);
  const { first = [], last = [] } = Object.groupBy(models, ({ id }) =>
    ids.has(id) && id !== offer.current ? 'last' : 'first',
  );
  if (offer.text.trim() !== '' || first.length === 0 || last.length === 0)
    return models.map((model) => modelRow(model));
  const id = `fold-${place.key}`;
  const what = last.every(({ lifecycle }) => lifecycle === 'current') ? 'dated' : 'dated or retiring';
  const noun = last.length === 1 ? 'model' : 'models';
  const isOpen = offer.open.has(id);
  const fold: PickerRow = { kind: 'fold', id, text: `${isOpen ? 'Hide' : 'Show'} ${last.length} ${what} ${noun}` };
  return [...first.map((model) => modelRow(model)), fold, ...(isOpen ? last.map((model) => modelRow(model)) : [])];
}

const noticeRow = ({ key, notice, connectionId }: Place): PickerRow[] =>
  notice === null
    ? []
    : [
        {
          kind: 'note',
          id: `note-${key}`,
          text: connectionId === null ? notice : `${notice} Type the id of a model above to use it.`,
        },
      ];

/** Everything the picker shows, from top to bottom. */
export function pickerRows(offer: Offer): PickerRow[] {
  const { list, choices, extras, without, text, open } = offer;
  const words = wordsOf(text);
  const matches = (said: string) => words.every((word) => said.toLowerCase().includes(word));
  const isFound = ({ id, goodFor }: Model, title: string) =>
    words.length === 0 || matches(`${modelIdOf(id)} ${title} ${goodFor ?? ''}`);
  const hidden = new Set(choices.hidden);
  const left = new Set(without);
  const places = placesOf(offer);
  const found = new Map<string, Model>();
  const away: Model[] = [];
  for (const { models, title } of places)
    for (const model of models) {
      if (left.has(model.id) || !isFound(model, title)) continue;
      if (hidden.has(model.id) && model.id !== offer.current) away.push(model);
      else found.set(model.id, model);
    }
  const take = (id: string): PickerRow[] => {
    const model = found.get(id);
    found.delete(id);
    return model ? [modelRow(model)] : [];
  };
  const favorites = choices.favorites.flatMap(take);
  const recent = choices.recent.flatMap(take);
  const known = list ? [] : wellKnownModels.filter(matches).map(typedRow);
  return [
    ...extras.flatMap(({ title, options }) =>
      titled(
        title,
        title,
        options
          .filter(({ label, note = '' }) => matches(`${label} ${note}`))
          .map((option) => ({ kind: 'extra', id: `extra-${option.id}`, option })),
      ),
    ),
    ...titled('favorites', 'Favorites', favorites),
    ...titled('recent', 'Recently used', recent),
    ...titled('known', 'Models', known),
    ...places.flatMap((place) =>
      titled(place.key, place.title, [
        ...foldedRows(
          offer,
          place,
          place.models.filter(({ id }) => found.has(id)),
        ),
        ...typedRows(offer, place),
        ...noticeRow(place),
      ]),
    ),
    ...hiddenRows(away, open.has('fold-hidden')),
  ];
}

function hiddenRows(away: readonly Model[], isOpen: boolean): PickerRow[] {
  if (away.length === 0) return [];
  const text = isOpen ? 'Close hidden models' : `Show hidden (${away.length})`;
  return [{ kind: 'fold', id: 'fold-hidden', text }, ...(isOpen ? away.map((model) => modelRow(model, true)) : [])];
}

/** As people search and hear it. */
export const optionLabel = (option: PickerOption): string => {
  if (option.kind === 'extra') return option.option.label;
  return option.kind === 'fold' ? option.text : modelName(option.reference);
};
