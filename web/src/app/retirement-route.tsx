import type { EndingModel } from '@roster/contracts/models/retirement';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEditing } from '#web/api/current-user.ts';
import { retirementQuery } from '#web/api/retirement.ts';
import { MoveAssistants } from '#web/features/assistants/model-migrations/move-assistants.tsx';
import { TrainAgain } from '#web/features/fine-tuning/models/train-again.tsx';
import { EndingModelsPage } from '#web/features/models/retiring-models-page.tsx';
import { Button } from '#web/ui/button.tsx';

export function EndingModelsRoute() {
  return (
    <EndingModelsPage
      action={(model) => (model.assistantCount > 0 ? <MoveFrom key={model.model} model={model} /> : null)}
      tunedAction={({ name, job, dataset, successor }) => (
        <TrainAgain model={{ name, jobId: job?.id ?? null, datasetId: dataset?.id ?? null, successor }} />
      )}
    />
  );
}

/** Moves the assistants that use a model. */
function MoveFrom({ model: { model, successor } }: { model: EndingModel }) {
  const client = useQueryClient();
  const { reason } = useEditing();
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    void client.invalidateQueries({ queryKey: retirementQuery.queryKey });
  };
  return (
    <>
      <Button
        size="sm"
        className="max-md:h-10"
        disabledReason={reason}
        aria-label={`Move the assistants on ${model}`}
        onClick={() => setOpen(true)}
      >
        Move...
      </Button>
      {isOpen && <MoveAssistants fromModel={model} successor={successor} onClose={close} />}
    </>
  );
}
