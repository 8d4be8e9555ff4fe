import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Play, Square, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useEditing } from '#web/data/current-user.ts';
import { errorText } from '#web/lib/api.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { formatCount, formatLongDate, formatNumber } from '#web/lib/format.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Page } from '#web/ui/page.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Switch } from '#web/ui/switch.tsx';
import { AskProblem } from './ask-problem.tsx';
import { DeleteComparisonDialog } from './delete-comparison-dialog.tsx';
import { type AskRefusal, type PromptActions, PromptCard } from './prompt-card.tsx';
import {
  comparisonQuery,
  isOpen,
  runsOf,
  type Side,
  useAskPrompt,
  useStopAnswers,
  useVote,
  type WholeComparison,
} from './queries.ts';
import { SummaryCard } from './summary-card.tsx';
import { useAskAll } from './use-ask-all.ts';

const back = (
  <Link
    to="/fine-tuning"
    search={{ tab: 'compare' }}
    className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
  >
    All comparisons
  </Link>
);

export function ComparisonPage({ comparisonId }: { comparisonId: number }) {
  const { data, error, isFetching, refetch } = useQuery(comparisonQuery(comparisonId));
  if (data) return <Loaded comparison={data} />;
  return (
    <Page title="Comparison" lead={back}>
      {error ? (
        <ErrorState
          title="Failed to load the comparison"
          message={errorText(error, 'An error occurred while loading the comparison.')}
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

const temperatureWords = (temperature: number | null) =>
  temperature === null ? 'each model’s own temperature' : `temperature ${temperature}`;

function Loaded({ comparison }: { comparison: WholeComparison }) {
  const { id, items, tunedModel, baseModel, temperature, createdAt } = comparison;
  const models = useMemo<Record<Side, string>>(() => ({ tuned: tunedModel, base: baseModel }), [tunedModel, baseModel]);
  const { reason } = useEditing();
  const askAll = useAskAll(id, items);
  const { actions, single, blocked } = useActions(id, items, askAll.isAsking);
  const [isBlind, setIsBlind] = useState(false);
  return (
    <Page
      title="Comparison"
      lead={
        <>
          {back} · {formatLongDate(createdAt)} · {temperatureWords(temperature)}
        </>
      }
      action={
        <>
          <DeleteButton comparison={comparison} />
          <AskAllButton items={items} askAll={askAll} onBegin={single.clear} onStop={actions.stop} />
        </>
      }
    >
      <div className="space-y-6">
        <SummaryCard comparison={comparison} />
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
          <output className="block text-muted-foreground tabular-nums">
            {formatNumber(answeredIn(items))} of {formatCount(items.length, 'prompt')} answered
          </output>
          <Switch
            label="Blind"
            description="Hides which model is which until you have voted."
            checked={isBlind}
            onChange={(event) => setIsBlind(event.target.checked)}
          />
        </div>
        {askAll.problem ? (
          <AskProblem error={askAll.problem} isWaiting={askAll.isWaiting} onInsist={() => askAll.begin(true)} />
        ) : null}
        {items.map((prompt, index) => (
          <PromptCard
            key={prompt.id}
            comparisonId={id}
            number={index + 1}
            prompt={prompt}
            models={models}
            isBlind={isBlind}
            reason={reason}
            blockedReason={blocked}
            actions={actions}
            problem={single.problem?.promptId === prompt.id ? single.problem : null}
          />
        ))}
      </div>
    </Page>
  );
}

function DeleteButton({ comparison }: { comparison: WholeComparison }) {
  const { reason } = useEditing();
  const navigate = useNavigate();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <>
      <IconButton
        label="Delete comparison"
        tooltip={reason ?? 'Delete comparison'}
        icon={Trash2}
        variant="secondary"
        disabled={reason !== undefined}
        onClick={() => setIsDeleting(true)}
      />
      {isDeleting && (
        <DeleteComparisonDialog
          comparison={comparison}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => void navigate({ to: '/fine-tuning', search: { tab: 'compare' } })}
        />
      )}
    </>
  );
}

type AskAllButtonProps = {
  items: WholeComparison['items'];
  askAll: ReturnType<typeof useAskAll>;
  onBegin: () => void;
  onStop: PromptActions['stop'];
};

function AskAllButton({ items, askAll, onBegin, onStop }: AskAllButtonProps) {
  const { reason } = useEditing();
  const open = items.filter(isOpen).length;
  const stop = () => {
    askAll.end();
    onStop(items.flatMap(runsOf));
  };
  const begin = () => {
    onBegin();
    askAll.begin();
  };
  if (askAll.isAsking)
    return (
      <Button icon={Square} onClick={stop}>
        Stop
      </Button>
    );
  return (
    <Button
      variant="primary"
      icon={Play}
      disabledReason={reason ?? (open === 0 ? 'Every prompt is answered by both models.' : undefined)}
      onClick={begin}
    >
      {answeredIn(items) === 0 || open === 0 ? 'Ask all' : `Ask the other ${formatNumber(open)}`}
    </Button>
  );
}

/** How many prompts both models have answered. */
const answeredIn = (items: WholeComparison['items']) =>
  items.filter(({ tuned, base }) => tuned?.state === 'complete' && base?.state === 'complete').length;

/** What can be done with a single prompt, and why the last of it was refused. */
function useActions(id: number, items: WholeComparison['items'], isAskingAll: boolean) {
  const [problem, setProblem] = useState<(AskRefusal & { promptId: number }) | null>(null);
  const { mutate: ask, isPending } = useAskPrompt(id);
  const { mutate: vote } = useVote(id);
  const { mutate: stop } = useStopAnswers();
  const actions = useMemo<PromptActions>(() => {
    const askOne = (promptId: number, again: boolean, overBudget: boolean) => {
      setProblem(null);
      ask(
        { promptId, again, overBudget },
        { onError: (error) => setProblem({ promptId, error, insist: () => askOne(promptId, again, true) }) },
      );
    };
    return {
      ask: (promptId, again) => askOne(promptId, again, false),
      stop: (runIds) => stop(runIds, { onError: tellFailure('The answers were not stopped') }),
      vote: (promptId, choice) => vote({ promptId, vote: choice }, { onError: tellFailure('Your vote was not saved') }),
    };
  }, [ask, vote, stop]);
  const isBusy = isPending || items.some((prompt) => runsOf(prompt).length > 0);
  const blocked = isAskingAll || isBusy ? 'Two answers are written at a time. Wait for them, or stop them.' : undefined;
  return { actions, single: { problem, clear: () => setProblem(null) }, blocked };
}
