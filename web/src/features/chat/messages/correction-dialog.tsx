import { correctionLimit, type Message } from '@roster/contracts/chat';
import { isBlank } from '@roster/contracts/text/blank';
import { codePointLength } from '@roster/contracts/text/length';
import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Textarea } from '#web/ui/forms/textarea.tsx';
import { useRating } from './rating-mutation.ts';

/** The counter comes when the limit is near. */
const countedFrom = correctionLimit * 0.9;

function problemOf(text: string, answer: string): string | undefined {
  if (isBlank(text)) return 'Write how the answer should have read.';
  if (text.trim() === answer.trim()) return 'This is the answer as it was. Change it, or rate it good.';
  if (codePointLength(text) > correctionLimit) return 'The correction cannot exceed 100000 characters';
  return undefined;
}

export type CorrectionDialogProps = { message: Message; onClose: () => void };

/** How an answer should have read, in the reader's words. */
export function CorrectionDialog({ message, onClose }: CorrectionDialogProps) {
  const before = message.rating?.correction ?? message.text;
  const [text, setText] = useState(before);
  const [problem, setProblem] = useState<string>();
  const rating = useRating(message);
  const length = codePointLength(text);
  const submit = () => {
    const found = problemOf(text, message.text);
    setProblem(found);
    if (!found) rating.mutate({ correction: text }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      size="lg"
      title="Improve this answer"
      description="Write how it should have read. The conversation stays as it is; the corrected answer is what a model learns from when you gather your chats into a dataset."
      action={['Save Correction', 'Saving...']}
      busy={rating.isPending}
      onSubmit={submit}
      onClose={onClose}
      unsaved={{
        when: text !== before && !rating.isSuccess,
        what: 'your correction',
        question: {
          title: 'Discard your correction?',
          description: 'What you have written has not been saved.',
          confirmLabel: 'Discard',
        },
      }}
    >
      <Field
        label="Corrected answer"
        error={problem}
        hint="Ctrl+Enter saves."
        counter={length > countedFrom ? { value: length, max: correctionLimit } : undefined}
      >
        {(control) => (
          <Textarea
            {...control}
            data-autofocus
            value={text}
            rows={14}
            onChange={(event) => {
              setText(event.target.value);
              setProblem(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
            className="max-h-[60dvh] min-h-40"
          />
        )}
      </Field>
    </FormDialog>
  );
}
