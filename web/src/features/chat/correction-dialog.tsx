import { correctionLimit, type Message } from '@roster/contracts/chat';
import { codePointLength } from '@roster/contracts/length';
import { type FormEvent, useId, useState } from 'react';
import { UnsavedChanges } from '#web/parts/unsaved-changes.tsx';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Textarea } from '#web/ui/textarea.tsx';
import { useRating } from './rating-mutation.ts';

/** The counter comes when the limit is near. */
const countedFrom = correctionLimit * 0.9;

function problemOf(text: string, answer: string): string | undefined {
  if (text.trim() === '') return 'Write how the answer should have read.';
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
  const [leaving, setLeaving] = useState(false);
  const rating = useRating(message);
  const formId = useId();
  const hasChanged = text !== before;
  const length = codePointLength(text);
  const close = () => (hasChanged ? setLeaving(true) : onClose());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = problemOf(text, message.text);
    setProblem(found);
    if (!found) rating.mutate({ correction: text }, { onSuccess: onClose });
  };
  return (
    <>
      <Dialog
        open
        onOpenChange={close}
        size="lg"
        title="Improve this answer"
        description="Write how it should have read. The conversation stays as it is; the corrected answer is what a model learns from when you gather your chats into a dataset."
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" form={formId} variant="primary" busy={rating.isPending} pendingLabel="Saving...">
              Save Correction
            </Button>
          </>
        }
      >
        <form id={formId} noValidate onSubmit={submit}>
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
                  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
                }}
                className="max-h-[60dvh] min-h-40"
              />
            )}
          </Field>
        </form>
      </Dialog>
      <ConfirmDialog
        open={leaving}
        onOpenChange={setLeaving}
        title="Discard your correction?"
        description="What you have written has not been saved."
        cancelLabel="Keep editing"
        confirmLabel="Discard"
        destructive
        onConfirm={onClose}
      />
      <UnsavedChanges when={hasChanged && !rating.isSuccess} what="your correction" />
    </>
  );
}
