import type { Comparison } from '@roster/contracts/comparisons/comparisons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical, Plus } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import type { ComparedModels } from './draft.ts';
import { NewComparisonDialog } from './new-comparison-dialog.tsx';
import { comparisonsQuery } from './shared/queries.ts';
import { sideNames } from './shared/sides.ts';
import { TallyBar } from './shared/tally.tsx';

/** Tab with all comparisons, newest first. */
type ComparisonListProps = {
  /** Initial values from the address; `onStarted` removes them from it. */
  begin: ComparedModels | undefined;
  onStarted: () => void;
};

export function ComparisonList({ begin, onStarted }: ComparisonListProps) {
  const query = useInfiniteQuery(comparisonsQuery);
  const [isCreating, setIsCreating] = useState(false);
  const { reason } = useEditAccess();
  const comparisons = query.data && allItems(query.data);
  const create = (
    <Button icon={Plus} variant="primary" disabledReason={reason} onClick={() => setIsCreating(true)}>
      New comparison
    </Button>
  );
  return (
    <section aria-label="Comparisons">
      {comparisons?.length !== 0 && (
        <header className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <p className="max-w-[72ch] text-muted-foreground">
            Send the same prompts to two models and compare their answers.
          </p>
          {create}
        </header>
      )}
      {comparisons === undefined && query.isError ? (
        <ErrorState
          title="Failed to load comparisons"
          message={errorText(query.error, 'An error occurred while loading your comparisons.')}
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : comparisons === undefined ? (
        <div aria-busy="true" className="space-y-3">
          {[0, 1, 2].map((row) => (
            <Skeleton key={row} className="h-28 w-full rounded-lg" />
          ))}
        </div>
      ) : comparisons.length === 0 ? (
        <EmptyState
          icon={FlaskConical}
          title="No comparisons yet"
          text="Send the same prompts to a fine-tuned model and its base model, compare the answers, and vote."
          action={create}
        />
      ) : (
        <ul className="space-y-3">
          {comparisons.map((comparison) => (
            <ComparisonRow key={comparison.id} comparison={comparison} />
          ))}
        </ul>
      )}
      <LoadMore query={query} what="comparisons" />
      {(isCreating || begin) && (
        <NewComparisonDialog
          begin={begin}
          onClose={() => {
            setIsCreating(false);
            if (begin) onStarted();
          }}
        />
      )}
    </section>
  );
}

function ComparisonRow({ comparison }: { comparison: Comparison }) {
  const { id, kind, title, candidate, baseline, prompts, answered, tally, createdAt } = comparison;
  return (
    <li className="relative rounded-lg border border-border bg-card px-5 py-4 transition-colors duration-120 focus-within:border-border-strong hover:border-border-strong">
      <div className="grid gap-x-8 gap-y-3 md:grid-cols-[minmax(0,1fr)_minmax(0,20rem)]">
        <div className="min-w-0">
          <h2 className="wrap-anywhere font-medium font-mono text-base leading-5">
            <Link
              to="/fine-tuning/comparisons/$id"
              params={{ id }}
              className="rounded-xs after:absolute after:inset-0 after:rounded-lg"
            >
              {kind === 'models' ? (
                <>
                  <ModelName model={candidate.model} />
                  <span className="font-normal font-sans text-muted-foreground"> and </span>
                  {baseline && <ModelName model={baseline.model} />}
                </>
              ) : (
                <span className="font-sans">{title}</span>
              )}
            </Link>
          </h2>
          <p className="mt-2 text-muted-foreground text-sm tabular-nums">
            {answered === prompts
              ? `${formatCount(prompts, 'prompt')}, all answered`
              : `${formatNumber(answered)} of ${formatCount(prompts, 'prompt')} answered`}
            {' · '}
            <RelativeTime date={createdAt} />
          </p>
        </div>
        {baseline && <TallyBar tally={tally} prompts={prompts} names={sideNames(comparison)} className="md:pt-1.5" />}
      </div>
    </li>
  );
}
