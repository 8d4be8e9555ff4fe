import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { ModelList } from '@roster/contracts/models/models';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { retirementQuery } from '#web/api/retirement.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { modelProblem } from '#web/features/assistants/fields/model-choice.ts';
import { MigrateAssistants, ReplayQuestions } from '#web/features/assistants/model-migrations/migrate-assistants.tsx';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type ModelWarningProps = { assistant: Assistant; models: ModelList | undefined; onEdit: () => void };

/** Warns that an assistant's model is retired, retires soon or is not available to the key, with a way to change it. */
export function ModelWarning({ assistant, models, onEdit }: ModelWarningProps) {
  const { reason } = useEditAccess();
  const [open, setOpen] = useState<'move' | 'replay' | null>(null);
  const close = () => setOpen(null);
  const { data: ending } = useQuery(retirementQuery);
  const trouble = modelProblem(assistant.model, models, ending);
  if (!trouble) return null;
  const { successor } = trouble;
  return (
    <>
      <Notice
        tone={trouble.severity}
        className="mt-auto text-sm"
        action={
          successor ? (
            <>
              <Button size="sm" disabledReason={reason} onClick={() => setOpen('move')}>
                Migrate to <ModelName model={successor} />
              </Button>
              <Button size="sm" disabledReason={reason} onClick={() => setOpen('replay')}>
                Try it first
              </Button>
            </>
          ) : (
            <Button size="sm" disabledReason={reason} onClick={onEdit}>
              Choose another model
            </Button>
          )
        }
      >
        {trouble.text}
      </Notice>
      {open === 'move' && (
        <MigrateAssistants fromModel={assistant.model} successor={successor} only={assistant.id} onClose={close} />
      )}
      {open === 'replay' && <ReplayQuestions assistant={assistant} successor={successor} onClose={close} />}
    </>
  );
}
