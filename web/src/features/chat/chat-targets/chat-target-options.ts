import { type Model, type ModelList, type Price, wellKnownModels } from '@roster/contracts/models/models';
import type { AssistantAppearance } from '#web/components/assistant-avatar.tsx';
import { formatCost, formatLongDate } from '#web/lib/format.ts';
import type { Answerer, Choice } from './use-chat-targets.ts';

export type ChatTargetOption = {
  id: string;
  choice: Choice;
  label: string;
  /** A model's name, not a person's words. */
  isModel: boolean;
  /** What an assistant looks like. */
  look: AssistantAppearance | null;
  /** Under the label: an assistant's model, when a model ends. */
  note: string | null;
  /** '$2.50 in · $10.00 out'; null: nothing to say about money. */
  cost: string | null;
  /** Why it cannot be chosen. */
  disabledReason: string | null;
};

export type OptionGroup = { title: string; options: ChatTargetOption[] };

export const priceInWords = (price: Price | null | undefined): string =>
  price
    ? `${formatCost(price.input)} in · ${formatCost(price.output)} out${price.family === null ? '' : ` (as ${price.family})`}`
    : 'no price known';

function lifeOf({ lifecycle, shutdownDate, successor }: Model): Pick<ChatTargetOption, 'note' | 'disabledReason'> {
  const day = shutdownDate === null ? null : formatLongDate(shutdownDate);
  const next = successor === null ? '' : ` Then ${successor}.`;
  if (lifecycle === 'gone')
    return { note: null, disabledReason: `Was shut down${day === null ? '' : ` on ${day}`}.${next}` };
  if (lifecycle === 'ending')
    return { note: `Shuts down ${day === null ? 'soon' : `on ${day}`}.${next}`, disabledReason: null };
  return { note: day === null ? null : `Until ${day}`, disabledReason: null };
}

const modelOption = (id: string, model: Model | undefined): ChatTargetOption => ({
  id: `model-${id}`,
  choice: { assistantId: null, model: id },
  label: id,
  isModel: true,
  look: null,
  cost: priceInWords(model?.price),
  ...(model ? lifeOf(model) : { note: null, disabledReason: null }),
});

function assistantOption(
  { assistantId, name, model, icon, color }: Answerer,
  list: ModelList | undefined,
): ChatTargetOption {
  const known = list?.models.find(({ id }) => id === model);
  const life = known && lifeOf(known);
  const isDefault = assistantId === null;
  return {
    id: `assistant-${assistantId ?? 'none'}`,
    choice: { assistantId, model: null },
    label: isDefault ? 'Default model' : name,
    isModel: false,
    look: { name, icon, color },
    // Its answers fail with the reason, as they do elsewhere: which model an assistant has is changed in Settings.
    note: [model, known?.lifecycle === 'current' ? null : (life?.disabledReason ?? life?.note)]
      .filter((part) => typeof part === 'string')
      .join(' · '),
    cost: model === null ? null : priceInWords(known?.price),
    disabledReason: null,
  };
}

type Offer = { answerers: readonly Answerer[]; models: ModelList | undefined; text: string; modelsOnly: boolean };

/** What a conversation can be answered by, narrowed by what was typed. */
export function chatTargetOptions({ answerers, models, text, modelsOnly }: Offer): OptionGroup[] {
  const isKnown = models?.source === 'provider';
  const list = models?.models ?? [];
  // Where the list cannot be read, the server says which models are offered all the same.
  const ids = models ? list.map(({ id }) => id) : [...wellKnownModels];
  const options = ids.map((id) => {
    const model = list.find((one) => one.id === id);
    return { model, option: modelOption(id, model) };
  });
  const of = (belongs: (model: Model | undefined) => boolean) =>
    options.filter(({ model }) => belongs(model)).map(({ option }) => option);
  const isGone = (model: Model | undefined) => model?.lifecycle === 'gone';
  const whole = modelsOnly ? [] : answerers.map((one) => assistantOption(one, models));
  const words = text.toLowerCase().split(/\s+/);
  const groups = [
    { title: 'Assistants', options: whole.filter(({ choice }) => choice.assistantId !== null) },
    {
      title: 'Your models',
      options: [
        ...whole.filter(({ choice }) => choice.assistantId === null),
        ...of((model) => !isGone(model) && !model?.tuned),
      ],
    },
    { title: 'Fine-tuned', options: of((model) => !isGone(model) && model?.tuned === true) },
    { title: 'Shut down', options: of(isGone) },
  ]
    .map(({ title, options }) => ({
      title,
      options: options.filter(({ label, note }) =>
        words.every((word) => `${label} ${note ?? ''}`.toLowerCase().includes(word)),
      ),
    }))
    .filter(({ options }) => options.length > 0);
  const typed = text.trim();
  // While nobody knows the key's models, any may be one of them.
  const isNew = !isKnown && typed !== '' && !/\s/.test(typed) && !ids.includes(typed);
  return isNew ? [...groups, { title: 'Another model', options: [modelOption(typed, undefined)] }] : groups;
}
