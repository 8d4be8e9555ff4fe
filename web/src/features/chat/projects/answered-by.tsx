import { useQuery } from '@tanstack/react-query';
import { assistantsQuery } from '#web/api/assistants.ts';
import { ModelSelect } from '#web/components/model-select.tsx';
import type { Choice } from '#web/features/chat/shared/use-assistants.ts';
import { Field } from '#web/ui/forms/field.tsx';

type AnsweredByProps = Choice & { error: string | undefined; onChoose: (choice: Choice) => void };

/** The assistant or model that answers in a project's new conversations. */
export function AnsweredBy({ error, onChoose, ...choice }: AnsweredByProps) {
  const assistants = useQuery(assistantsQuery).data ?? [];
  const { assistantId, model } = choice;
  const usual = {
    id: 'usual',
    label: 'The usual assistant or model',
    isChosen: assistantId === null && model === null,
    onTake: () => onChoose({ assistantId: null, model: null }),
  };
  const named = assistants.map(({ id, name, icon, color }) => ({
    id: `assistant-${id}`,
    label: name,
    look: { name, icon, color },
    isChosen: assistantId === id,
    onTake: () => onChoose({ assistantId: id, model: null }),
  }));
  return (
    <Field label="New conversations are answered by" hint="You can choose another for each conversation." error={error}>
      {(control) => (
        <ModelSelect
          control={control}
          value={model ?? ''}
          extras={[
            { title: 'Usual', options: [usual] },
            { title: 'Assistants', options: named },
          ]}
          onChange={(chosen) => onChoose({ assistantId: null, model: chosen })}
        />
      )}
    </Field>
  );
}
