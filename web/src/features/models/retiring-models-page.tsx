import type { RetiringModel } from '@roster/contracts/models/retirement';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { retirementQuery } from '#web/api/retirement.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Page } from '#web/ui/page.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { RetiringModelCard, type RetiringTunedModel } from './retiring-model-card.tsx';

type RetiringModelsPageProps = {
  /** Renders the way on from a model. */
  action: (model: RetiringModel) => ReactNode;
  /** Renders the way on from a fine-tuned model. */
  tunedAction: (tuned: RetiringTunedModel) => ReactNode;
};

/** Retiring models in use, with what uses them. */
export function RetiringModelsPage(props: RetiringModelsPageProps) {
  return (
    <Page title="Retiring Models" lead="Models you use that retire within 90 days or have retired." width="settings">
      <RetiringModels {...props} />
    </Page>
  );
}

function RetiringModels({ action, tunedAction }: RetiringModelsPageProps) {
  const { data, error, refetch } = useQuery(retirementQuery);
  if (data?.length === 0)
    return (
      <EmptyState
        icon={CircleCheck}
        title="None of your models retires soon"
        text="Roster checks your assistants, conversations and fine-tuned models, and notifies you here, on Home and by email."
      />
    );
  if (data)
    return (
      <ul className="grid gap-4">
        {data.map((model) => (
          <RetiringModelCard key={model.model} model={model} action={action(model)} tunedAction={tunedAction} />
        ))}
      </ul>
    );
  if (error)
    return <ErrorState title="Failed to load models" message={errorText(error)} onRetry={() => void refetch()} />;
  return (
    <div aria-busy="true" className="grid gap-4">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-48" />
    </div>
  );
}
