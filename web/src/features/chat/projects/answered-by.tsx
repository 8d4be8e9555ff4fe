import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { modelName } from '#web/api/model-names.ts';
import { allModels, modelsQuery } from '#web/api/models.ts';
import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';

const nobody = 'default';
const optionOf = ({ assistantId, model }: Choice) => {
  if (assistantId !== null) return `assistant:${assistantId}`;
  return model === null ? nobody : `model:${model}`;
};

function choiceOf(value: string): Choice {
  const [kind, ...rest] = value.split(':');
  const id = rest.join(':');
  if (kind === 'assistant') return { assistantId: Number(id), model: null };
  return { assistantId: null, model: kind === 'model' ? id : null };
}

type AnsweredByProps = Choice & { error: string | undefined; onChoose: (choice: Choice) => void };

/** The assistant or model that answers in a project's new conversations. */
export function AnsweredBy({ error, onChoose, ...choice }: AnsweredByProps) {
  const assistants = useQuery(assistantsQuery).data ?? [];
  const models = allModels(useQuery(modelsQuery).data)
    .filter(({ lifecycle }) => lifecycle !== 'gone')
    .map(({ id }) => id);
  const { model } = choice;
  return (
    <Field label="New conversations are answered by" hint="You can choose another for each conversation." error={error}>
      {(control) => (
        <Select {...control} value={optionOf(choice)} onChange={({ target }) => onChoose(choiceOf(target.value))}>
          <option value={nobody}>The usual assistant or model</option>
          {assistants.length > 0 && (
            <optgroup label="Assistants">
              {assistants.map(({ id, name }) => (
                <option key={id} value={`assistant:${id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label="Models">
            {(model === null || models.includes(model) ? models : [model, ...models]).map((id) => (
              <option key={id} value={`model:${id}`}>
                {modelName(id)}
              </option>
            ))}
          </optgroup>
        </Select>
      )}
    </Field>
  );
}
