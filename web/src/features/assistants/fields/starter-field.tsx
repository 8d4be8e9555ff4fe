import { starterCountLimit } from '@roster/contracts/assistants/avatar';
import { useState } from 'react';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import type { AssistantForm } from './use-assistant-form.ts';

const linesOf = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Conversation starters, one per line. */
export function StarterField({ form }: { form: AssistantForm }) {
  const { errors, defaultValues } = form.formState;
  const stored = (defaultValues?.starters ?? []).join('\n');
  // Remount when the stored value changes.
  return <Lines key={stored} form={form} error={messageIn(errors.starters)} />;
}

type Problem = { message?: string | undefined };

/** Error of the list, or of its first invalid line. */
function messageIn(problem: (Problem & { [index: number]: Problem | undefined }) | undefined): string | undefined {
  return problem?.message ?? (Array.isArray(problem) ? problem.find((line) => line)?.message : undefined);
}

function Lines({ form, error }: { form: AssistantForm; error: string | undefined }) {
  const [text, setText] = useState(() => (form.getValues('starters') ?? []).join('\n'));
  const change = (next: string) => {
    setText(next);
    form.setValue('starters', linesOf(next), { shouldDirty: true, shouldValidate: form.formState.isSubmitted });
  };
  return (
    <Field
      label="Conversation starters"
      hint={`Suggested first questions, one per line, at most ${starterCountLimit}.`}
      error={error}
    >
      {(control) => (
        <Textarea {...control} value={text} onChange={(event) => change(event.currentTarget.value)} rows={3} />
      )}
    </Field>
  );
}
