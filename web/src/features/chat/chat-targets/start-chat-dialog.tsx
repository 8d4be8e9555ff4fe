import { useState } from 'react';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { chatTargetLabel, findChatTarget, useChatTargets } from '#web/features/chat/shared/use-assistants.ts';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

type StartChatDialogProps = {
  onOpenChange: (open: boolean) => void;
  onStart: (assistantId: number | null) => void;
};

const withoutAssistant = 'none';

/** Disabled until the assistants are loaded. */
export function StartChatDialog({ onOpenChange, onStart }: StartChatDialogProps) {
  const known = useChatTargets();
  const [chosen, setChosen] = useState<string | null>(null);
  const asValue = (id: number | null) => (id === null ? withoutAssistant : String(id));
  const value = chosen ?? asValue(known?.defaultTarget.assistantId ?? null);
  const assistantId = value === withoutAssistant ? null : Number(value);
  return (
    <FormDialog
      size="sm"
      title="Start New Chat"
      description="Choose an assistant or a model. You can change it later."
      action={['Start Chat', 'Start Chat']}
      busy={false}
      onSubmit={() => known && onStart(assistantId)}
      onClose={() => onOpenChange(false)}
    >
      {known ? (
        <Field
          label="Assistant"
          hint={
            assistantId === null
              ? 'The model answers without instructions.'
              : findChatTarget(known.chatTargets, assistantId)?.description
          }
        >
          {(control) => (
            <Select {...control} data-autofocus value={value} onChange={(event) => setChosen(event.target.value)}>
              {known.chatTargets.map((chatTarget) => (
                <option key={asValue(chatTarget.assistantId)} value={asValue(chatTarget.assistantId)}>
                  {chatTargetLabel(chatTarget)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <SpinnerPanel label="Loading the assistants" className="min-h-24" />
      )}
    </FormDialog>
  );
}
