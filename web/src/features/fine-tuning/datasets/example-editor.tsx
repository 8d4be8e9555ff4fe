import { type DatasetExample, ExampleTexts } from '@roster/contracts/fine-tuning/datasets';
import { type KeyboardEvent, useId, useState } from 'react';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFieldErrors } from '#web/lib/form-errors.ts';
import { isEnter } from '#web/lib/keyboard/enter-key.ts';
import { problemsSchema, useSchemaForm } from '#web/lib/schema-form.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { useUpdateExample } from './queries.ts';

type Texts = { instructions: string; question: string; answer: string; rejected?: string };

const textsOf = ({ instructions, turns, answer, rejected }: DatasetExample): Texts => ({
  instructions,
  question: turns.at(-1)?.text ?? '',
  answer,
  ...(rejected !== null && { rejected }),
});

type ExampleEditorProps = { datasetId: number; example: DatasetExample; onClose: () => void };

const names: readonly (keyof Texts)[] = ['instructions', 'question', 'answer', 'rejected'];

function changesOf(texts: Texts, before: Texts): Partial<Texts> {
  const changes: Partial<Texts> = {};
  for (const name of names) if (texts[name] !== before[name]) changes[name] = texts[name] ?? '';
  return changes;
}

function problemsOf(changes: Partial<Texts>) {
  const found: Partial<Record<keyof Texts, string>> = {};
  const { error } = ExampleTexts.safeParse(changes);
  for (const { path, message } of error?.issues ?? []) {
    const name = names.find((one) => one === path[0]);
    if (name) found[name] ??= message;
  }
  return found;
}

/** The form of an example; only changed texts are validated and saved. */
function useExampleForm({ datasetId, example, onClose }: ExampleEditorProps) {
  const [before] = useState(() => textsOf(example));
  const [schema] = useState(() => problemsSchema((texts: Texts) => problemsOf(changesOf(texts, before))));
  const form = useSchemaForm(schema, before);
  const update = useUpdateExample(datasetId);
  const save = form.handleSubmit((texts) => {
    const change = changesOf(texts, before);
    if (Object.keys(change).length === 0) return onClose();
    const onError = (error: Error) => void showFieldErrors(form, error);
    update.mutate({ id: example.id, change }, { onSuccess: onClose, onError });
  });
  return { form, save, update };
}

export function ExampleEditor(props: ExampleEditorProps) {
  const { example, onClose } = props;
  const { form, save, update } = useExampleForm(props);
  const { errors, isDirty } = form.formState;
  const formId = useId();
  const keyDown = (event: KeyboardEvent) => {
    if (isEnter(event.nativeEvent) && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save();
    } else if (event.key === 'Escape' && !isDirty) onClose();
  };
  const field = (name: keyof Texts, label: string, rows: number) => (
    <Field label={label} error={errors[name]?.message}>
      {(control) => (
        <Textarea
          {...control}
          {...form.register(name)}
          rows={rows}
          autoFocus={name === 'answer'}
          className="field-sizing-content max-h-[60dvh]"
        />
      )}
    </Field>
  );
  return (
    <form id={formId} aria-label="Edit example" noValidate onSubmit={save} onKeyDown={keyDown} className="space-y-4">
      {field('instructions', 'Instructions', 2)}
      {field('question', 'Question', 3)}
      {field('answer', example.rejected === null ? 'Answer' : 'Better answer', 8)}
      {example.rejected !== null && field('rejected', 'Worse answer', 6)}
      {update.error && Object.keys(errors).length === 0 && (
        <Notice tone="destructive" live title="Failed to save the example">
          {errorText(update.error, 'Please try again.')}
        </Notice>
      )}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="me-auto text-muted-foreground text-sm max-sm:hidden">
          Ctrl+Enter saves. The chat does not change.
        </p>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={update.isPending} pendingLabel="Saving...">
          Save
        </Button>
      </div>
      <UnsavedChanges when={isDirty && !update.isSuccess} what="this example" />
    </form>
  );
}
