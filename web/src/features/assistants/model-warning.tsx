import type { Assistant } from '@roster/contracts/assistants';
import type { ModelList } from '@roster/contracts/models';
import { useUpdateAssistant } from '#web/data/assistant-changes.ts';
import { useEditing } from '#web/data/current-user.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { modelTrouble } from './model-choice.ts';

type ModelWarningProps = { assistant: Assistant; models: ModelList | undefined; onEdit: () => void };

/** Says that an assistant's model is gone, goes soon or is not this key's to use, and leads on from it. */
export function ModelWarning({ assistant, models, onEdit }: ModelWarningProps) {
  const { reason } = useEditing();
  const update = useUpdateAssistant();
  const trouble = modelTrouble(assistant.model, models);
  if (!trouble) return null;
  const { successor } = trouble;
  const move = (model: string) =>
    update.mutate(
      { id: assistant.id, changes: { model } },
      {
        onSuccess: () => toast({ title: 'Assistant updated', description: `${assistant.name} now uses ${model}.` }),
        onError: tellFailure('Failed to update assistant', 'An error occurred. Please try again.'),
      },
    );
  return (
    <Notice
      tone={trouble.severity}
      className="mt-auto text-sm"
      action={
        successor ? (
          <Button size="sm" busy={update.isPending} disabledReason={reason} onClick={() => move(successor)}>
            Move to {successor}
          </Button>
        ) : (
          <Button size="sm" disabledReason={reason} onClick={onEdit}>
            Choose another model
          </Button>
        )
      }
    >
      {trouble.text}
    </Notice>
  );
}
