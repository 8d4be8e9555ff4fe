import { correctionLimit, type Message } from '@roster/contracts/chat';
import { codePointLength } from '@roster/contracts/text/length';
import { requiredText } from '@roster/contracts/text/text';
import { useState } from 'react';
import { Controller, type ControllerRenderProps } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { useSchemaForm } from '#web/lib/schema-form.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { useRating } from './rating-mutation.ts';

/** Length from which the counter is shown. */
const countedFrom = correctionLimit * 0.9;

const CorrectionText = requiredText(
  correctionLimit,
  'The correction cannot exceed 100000 characters',
  'Enter the corrected answer.',
);
/** An unchanged answer is no correction. */
const correctionForm = (answer: string) =>
  z.object({
    correction: CorrectionText.refine(
      (text) => text.trim() !== answer.trim(),
      'This is the original answer. Edit it, or rate it as good.',
    ),
  });

export type CorrectionDialogProps = { message: Message; onClose: () => void };

/** Lets the user write how an answer should have read. */
export function CorrectionDialog({ message, onClose }: CorrectionDialogProps) {
  const [schema] = useState(() => correctionForm(message.text));
  const form = useSchemaForm(
    schema,
    { correction: message.rating?.correction ?? message.text },
    { shouldFocusError: false },
  );
  const { isDirty } = form.formState;
  const rating = useRating(message);
  const submit = form.handleSubmit((values) => rating.mutate(values, { onSuccess: onClose }));
  return (
    <FormDialog
      size="lg"
      title="Improve this answer"
      description="Write the answer you would have wanted. The conversation does not change; datasets made from your chats use the corrected answer."
      action={['Save Correction', 'Saving...']}
      busy={rating.isPending}
      onSubmit={submit}
      onClose={onClose}
      unsaved={{
        when: isDirty && !rating.isSuccess,
        what: 'the correction',
        question: {
          title: 'Discard your correction?',
          description: 'Your changes have not been saved.',
          confirmLabel: 'Discard',
        },
      }}
    >
      <Controller
        control={form.control}
        name="correction"
        rules={{ onChange: () => form.clearErrors('correction') }}
        render={({ field, fieldState }) => <CorrectionField field={field} error={fieldState.error?.message} />}
      />
    </FormDialog>
  );
}

type CorrectionFieldProps = {
  field: ControllerRenderProps<{ correction: string }, 'correction'>;
  error: string | undefined;
};

function CorrectionField({ field, error }: CorrectionFieldProps) {
  const length = codePointLength(field.value);
  return (
    <Field
      label="Corrected answer"
      error={error}
      hint="Ctrl+Enter saves."
      counter={length > countedFrom ? { value: length, max: correctionLimit } : undefined}
    >
      {(control) => (
        <Textarea
          {...control}
          {...field}
          data-autofocus
          rows={14}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          className="max-h-[60dvh] min-h-40"
        />
      )}
    </Field>
  );
}
