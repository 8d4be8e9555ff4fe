import type { Dataset } from '@roster/contracts/fine-tuning/datasets';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, FileDown, ListPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { DatasetMenu } from './dataset-menu.tsx';
import { GatherMoreDialog } from './gather-more-dialog.tsx';
import { includedCount, minExamples } from './labels.ts';
import { datasetQuery, type ReviewFilter } from './queries.ts';
import { Review } from './review.tsx';
import { ReviewProgress } from './review-progress.tsx';
import { SaveDialog } from './save-dialog.tsx';

/** Three actions in a row, even on the smallest phone. */
const tight = 'max-sm:px-2.5 max-sm:[&>svg]:hidden';

const toDatasets = (
  <Link
    to="/fine-tuning"
    search={{ tab: 'datasets' }}
    className="inline-flex min-h-5 items-center gap-1.5 rounded-xs text-muted-foreground hover:text-foreground max-md:min-h-8"
  >
    <ArrowLeft aria-hidden className="size-4" />
    Datasets
  </Link>
);

export function DatasetPage({ datasetId }: { datasetId: number }) {
  const query = useQuery(datasetQuery(datasetId));
  if (query.data) return <OpenDataset dataset={query.data} />;
  if (!query.isError)
    return (
      <Page title="Dataset" lead={toDatasets}>
        <div aria-busy="true" className="space-y-4">
          <output className="sr-only">Loading the dataset</output>
          <Skeleton className="h-9 w-80 max-w-full" />
          <Skeleton className="h-64" />
        </div>
      </Page>
    );
  const isGone = query.error instanceof ApiError && query.error.status === 404;
  return (
    <Page title="Dataset" lead={toDatasets}>
      <ErrorState
        title={isGone ? 'This dataset does not exist' : 'Failed to load the dataset'}
        message={isGone ? 'It may have been deleted.' : errorText(query.error, 'Please try again.')}
        busy={query.isFetching}
        onRetry={isGone ? undefined : () => void query.refetch()}
        action={
          isGone && (
            <Link to="/fine-tuning" search={{ tab: 'datasets' }} className={buttonClass()}>
              Show Datasets
            </Link>
          )
        }
      />
    </Page>
  );
}

function OpenDataset({ dataset }: { dataset: Dataset }) {
  const [filter, setFilter] = useState<ReviewFilter>('all');
  const { name, format, examples, kept, leftOut, unreviewed } = dataset;
  const filters: readonly (readonly [ReviewFilter, string, number])[] = [
    ['all', 'All', examples],
    ['unreviewed', 'Unreviewed', unreviewed],
    ['kept', 'Kept', kept],
    ['left_out', 'Left out', leftOut],
  ];
  return (
    <Page title={name} lead={toDatasets} action={<DatasetActions dataset={dataset} />}>
      <div className="mb-5 flex flex-wrap items-end gap-x-8 gap-y-3">
        <p className="text-muted-foreground">
          {format === 'chat'
            ? 'Chat: the model learns each answer.'
            : 'Preference: the model learns which of two answers is better.'}
        </p>
        <div className="w-64 max-w-full sm:ms-auto">
          <ReviewProgress dataset={dataset} />
        </div>
      </div>
      <Advice dataset={dataset} />
      <Tabs
        label="Which examples"
        look="segment"
        value={filter}
        onValueChange={setFilter}
        items={filters.map(([value, label, count]) => ({ value, label: <Counted label={label} count={count} /> }))}
      >
        <div className="pt-4">
          <Review key={filter} dataset={dataset} filter={filter} />
        </div>
      </Tabs>
    </Page>
  );
}

function DatasetActions({ dataset }: { dataset: Dataset }) {
  const [asked, setAsked] = useState<'gather' | 'save' | null>(null);
  const { reason } = useEditAccess();
  const navigate = useNavigate();
  const close = () => setAsked(null);
  return (
    <>
      <Button icon={ListPlus} className={tight} disabledReason={reason} onClick={() => setAsked('gather')}>
        Gather More
      </Button>
      <Button
        variant="primary"
        icon={FileDown}
        className={tight}
        disabledReason={reason}
        onClick={() => setAsked('save')}
      >
        Save as File
      </Button>
      <DatasetMenu
        dataset={dataset}
        variant="secondary"
        onDeleted={() => void navigate({ to: '/fine-tuning', search: { tab: 'datasets' } })}
      />
      {asked === 'gather' && <GatherMoreDialog dataset={dataset} onClose={close} />}
      {asked === 'save' && <SaveDialog dataset={dataset} onClose={close} />}
    </>
  );
}

function Counted({ label, count }: { label: string; count: number }): ReactNode {
  return (
    <>
      {label}
      <span className="text-muted-foreground tabular-nums">{formatNumber(count)}</span>
    </>
  );
}

function Advice({ dataset }: { dataset: Dataset }) {
  const included = includedCount(dataset);
  if (included >= minExamples) return null;
  return (
    <Notice tone="warning" className="mb-5" title={`Too few to train on: ${formatCount(included, 'example')}`}>
      {`The provider requires at least ${minExamples}. Rate more answers in your chats, then gather them here.`}
    </Notice>
  );
}
