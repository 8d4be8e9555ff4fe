import { type Model, type ModelList, type Price, wellKnownModels } from '@roster/contracts/models/models';
import type { AssistantAppearance } from '#web/components/assistant-avatar.tsx';
import type { ChatTarget, Choice } from '#web/features/chat/shared/use-assistants.ts';
import { formatCost, formatLongDate } from '#web/lib/text/format.ts';

export type ChatTargetOption = {
  id: string;
  choice: Choice;
  label: string;
  /** The label is a model id, not user text. */
  isModel: boolean;
  /** Icon and color of an assistant. */
  look: AssistantAppearance | null;
  /** Below the label: an assistant's model, or a retirement date. */
  note: string | null;
  /** '$2.50 in · $10.00 out'; null if unknown. */
  cost: string | null;
  /** Reason why it cannot be selected. */
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
  if (lifecycle === 'gone') return { note: null, disabledReason: `Retired${day === null ? '' : ` on ${day}`}.${next}` };
  if (lifecycle === 'ending')
    return { note: `Retires ${day === null ? 'soon' : `on ${day}`}.${next}`, disabledReason: null };
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
  { assistantId, name, model, icon, color }: ChatTarget,
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
    // Still selectable: its answers fail with the reason, and the model is changed in Settings.
    note: [model, known?.lifecycle === 'current' ? null : (life?.disabledReason ?? life?.note)]
      .filter((part) => typeof part === 'string')
      .join(' · '),
    cost: model === null ? null : priceInWords(known?.price),
    disabledReason: null,
  };
}

type Offer = { chatTargets: readonly ChatTarget[]; models: ModelList | undefined; text: string; modelsOnly: boolean };

/** Assistants and models, filtered by what was typed. */
export function chatTargetOptions({ chatTargets, models, text, modelsOnly }: Offer): OptionGroup[] {
  const isKnown = models?.source === 'provider';
  const list = models?.models ?? [];
  // If the list cannot be loaded, offer the models of the catalogue.
  const ids = models ? list.map(({ id }) => id) : [...wellKnownModels];
  const options = ids.map((id) => {
    const model = list.find((one) => one.id === id);
    return { model, option: modelOption(id, model) };
  });
  const of = (belongs: (model: Model | undefined) => boolean) =>
    options.filter(({ model }) => belongs(model)).map(({ option }) => option);
  const isGone = (model: Model | undefined) => model?.lifecycle === 'gone';
  const whole = modelsOnly ? [] : chatTargets.map((one) => assistantOption(one, models));
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
    { title: 'Retired', options: of(isGone) },
  ]
    .map(({ title, options }) => ({
      title,
      options: options.filter(({ label, note }) =>
        words.every((word) => `${label} ${note ?? ''}`.toLowerCase().includes(word)),
      ),
    }))
    .filter(({ options }) => options.length > 0);
  const typed = text.trim();
  // While the key's models are unknown, any id may be valid.
  const isNew = !isKnown && typed !== '' && !/\s/.test(typed) && !ids.includes(typed);
  return isNew ? [...groups, { title: 'Another model', options: [modelOption(typed, undefined)] }] : groups;
}
