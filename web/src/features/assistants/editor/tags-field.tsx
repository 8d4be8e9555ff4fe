import { tagCountLimit } from '@roster/contracts/assistants/assistants';
import { useState } from 'react';
import type { AssistantForm } from '#web/features/assistants/fields/use-assistant-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Input } from '#web/ui/forms/input.tsx';

/** Splits at commas. */
const tagsIn = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** Tags, separated by commas. */
export function TagsField({ form }: { form: AssistantForm }) {
  const { errors, defaultValues, isSubmitted } = form.formState;
  const stored = (defaultValues?.tags ?? []).join(', ');
  const problem = errors.tags;
  const message = problem?.message ?? (Array.isArray(problem) ? problem.find(Boolean)?.message : undefined);
  return <Line key={stored} error={message} form={form} shouldValidate={isSubmitted} />;
}

type LineProps = { form: AssistantForm; error: string | undefined; shouldValidate: boolean };

function Line({ form, error, shouldValidate }: LineProps) {
  const [text, setText] = useState(() => (form.getValues('tags') ?? []).join(', '));
  return (
    <Field label="Tags" hint={`Separate with commas, at most ${tagCountLimit}.`} error={error}>
      {(control) => (
        <Input
          {...control}
          value={text}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => {
            setText(value);
            form.setValue('tags', tagsIn(value), { shouldDirty: true, shouldValidate });
          }}
        />
      )}
    </Field>
  );
}
