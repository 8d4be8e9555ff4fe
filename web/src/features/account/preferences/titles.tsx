import { cheapestTitleModel, type ModelList, titleCost } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { modelName } from '#web/api/model-names.ts';
import { allModels, findModel, modelsQuery } from '#web/api/models.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';

const automatic = 'automatic';
const firstWords = 'first-words';
/** Prefix of a model id, which may be any text. */
const chosen = 'model:';

const choiceOf = (model: string | null) => (model === null ? automatic : model === '' ? firstWords : chosen + model);

function modelOf(choice: string): string | null {
  if (choice === automatic) return null;
  return choice === firstWords ? '' : choice.slice(chosen.length);
}

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
  const offered = allModels(data)
    .filter(({ lifecycle }) => lifecycle !== 'gone')
    .map(({ id }) => id);
  const all = model && !offered.includes(model) ? [model, ...offered] : offered;
  return (
    <Field
      label="Conversation titles"
      hint={`${data ? costOf(model, data) : ''} Conversations started by programs are always named after their first words.`.trim()}
    >
      {(control) => (
        <Select {...control} value={choiceOf(model)} onChange={({ target }) => onChange(modelOf(target.value))}>
          <option value={automatic}>Automatic: the cheapest model</option>
          <option value={firstWords}>First words only</option>
          <optgroup label="Always this model">
            {all.map((id) => (
              <option key={id} value={chosen + id}>
                {modelName(id)}
              </option>
            ))}
          </optgroup>
        </Select>
      )}
    </Field>
  );
}
