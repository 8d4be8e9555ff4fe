import { type FormEvent, useId, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { Select } from '#web/ui/select.tsx';
import { SpinnerPanel } from '#web/ui/spinner.tsx';
import { answererLabel, findAnswerer, useAnswerers } from './use-assistants.ts';

type StartChatDialogProps = {
  onOpenChange: (open: boolean) => void;
  onStart: (assistantId: number | null) => void;
};

const withoutAssistant = 'none';

export function StartChatDialog({ onOpenChange, onStart }: StartChatDialogProps) {
  const formId = useId();
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      size="sm"
      title="Start New Chat"
      description="Choose who answers. It can be changed later."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary">
            Start Chat
          </Button>
        </>
      }
    >
      <AssistantForm formId={formId} onStart={onStart} />
    </Dialog>
  );
}

function AssistantForm({ formId, onStart }: { formId: string; onStart: (assistantId: number | null) => void }) {
  const known = useAnswerers();
  const [chosen, setChosen] = useState<string | null>(null);
  if (!known) return <SpinnerPanel label="Loading the assistants" className="min-h-24" />;
  const asValue = (id: number | null) => (id === null ? withoutAssistant : String(id));
  const value = chosen ?? asValue(known.defaultAnswerer.assistantId);
  const assistantId = value === withoutAssistant ? null : Number(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStart(assistantId);
  };
  return (
    <form id={formId} onSubmit={submit}>
      <Field
        label="Assistant"
        hint={
          assistantId === null
            ? 'The model answers without instructions.'
            : findAnswerer(known.answerers, assistantId)?.description
        }
      >
        {(control) => (
          <Select {...control} data-autofocus value={value} onChange={(event) => setChosen(event.target.value)}>
            {known.answerers.map((answerer) => (
              <option key={asValue(answerer.assistantId)} value={asValue(answerer.assistantId)}>
                {answererLabel(answerer)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </form>
  );
}
