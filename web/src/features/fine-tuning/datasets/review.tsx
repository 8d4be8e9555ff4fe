import type { Dataset, DatasetExample } from '@roster/contracts/fine-tuning/datasets';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Check, ChevronLeft, ChevronRight, CircleSlash, ListChecks, Pencil } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatNumber } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { ExampleEditor } from './example-editor.tsx';
import { ExampleList } from './example-list.tsx';
import { ExampleView } from './example-view.tsx';
import { reviewWords } from './labels.ts';
import { examplesQuery, type ReviewFilter, useUpdateExample } from './queries.ts';
import { type ReviewKeys, useReviewKeys } from './use-review-keys.ts';

/** Number of remaining examples at which the next page is loaded. */
const ahead = 5;

/** The current example of a filter; loads further pages ahead. */
function useShownExample(datasetId: number, filter: ReviewFilter) {
  const query = useInfiniteQuery(examplesQuery(datasetId, filter));
  const [index, setIndex] = useState(0);
  const examples = query.data ? allItems(query.data) : [];
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const needsMore = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && index >= examples.length - ahead;
  useEffect(() => {
    if (needsMore) void fetchNextPage();
  }, [needsMore, fetchNextPage]);
  const goTo = (next: number) => setIndex(Math.max(0, Math.min(next, examples.length - 1)));
  return { query, examples, example: examples[Math.min(index, examples.length - 1)], index, goTo };
}

/** Saves a verdict. `onReviewed` is not called when one is removed. */
function useVerdict(datasetId: number, example: DatasetExample | undefined, onReviewed: () => void) {
  const { mayEdit } = useEditAccess();
  const update = useUpdateExample(datasetId);
  return (verdict: DatasetExample['review']) => {
    if (!example || !mayEdit) return;
    // Selecting the same verdict again removes it.
    const next = example.review === verdict ? 'unreviewed' : verdict;
    update.mutate(
      { id: example.id, change: { review: next } },
      { onError: showFailure('Failed to save the review', 'Please try again.') },
    );
    if (next !== 'unreviewed') onReviewed();
  };
}

/** Reviews the examples of a filter one at a time. */
export function Review({ dataset, filter }: { dataset: Dataset; filter: ReviewFilter }) {
  const { query, examples, example, index, goTo } = useShownExample(dataset.id, filter);
  const [editing, setEditing] = useState(false);
  const { mayEdit } = useEditAccess();
  const show = (next: number) => {
    setEditing(false);
    goTo(next);
  };
  const review = useVerdict(dataset.id, example, () => show(index + 1));
  const keys = {
    keep: () => review('kept'),
    leaveOut: () => review('left_out'),
    edit: () => setEditing(mayEdit),
    next: () => show(index + 1),
    previous: () => show(index - 1),
  };
  useReviewKeys(keys, example !== undefined && !editing);

  if (query.isPending) return <LoadingExamples />;
  if (query.isError && examples.length === 0) return <FailedExamples query={query} />;
  if (!example) return <EmptyState icon={ListChecks} text={emptyWords[filter]} />;
  const known = filter === 'all' ? dataset.examples : examples.length;
  const total = `${formatNumber(known)}${filter !== 'all' && query.hasNextPage ? '+' : ''}`;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <div className="sticky top-4 rounded-lg border border-border bg-card max-lg:hidden">
        <ExampleList examples={examples} shownId={example.id} onShow={show} />
      </div>
      <article aria-label="Example" className="min-w-0 rounded-lg border border-border bg-card">
        <ReviewHeader
          example={example}
          place={`Example ${formatNumber(index + 1)} of ${total}`}
          isFirst={index === 0}
          isLast={index >= examples.length - 1}
          keys={keys}
        />
        <ExampleBody datasetId={dataset.id} example={example} editing={editing} onEdited={() => setEditing(false)} />
        {!editing && <ReviewFooter example={example} keys={keys} />}
      </article>
      {query.isFetchNextPageError && (
        <Button onClick={() => void query.fetchNextPage()} className="lg:col-start-2">
          Try Again to load more examples
        </Button>
      )}
    </div>
  );
}

function FailedExamples({ query }: Pick<ReturnType<typeof useShownExample>, 'query'>) {
  return (
    <ErrorState
      title="Failed to load the examples"
      message={errorText(query.error, 'An error occurred while loading the examples.')}
      busy={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  );
}

type ExampleBodyProps = { datasetId: number; example: DatasetExample; editing: boolean; onEdited: () => void };

/** The example, readable or editable. Remounts for another one. */
function ExampleBody({ datasetId, example, editing, onEdited }: ExampleBodyProps) {
  return (
    <div className="p-5 max-md:px-4">
      {editing ? (
        <ExampleEditor key={example.id} datasetId={datasetId} example={example} onClose={onEdited} />
      ) : (
        <ExampleView key={example.id} example={example} />
      )}
    </div>
  );
}

type ReviewHeaderProps = {
  example: DatasetExample;
  place: string;
  isFirst: boolean;
  isLast: boolean;
  keys: ReviewKeys;
};

function ReviewHeader({ example, place, isFirst, isLast, keys }: ReviewHeaderProps) {
  const verdict = reviewWords[example.review];
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-2 border-border border-b py-1.5 pe-2 ps-5 max-md:ps-4">
      <h2 className="font-medium tabular-nums">{place}</h2>
      <Badge tone={verdict.tone}>{verdict.name}</Badge>
      {example.edited && <Badge>Edited</Badge>}
      <span className="ms-auto flex">
        <IconButton
          label="Previous example"
          tooltip="Previous (←)"
          icon={ChevronLeft}
          disabled={isFirst}
          onClick={keys.previous}
          className="max-md:size-10"
        />
        <IconButton
          label="Next example"
          tooltip="Next (→)"
          icon={ChevronRight}
          disabled={isLast}
          onClick={keys.next}
          className="max-md:size-10"
        />
      </span>
    </header>
  );
}

type ReviewFooterProps = { example: DatasetExample; keys: ReviewKeys };

function ReviewFooter({ example, keys }: ReviewFooterProps) {
  const { reason } = useEditAccess();
  return (
    <footer className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-b-lg border-border border-t bg-card px-5 py-3 max-md:px-4">
      <Button
        icon={Check}
        aria-pressed={example.review === 'kept'}
        disabledReason={reason}
        onClick={keys.keep}
        className="aria-pressed:border-success max-sm:flex-1 max-md:h-10"
      >
        Keep
      </Button>
      <Button
        icon={CircleSlash}
        aria-pressed={example.review === 'left_out'}
        disabledReason={reason}
        onClick={keys.leaveOut}
        className="aria-pressed:border-warning max-sm:flex-1 max-md:h-10"
      >
        Leave out
      </Button>
      <Button
        variant="ghost"
        icon={Pencil}
        disabledReason={reason}
        onClick={keys.edit}
        className="max-sm:flex-1 max-md:h-10"
      >
        Edit
      </Button>
      <Legend />
    </footer>
  );
}

const emptyWords: Record<ReviewFilter, string> = {
  all: 'There are no examples in this dataset. Gather more from your chats.',
  unreviewed: 'Every example is reviewed.',
  kept: 'No example is kept yet.',
  left_out: 'No example is left out.',
};

function Legend() {
  const keys = [
    ['K', 'keep'],
    ['L', 'leave out'],
    ['E', 'edit'],
    ['←', 'previous'],
    ['→', 'next'],
  ] as const;
  return (
    <ul
      aria-label="Keys"
      className="ms-auto flex flex-wrap gap-x-3 gap-y-1 text-muted-foreground text-xs max-md:hidden"
    >
      {keys.map(([key, what]) => (
        <li key={key} className="flex items-center gap-1.5">
          <Kbd>{key}</Kbd>
          {what}
        </li>
      ))}
    </ul>
  );
}

function LoadingExamples() {
  return (
    <div aria-busy="true" className="grid items-start gap-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <output className="sr-only">Loading examples</output>
      <div className="space-y-4 rounded-lg border border-border bg-card p-4 max-lg:hidden">
        {[0, 1, 2, 3, 4, 5].map((row) => (
          <Skeleton key={row} className="h-5" />
        ))}
      </div>
      <div className="space-y-4 rounded-lg border border-border bg-card p-5">
        <Skeleton className="h-6 w-40" />
        <Skeleton className="h-16" />
        <Skeleton className="h-32" />
      </div>
    </div>
  );
}
