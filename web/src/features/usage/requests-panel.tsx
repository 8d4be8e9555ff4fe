import { useInfiniteQuery } from '@tanstack/react-query';
import { modelName } from '#web/api/model-names.ts';
import { requestsQuery } from '#web/api/usage.ts';
import { errorText } from '#web/lib/api-client.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Button } from '#web/ui/button.tsx';
import { SidePanel } from '#web/ui/dialogs/side-panel.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { assistantName } from './names.ts';
import { RequestCard } from './request-parts.tsx';
import { type DayRange, formatRange } from './shared/range.ts';
import { TrainingJobs } from './training-jobs.tsx';

/** Which calls to list: of a model, an assistant, an access token, a project, or all. */
export type Scope = {
  range: DayRange;
  tz: string;
  model?: string;
  assistant?: { id: number; name: string | null } | 'none';
  accessToken?: { id: number; name: string };
  project?: { id: number; name: string };
  /** Fine-tuning jobs only. */
  purpose?: 'training';
};

const titleOf = ({ model, assistant, accessToken, project, purpose }: Scope): string => {
  if (purpose === 'training') return `Fine-tuning jobs of ${modelName(model ?? '')}`;
  if (model !== undefined) return `Requests to ${modelName(model)}`;
  if (assistant === 'none') return 'Requests without an assistant';
  if (assistant) return `Requests of ${assistantName(assistant)}`;
  if (accessToken) return `Requests with ${accessToken.name}`;
  if (project) return `Requests in ${project.name}`;
  return 'Requests';
};

type RequestsPanelProps = { scope: Scope; onClose: () => void; onSetPrice: (model: string) => void };

const selectionOf = ({ range, tz, model, assistant, accessToken, project, purpose }: Scope) => ({
  ...range,
  tz,
  ...(model !== undefined && { model }),
  ...(assistant && { assistantId: assistant === 'none' ? assistant : assistant.id }),
  ...(accessToken && { accessTokenId: accessToken.id }),
  ...(project && { projectId: project.id }),
  ...(purpose && { purpose }),
});

/** Calls behind a figure, each linked to its conversation. */
export function RequestsPanel({ scope, onClose, onSetPrice }: RequestsPanelProps) {
  const { range, tz, purpose } = scope;
  const query = useInfiniteQuery(requestsQuery(selectionOf(scope)));
  const requests = query.data && allItems(query.data);
  const isEverything = Object.keys(scope).length === 2;
  return (
    <SidePanel onOpenChange={onClose} title={titleOf(scope)} description={formatRange(range)}>
      {isEverything && <TrainingJobs {...{ range, tz, onSetPrice }} className="mb-6" />}
      {requests === undefined ? (
        query.isError && !query.isFetching ? (
          <ErrorState
            title="Failed to load requests"
            message={errorText(query.error)}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <LoadingRequests />
        )
      ) : requests.length === 0 ? (
        <p className="py-10 text-center text-muted-foreground">
          {purpose ? 'No jobs in this period.' : 'No requests in this period.'}
        </p>
      ) : (
        <>
          <ul className="-mt-3 divide-y divide-border">
            {requests.map((request) => (
              <RequestCard key={request.id} request={request} onSetPrice={onSetPrice} />
            ))}
          </ul>
          {query.isFetchNextPageError && (
            <Notice tone="destructive" live className="mb-3">
              {errorText(query.error)}
            </Notice>
          )}
          {query.hasNextPage && (
            <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} className="w-full">
              {query.isFetchNextPageError ? 'Try Again' : 'Show more'}
            </Button>
          )}
        </>
      )}
    </SidePanel>
  );
}

function LoadingRequests() {
  return (
    <div aria-busy="true" className="-mt-3 divide-y divide-border">
      <output className="sr-only">Loading requests</output>
      {[0, 1, 2, 3, 4].map((row) => (
        <div key={row} className="py-3">
          <div className="flex justify-between gap-4">
            <Skeleton className="h-5 w-28" />
            <Skeleton className="h-5 w-16" />
          </div>
          <Skeleton className="mt-1 h-5 w-56 max-w-full" />
          <Skeleton className="mt-1 h-5 w-40" />
          <Skeleton className="mt-1 h-5 w-32" />
        </div>
      ))}
    </div>
  );
}
