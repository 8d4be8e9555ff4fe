import { type TestRun, type TestSet, testSetLimit } from '@roster/contracts/comparisons/test-sets';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks, Play, Plus } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { progressText } from './labels.ts';
import { testSetsQuery } from './queries.ts';
import { ResultCounts } from './result-counts.tsx';
import { RunDialog } from './run-dialog.tsx';
import { SetDialog } from './set-dialog.tsx';

type NewTestSetProps = {
  assistantId: number;
  /** Shown beside the list, which has a button of its own while it is empty. */
  isForFilledList?: boolean;
};

/** Button that opens the dialog of a new set. */
export function NewTestSet({ assistantId, isForFilledList = false }: NewTestSetProps) {
  const { data: sets } = useQuery(testSetsQuery(assistantId));
  const { reason } = useEditAccess();
  const [isNew, setNew] = useState(false);
  const full = sets && sets.length >= testSetLimit ? `An assistant can have ${testSetLimit} test sets.` : undefined;
  if (isForFilledList && !sets?.length) return null;
  return (
    <>
      <Button icon={Plus} variant="primary" disabledReason={reason ?? full} onClick={() => setNew(true)}>
        New test set
      </Button>
      {isNew && <SetDialog assistantId={assistantId} onSaved={() => setNew(false)} onClose={() => setNew(false)} />}
    </>
  );
}

export function TestSetList({ assistantId }: { assistantId: number }) {
  const query = useQuery(testSetsQuery(assistantId));
  const sets = query.data;
  if (sets === undefined && query.isError)
    return (
      <ErrorState
        title="Failed to load the test sets"
        message={errorText(query.error)}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    );
  if (sets === undefined)
    return (
      <div aria-busy="true" className="space-y-3">
        <Skeleton className="h-28 w-full rounded-lg" />
        <Skeleton className="h-28 w-full rounded-lg" />
      </div>
    );
  if (sets.length === 0)
    return (
      <EmptyState
        icon={ListChecks}
        title="No test sets yet"
        text="Type questions, or choose them from conversations and datasets. Then see the effect of a change before you save it."
        action={<NewTestSet assistantId={assistantId} />}
      />
    );
  return (
    <ul className="space-y-3">
      {sets.map((set) => (
        <SetRow key={set.id} set={set} />
      ))}
    </ul>
  );
}

function SetRow({ set }: { set: TestSet }) {
  const { id, name, questions, runs, newestRun } = set;
  const { reason } = useEditAccess();
  const [isRunning, setRunning] = useState(false);
  const close = () => setRunning(false);
  return (
    <li className="grid items-center gap-x-8 gap-y-3 rounded-lg border border-border bg-card px-5 py-4 md:grid-cols-[minmax(0,1fr)_minmax(0,22rem)_auto]">
      <div className="min-w-0">
        <h2 className="wrap-anywhere font-medium text-base">
          <Link
            to="/test-sets/$id"
            params={{ id }}
            className="rounded-xs underline-offset-4 hover:underline max-md:inline-block max-md:py-1.5"
          >
            {name}
          </Link>
        </h2>
        <p className="mt-1 text-muted-foreground text-sm tabular-nums">
          {`${formatCount(questions, 'question')} · ${runs === 0 ? 'not run yet' : `run ${formatCount(runs, 'time')}`}`}
        </p>
      </div>
      <div className="min-w-0">{newestRun && <Newest run={newestRun} />}</div>
      <Button
        icon={Play}
        size="sm"
        className="justify-self-start max-md:h-10"
        disabledReason={reason}
        aria-label={`Run ${name}`}
        onClick={() => setRunning(true)}
      >
        Run
      </Button>
      {isRunning && <RunDialog set={set} onStarted={close} onClose={close} />}
    </li>
  );
}

function Newest({ run }: { run: TestRun }) {
  const { id, candidate, baseline, counts, createdAt } = run;
  return (
    <>
      <p className="wrap-anywhere mb-2 text-sm">
        <Link
          to="/fine-tuning/comparisons/$id"
          params={{ id }}
          className="rounded-xs font-medium underline-offset-4 hover:underline max-md:inline-block max-md:py-1.5"
        >
          {candidate.label}
        </Link>
        <span className="text-muted-foreground">
          {baseline && ` beside ${baseline.label}`}, <RelativeTime date={createdAt} />
        </span>
      </p>
      <ResultCounts counts={counts} />
      <output className="sentence block text-muted-foreground text-sm">{progressText(run)}</output>
    </>
  );
}
