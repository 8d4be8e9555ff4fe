import type { Checkpoint, Job } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { Milestone } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { checkpointsQuery, useActivateCheckpoint } from '#web/api/fine-tuning.ts';
import { showError } from '#web/features/fine-tuning/shared/show-error.ts';
import { StaleNotice } from '#web/features/fine-tuning/shared/stale-notice.tsx';
import { formatNumber } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { toast } from '#web/ui/states/toast.tsx';

export function CheckpointsCard({ job, isInProgress }: { job: Job; isInProgress: boolean }) {
  const query = useQuery(checkpointsQuery(job.id, isInProgress));
  const checkpoints = query.data;
  return (
    <Card aria-label="Checkpoints" className="min-w-0">
      <CardHeader
        title="Checkpoints"
        description="Snapshots taken during training. An earlier one is sometimes better than the last."
      />
      <div className="px-5 pt-4 pb-5">
        <StaleNotice what="checkpoints" query={query} hasData={checkpoints !== undefined} />
        {checkpoints ? (
          checkpoints.length === 0 ? (
            <EmptyState
              bare
              icon={Milestone}
              text={isInProgress ? 'The provider saves one at the end of each epoch.' : 'This job has no checkpoints.'}
              className="py-6"
            />
          ) : (
            <ul className="divide-y divide-border rounded-md border border-border">
              {checkpoints.map((checkpoint) => (
                <CheckpointRow key={checkpoint.id} job={job} checkpoint={checkpoint} />
              ))}
            </ul>
          )
        ) : (
          query.isPending && <Skeleton className="h-11 w-full" />
        )}
      </div>
    </Card>
  );
}

const measured = (value: number | null) => (value === null ? '–' : value.toFixed(3));

function CheckpointRow({ job, checkpoint }: { job: Job; checkpoint: Checkpoint }) {
  const { id, step, model, trainLoss, validLoss, validAccuracy, customModelId } = checkpoint;
  const activate = useActivateCheckpoint();
  const { reason } = useEditAccess();
  const start = () =>
    activate.mutate(
      { id: job.id, checkpointId: id },
      {
        onSuccess: ({ name }) => toast({ title: 'Success', description: `${name} can now be chosen as a model.` }),
        onError: showError('Failed to activate the checkpoint'),
      },
    );
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3.5 py-2.5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium tabular-nums">{`Step ${formatNumber(step)}`}</p>
        <p className="flex min-w-0 items-center gap-1 text-muted-foreground text-sm">
          <code className="truncate font-mono text-xs" title={model}>
            {model}
          </code>
          <CopyButton text={model} label={`Copy the id of step ${step}`} />
        </p>
        <p className="text-muted-foreground text-sm tabular-nums">
          {`Training loss ${measured(trainLoss)}`}
          {validLoss !== null && `, validation loss ${measured(validLoss)}`}
          {validAccuracy !== null && `, validation accuracy ${(validAccuracy * 100).toFixed(1)}%`}
        </p>
      </div>
      {customModelId === null ? (
        <Button
          size="sm"
          busy={activate.isPending}
          pendingLabel="Activating..."
          disabledReason={reason}
          onClick={start}
        >
          Activate
        </Button>
      ) : (
        <Badge>In Fine-Tuned Models</Badge>
      )}
    </li>
  );
}
