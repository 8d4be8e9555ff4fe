import type { TestQuestion, TestSetDetail } from '@roster/contracts/comparisons/test-sets';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { DeleteSetDialog } from './delete-set-dialog.tsx';
import { testSetQuery } from './queries.ts';
import { ResultLegend } from './result-legend.tsx';
import { RunDialog } from './run-dialog.tsx';
import { RunHistory } from './run-history.tsx';
import { SetDialog } from './set-dialog.tsx';

type TestSetPageProps = { setId: number; onDeleted: (assistantId: number) => void };

/** A test set with its runs and questions. */
export function TestSetPage({ setId, onDeleted }: TestSetPageProps) {
  const { data: set, error, isFetching, refetch } = useQuery(testSetQuery(setId));
  if (set) return <Loaded set={set} onDeleted={() => onDeleted(set.assistant.id)} />;
  return (
    <Page title="Test Set">
      {error ? (
        <ErrorState
          title="Failed to load the test set"
          message={errorText(error)}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <div aria-busy="true" className="space-y-6">
          <Skeleton className="h-52 w-full rounded-lg" />
          <Skeleton className="h-72 w-full rounded-lg" />
        </div>
      )}
    </Page>
  );
}

type Asking = 'run' | 'edit' | 'delete';

function Loaded({ set, onDeleted }: { set: TestSetDetail; onDeleted: () => void }) {
  const { reason } = useEditAccess();
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = () => setAsking(null);
  const { id, name, assistant } = set;
  const run = (
    <Button variant="primary" icon={Play} disabledReason={reason} onClick={() => setAsking('run')}>
      Run
    </Button>
  );
  return (
    <Page
      title={name}
      lead={<Lead set={set} />}
      action={
        <>
          <IconButton
            label="Delete test set"
            tooltip={reason ?? 'Delete test set'}
            icon={Trash2}
            variant="secondary"
            disabled={reason !== undefined}
            onClick={() => setAsking('delete')}
          />
          <Button icon={Pencil} disabledReason={reason} onClick={() => setAsking('edit')}>
            Edit
          </Button>
          {run}
        </>
      }
    >
      <div className="space-y-8">
        <section aria-labelledby="runs-title">
          <h2 id="runs-title" className="mb-3 font-semibold text-lg">
            Runs
          </h2>
          <RunHistory setId={id} action={run} />
          <div className="mt-3">
            <ResultLegend />
          </div>
        </section>
        <Questions items={set.items} />
      </div>
      {asking === 'run' && (
        <RunDialog
          set={set}
          onStarted={() => {
            close();
            toast({ title: 'Running the test set', description: 'You can leave this page.' });
          }}
          onClose={close}
        />
      )}
      {asking === 'edit' && <SetDialog assistantId={assistant.id} set={set} onSaved={close} onClose={close} />}
      {asking === 'delete' && <DeleteSetDialog set={set} onClose={close} onDeleted={onDeleted} />}
    </Page>
  );
}

function Lead({ set: { assistant, questions } }: { set: TestSetDetail }) {
  return (
    <>
      <Link
        to="/assistants/$id/test-sets"
        params={{ id: assistant.id }}
        className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
      >
        Test sets of <bdi>{assistant.name}</bdi>
      </Link>
      {` · ${formatCount(questions, 'question')} · the assistant is at version ${assistant.version}`}
    </>
  );
}

const sourceNames = { typed: 'Typed', conversation: 'Conversation', dataset: 'Dataset' } as const;

function Questions({ items }: { items: readonly TestQuestion[] }) {
  return (
    <Card aria-label="Questions">
      <CardHeader title="Questions" description="Each is sent with its earlier messages." />
      <ol className="mt-4 divide-y divide-border border-border border-t">
        {items.map(({ id, source, turns, expected }, index) => (
          <li key={id} className="flex gap-3 px-5 py-3.5">
            <span aria-hidden="true" className="w-6 shrink-0 text-end text-muted-foreground tabular-nums">
              {index + 1}
            </span>
            <div className="min-w-0 flex-1">
              <p dir="auto" className="wrap-anywhere line-clamp-4 max-w-[80ch] whitespace-pre-wrap">
                {turns.at(-1)?.text}
              </p>
              {turns.length > 1 && (
                <p className="text-muted-foreground text-sm">
                  {`After ${formatCount(turns.length - 1, 'earlier message')}`}
                </p>
              )}
              {expected !== null && (
                <p dir="auto" className="wrap-anywhere mt-1 line-clamp-2 max-w-[80ch] text-muted-foreground text-sm">
                  <span className="font-medium">Expected: </span>
                  {expected}
                </p>
              )}
            </div>
            <Badge className="mt-0.5">{sourceNames[source]}</Badge>
          </li>
        ))}
      </ol>
    </Card>
  );
}
