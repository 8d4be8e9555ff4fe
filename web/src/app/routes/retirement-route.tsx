import type { RetiringModel } from '@roster/contracts/models/retirement';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelName } from '#web/api/model-names.ts';
import { retirementQuery } from '#web/api/retirement.ts';
import { MigrateAssistants } from '#web/features/assistants/model-migrations/migrate-assistants.tsx';
import { RetrainModel } from '#web/features/fine-tuning/models/retrain-model.tsx';
import { RetiringModelsPage } from '#web/features/models/retiring-models-page.tsx';
import { Button } from '#web/ui/button.tsx';

export function RetiringModelsRoute() {
  return (
    <RetiringModelsPage
      action={(model) => (model.assistantCount > 0 ? <MigrateFrom key={model.model} model={model} /> : null)}
      tunedAction={({ name, job, dataset, successor }) => (
        <RetrainModel model={{ name, jobId: job?.id ?? null, datasetId: dataset?.id ?? null, successor }} />
      )}
    />
  );
}

/** Dialog that migrates the assistants that use a model. */
function MigrateFrom({ model: { model, successor } }: { model: RetiringModel }) {
  const client = useQueryClient();
  const { reason } = useEditAccess();
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
        aria-label={`Migrate the assistants on ${modelName(model)}`}
        onClick={() => setOpen(true)}
      >
        Migrate...
      </Button>
      {isOpen && <MigrateAssistants fromModel={model} successor={successor} onClose={close} />}
    </>
  );
}
