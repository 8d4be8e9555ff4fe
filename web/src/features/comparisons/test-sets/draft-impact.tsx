import type { Assistant, AssistantChanges } from '@roster/contracts/assistants/assistants';
import type { TestSet } from '@roster/contracts/comparisons/test-sets';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { useId, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { countsText, progressText } from './labels.ts';
import { resultsQuery, testSetsQuery } from './queries.ts';
import { RunDialog } from './run-dialog.tsx';

type DraftImpactProps = {
  assistant: Assistant;
  /** The form has unsaved changes; `edits` increases with each edit. */
  isDirty: boolean;
  edits: number;
  /** The form's changes; null if it is invalid and shows why. */
  draft: () => Promise<AssistantChanges | null>;
  /** Opens a run, which keeps the draft. */
  onOpen: (runId: number) => void;
};

type Tried = { runId: number; edits: number };

/** Effect of a change on a test set's answers, before saving. */
export function DraftImpact({ assistant, isDirty, edits, draft, onOpen }: DraftImpactProps) {
  const titleId = useId();
  const query = useQuery(testSetsQuery(assistant.id));
  const [tried, setTried] = useState<Tried | null>(null);
  const sets = query.data;
  return (
    <section aria-labelledby={titleId} className="mt-7 border-border border-t pt-5">
      <h3 id={titleId} className="font-semibold">
        Test sets
      </h3>
      <p className="mt-1 text-muted-foreground text-sm">
        {sets && sets.length > 0 && !isDirty
          ? 'Change something above to see its effect on the answers before you save.'
          : 'Saved questions show how a change affects the answers before you save it.'}
      </p>
      {query.isError && (
        <RetryNotice tone="destructive" title="Failed to load test sets" query={query}>
          {errorText(query.error)}
        </RetryNotice>
      )}
      {sets && sets.length > 0 && isDirty && (
        <Trying sets={sets} draft={draft} onTried={(runId) => setTried({ runId, edits })} />
      )}
      {tried && <Line tried={tried} hasChanged={tried.edits !== edits} onOpen={onOpen} />}
      <p className="mt-3">
        <Link
          to="/assistants/$id/test-sets"
          params={{ id: assistant.id }}
          className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}
        >
          {sets?.length === 0 ? 'Create a test set' : 'See test sets'}
        </Link>
      </p>
    </section>
  );
}

type TryingProps = Pick<DraftImpactProps, 'draft'> & { sets: readonly TestSet[]; onTried: (runId: number) => void };

function Trying({ sets, draft, onTried }: TryingProps) {
  const { reason } = useEditAccess();
  const [picked, setPicked] = useState<number>();
  const [changes, setChanges] = useState<AssistantChanges | null>(null);
  const set = sets.find(({ id }) => id === picked) ?? sets[0];
  if (!set) return null;
  const close = () => setChanges(null);
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      {sets.length > 1 && (
        <Select
          aria-label="Test set"
          value={set.id}
          className="min-w-40 flex-1"
          onChange={(event) => setPicked(Number(event.target.value))}
        >
          {sets.map(({ id, name, questions }) => (
            <option key={id} value={id}>
              {`${name} (${formatCount(questions, 'question')})`}
            </option>
          ))}
        </Select>
      )}
      <Button
        icon={FlaskConical}
        className="max-md:h-10"
        disabledReason={reason}
        onClick={() => void draft().then(setChanges)}
      >
        <bdi>{sets.length > 1 ? 'Try the draft...' : `Try the draft on ‘${set.name}’...`}</bdi>
      </Button>
      {changes && (
        <RunDialog
          set={set}
          draft={{ kind: 'draft', changes }}
          onStarted={({ id }) => {
            close();
            onTried(id);
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

type LineProps = { tried: Tried; hasChanged: boolean; onOpen: (runId: number) => void };

function Line({ tried: { runId }, hasChanged, onOpen }: LineProps) {
  const query = useQuery(resultsQuery(runId));
  const run = query.data?.run;
  if (query.isError && !run)
    return (
      <RetryNotice tone="destructive" title="Failed to load the results" query={query} className="mt-3">
        {errorText(query.error)}
      </RetryNotice>
    );
  const going = run && progressText(run);
  const stopped = run && !going && run.refusal ? ` Asking has stopped: ${run.refusal.message}` : '';
  return (
    <Notice
      live
      title={hasChanged ? 'Results from before your last edits' : going ? 'Testing the draft' : 'Before you save'}
      className="mt-3"
      action={
        <Button size="sm" className="max-md:h-10" onClick={() => onOpen(runId)}>
          See all answers
        </Button>
      }
    >
      <span className="tabular-nums">
        {run ? `${going ?? countsText(run.counts)}.${stopped}` : 'Loading the results...'}
      </span>
    </Notice>
  );
}
