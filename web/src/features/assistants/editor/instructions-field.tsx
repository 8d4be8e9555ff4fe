import { importedInstructionsLimit, instructionsLimit } from '@roster/contracts/assistants/assistants';
import { fillInstructions } from '@roster/contracts/assistants/variables';
import { codePointLength } from '@roster/contracts/text/length';
import { useState } from 'react';
import { InsertVariable, useInsertion, VariableNotes } from '#web/components/instructions/instruction-variables.tsx';
import { type AssistantForm, useFormValues } from '#web/features/assistants/fields/use-assistant-form.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';

type InstructionsFieldProps = {
  form: AssistantForm;
  isLong: boolean;
  onLongChange: (isLong: boolean) => void;
};

/** Instructions with room, variables, a preview, and a limit that can be raised. */
export function InstructionsField({ form, isLong, onLongChange }: InstructionsFieldProps) {
  const [isPreview, setPreview] = useState(false);
  const text = form.watch('instructions') ?? '';
  const length = codePointLength(text);
  const values = useFormValues(form);
  const { field, insert } = useInsertion(form.register('instructions'));
  return (
    <div className="grid gap-3">
      <Field
        label="Instructions"
        hint="How it should behave. Sent with every message. Markdown helps models to see the structure."
        error={form.formState.errors.instructions?.message}
        counter={{ value: length, max: isLong ? importedInstructionsLimit : instructionsLimit }}
        aside={
          <span className="flex flex-wrap justify-end gap-1">
            {!isPreview && <InsertVariable values={values} onInsert={insert} />}
            <Button variant="ghost" size="sm" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
              {isPreview ? 'Edit' : 'Preview'}
            </Button>
          </span>
        }
      >
        {(control) => (
          <>
            <Textarea
              {...control}
              {...field}
              rows={16}
              hidden={isPreview}
              className={isPreview ? 'hidden!' : undefined}
            />
            {isPreview && <Preview text={fillInstructions(text, values)} />}
          </>
        )}
      </Field>
      <VariableNotes text={text} values={values} />
      <LongSwitch isLong={isLong} length={length} onChange={onLongChange} />
    </div>
  );
}

function Preview({ text }: { text: string }) {
  return (
    <section aria-label="Preview of the instructions" className="min-h-80 rounded-md border border-border px-3 py-2">
      {text.trim() === '' ? (
        <p className="text-muted-foreground">Nothing to preview yet.</p>
      ) : (
        <AnswerText text={text} live={false} />
      )}
    </section>
  );
}

type LongSwitchProps = { isLong: boolean; length: number; onChange: (isLong: boolean) => void };

function LongSwitch({ isLong, length, onChange }: LongSwitchProps) {
  return (
    <Switch
      label="Long instructions"
      description={`Up to ${formatNumber(importedInstructionsLimit)} characters instead of ${formatNumber(instructionsLimit)}. They are sent and billed as input with every message.`}
      checked={isLong}
      // Turning it off must not make the text too long.
      disabled={isLong && length > instructionsLimit}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}
