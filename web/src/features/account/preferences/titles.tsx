import { cheapestTitleModel, type ModelList, titleCost } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { modelName } from '#web/api/model-names.ts';
import { findModel, modelsQuery } from '#web/api/models.ts';
import { ModelSelect } from '#web/components/model-select.tsx';
import { formatCost } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';

/** Describes what titles cost with this choice. */
function costOf(model: string | null, list: ModelList): string {
  if (model === '') return 'Titles are the first words of a conversation and cost nothing.';
  const asked = model === null ? cheapestTitleModel(list.models) : findModel(list, model);
  if (!asked && model === null) return 'No prices are known, so the conversation’s own model is asked.';
  const cost = titleCost(asked?.price ?? null);
  const name = modelName(asked?.id ?? model ?? '');
  return cost === null
    ? `${name} is asked once for each new conversation. No price is known for it.`
    : `${name} is asked once for each new conversation, at about ${formatCost(cost)}.`;
}

type TitlesProps = { model: string | null; onChange: (model: string | null) => void };

/** Model that names new conversations, and its cost. */
export function Titles({ model, onChange }: TitlesProps) {
  const { data } = useQuery(modelsQuery);
  const extra = (label: string, value: string | null) => ({
    id: label,
    label,
    isChosen: model === value,
    onTake: () => onChange(value),
  });
  return (
    <Field
      label="Conversation titles"
      hint={`${data ? costOf(model, data) : ''} Conversations started by programs are always named after their first words.`.trim()}
    >
      {(control) => (
        <ModelSelect
          control={control}
          value={model ?? ''}
          extras={[
            {
              title: 'No particular model',
              options: [extra('Automatic: the cheapest model', null), extra('First words only', '')],
            },
          ]}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
