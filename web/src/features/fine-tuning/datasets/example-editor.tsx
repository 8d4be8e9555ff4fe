import type { DatasetExample } from '@roster/contracts/fine-tuning/datasets';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { isEnter } from '#web/lib/keyboard/enter-key.ts';
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

/** Texts of an example being edited; only changed ones are saved. */
function useExampleTexts({ datasetId, example, onClose }: ExampleEditorProps) {
  const [before] = useState(() => textsOf(example));
  const [texts, setTexts] = useState(before);
  const update = useUpdateExample(datasetId);
  const changed = names.filter((name) => texts[name] !== before[name]);
  const save = () => {
    if (changed.length === 0) return onClose();
    const change: Partial<Texts> = {};
    for (const name of changed) change[name] = texts[name] ?? '';
    update.mutate({ id: example.id, change }, { onSuccess: onClose });
  };
  return { texts, setTexts, hasChanged: changed.length > 0, save, update };
}

export function ExampleEditor(props: ExampleEditorProps) {
  const { onClose } = props;
  const { texts, setTexts, hasChanged, save, update } = useExampleTexts(props);
  const formId = useId();
  const problems: Record<string, string> = update.error instanceof ApiError ? (update.error.fields ?? {}) : {};
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (isEnter(event.nativeEvent) && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
    } else if (event.key === 'Escape' && !hasChanged) onClose();
  };
  const field = (name: keyof Texts, label: string, rows: number) => (
    <Field label={label} error={problems[name]}>
      {(control) => (
        <Textarea
          {...control}
          rows={rows}
          autoFocus={name === 'answer'}
          value={texts[name] ?? ''}
          onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
          className="field-sizing-content max-h-[60dvh]"
        />
      )}
    </Field>
  );
  return (
    <form id={formId} aria-label="Edit example" noValidate onSubmit={submit} onKeyDown={keyDown} className="space-y-4">
      {field('instructions', 'Instructions', 2)}
      {field('question', 'Question', 3)}
      {field('answer', texts.rejected === undefined ? 'Answer' : 'Better answer', 8)}
      {texts.rejected !== undefined && field('rejected', 'Worse answer', 6)}
      {update.error && Object.keys(problems).length === 0 && (
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
      <UnsavedChanges when={hasChanged && !update.isSuccess} what="this example" />
    </form>
  );
}
