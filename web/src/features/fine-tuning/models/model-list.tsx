import type { CustomModel } from '@roster/contracts/fine-tuning/jobs';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Box } from 'lucide-react';
import { useState } from 'react';
import { customModelsQuery } from '#web/api/fine-tuning.ts';
import { KeyPanel } from '#web/features/fine-tuning/shared/key-panel.tsx';
import { StaleNotice } from '#web/features/fine-tuning/shared/stale-notice.tsx';
import type { usePrerequisites } from '#web/features/fine-tuning/shared/use-prerequisites.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { DeleteModelDialog } from './delete-model-dialog.tsx';
import { ModelCard } from './model-card.tsx';

type ModelListProps = { prerequisites: ReturnType<typeof usePrerequisites> };

export function ModelList({ prerequisites: { error, isTrying, tryAgain } }: ModelListProps) {
  const query = useInfiniteQuery(customModelsQuery);
  const models = query.data ? allItems(query.data) : [];
  const [deleting, setDeleting] = useState<CustomModel | null>(null);
  const isEmpty = !query.isPending && models.length === 0;
  return (
    <section aria-label="Fine-tuned models">
      <StaleNotice what="models" query={query} hasData={models.length > 0} />
      {error && <KeyPanel error={error} isTrying={isTrying} onTryAgain={tryAgain} quiet={!isEmpty} />}
      {query.isPending ? (
        <div aria-busy="true" className="grid gap-3">
          <output className="sr-only">Loading the models</output>
          <Skeleton className="h-24 w-full rounded-lg" />
          <Skeleton className="h-24 w-full rounded-lg" />
        </div>
      ) : isEmpty ? (
        !error && (
          <EmptyState
            icon={Box}
            title="No fine-tuned models yet"
            text="Models from successful jobs appear here. Active models can be chosen for assistants."
            action={
              <Link to="/fine-tuning" search={{ tab: 'jobs' }} className={buttonClass()}>
                Show Jobs
              </Link>
            }
          />
        )
      ) : (
        <>
          <ul aria-label="Fine-tuned models" className="grid gap-3">
            {models.map((model) => (
              <ModelCard key={model.id} model={model} onDelete={() => setDeleting(model)} />
            ))}
          </ul>
          <LoadMore query={query} what="models" />
        </>
      )}
      {deleting && <DeleteModelDialog model={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}
