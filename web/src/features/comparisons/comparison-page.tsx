import { comparisons } from '@roster/contracts/comparisons/comparisons';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Play, Square, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Switch } from '#web/ui/forms/switch.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { DeleteComparisonDialog } from './delete-comparison-dialog.tsx';
import { DraftActions } from './draft-actions.tsx';
import { JudgeCard } from './judging/judge-card.tsx';
import { useJudging } from './judging/use-judging.ts';
import { type AskRefusal, type PromptActions, PromptCard } from './prompt-card.tsx';
import { MoveButton, type ReplayedMove } from './replays/move-button.tsx';
import { ResultsCard } from './results-card.tsx';
import { AskProblem } from './shared/ask-problem.tsx';
import {
  comparisonQuery,
  isOpen,
  runsOf,
  sidesIn,
  useAskPrompt,
  useStopAnswers,
  useVote,
  type WholeComparison,
} from './shared/queries.ts';
import { type Side, sideNames, sidesOf } from './shared/sides.ts';
import { SummaryCard } from './summary-card.tsx';
import { RunResultsCard } from './test-sets/run-results-card.tsx';
import { useRunComparison } from './use-run-comparison.ts';

type EstimateProps = { comparisonId: number; open: number };

/** Estimated cost of the open prompts, before they are asked. */
function Estimate({ comparisonId, open }: EstimateProps) {
  const { data } = useQuery({
    queryKey: ['comparisons', 'estimate', comparisonId, open],
    queryFn: ({ signal }) => call(comparisons.estimate, { params: { id: comparisonId } }, signal),
  });
  if (!data || data.answers === 0) return null;
  const { answers, costUsd, unpriced } = data;
  const unknown = unpriced.length === 0 ? '' : `No price is known for ${unpriced.join(' and ')}.`;
  return (
    <p className="text-muted-foreground text-sm">
      {costUsd !== null && `Asking ${formatCount(answers, 'answer')} costs about ${formatCost(costUsd)}. `}
      {unknown}
    </p>
  );
}

const back = (
  <Link
    to="/fine-tuning"
    search={{ tab: 'compare' }}
    className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
  >
    All comparisons
  </Link>
);

type ComparisonPageProps = {
  comparisonId: number;
  /** Renders the migration to the tested model; supplied by another feature. */
  moving: (move: ReplayedMove) => ReactNode;
};

export function ComparisonPage({ comparisonId, moving }: ComparisonPageProps) {
  const { data, error, isFetching, refetch } = useQuery(comparisonQuery(comparisonId));
  if (data) return <Loaded comparison={data} moving={moving} />;
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

type LoadedProps = Pick<ComparisonPageProps, 'moving'> & { comparison: WholeComparison };

function Loaded({ comparison, moving }: LoadedProps) {
  const { id, items, candidate, baseline } = comparison;
  const models = useMemo<Record<Side, string>>(
    () => ({ candidate: candidate.model, baseline: baseline?.model ?? '' }),
    [candidate.model, baseline?.model],
  );
  const sides = sidesOf(comparison);
  const { reason } = useEditAccess();
  const asking = useRunComparison(comparison);
  const { actions, single, blocked } = useActions(id, items, asking.isAsking);
  const [isBlind, setIsBlind] = useState(false);
  const judging = useJudging(comparison);
  return (
    <Page
      title={comparison.kind === 'test' ? 'Test Run' : 'Comparison'}
      lead={<Lead comparison={comparison} />}
      action={
        <>
          <DeleteButton comparison={comparison} />
          <MoveButton comparison={comparison} moving={moving} />
          <AskAllButton comparison={comparison} asking={asking} onBegin={single.clear} />
        </>
      }
    >
      <div className="space-y-6">
        {hasDraft(comparison) && <DraftActions comparison={comparison} />}
        {comparison.kind === 'test' && <RunResultsCard comparison={comparison} isBlind={isBlind} />}
        <SummaryCard comparison={comparison} />
        <Progress comparison={comparison} isBlind={isBlind} onBlind={setIsBlind} />
        {!asking.isAsking && reason === undefined && <Estimate comparisonId={id} open={openIn(items, sides)} />}
        {asking.problem ? (
          <AskProblem error={asking.problem} isWaiting={asking.isWaiting} onAskAnyway={() => asking.begin(true)} />
        ) : null}
        {sides.length > 1 && <JudgeCard comparison={comparison} judging={judging} reason={reason} />}
        {comparison.kind !== 'test' && (
          <ResultsCard comparison={comparison} judging={judging.shown} isBlind={isBlind} />
        )}
        {items.map((prompt, index) => (
          <PromptCard
            key={prompt.id}
            comparisonId={id}
            number={index + 1}
            prompt={prompt}
            sides={sides}
            names={sideNames(comparison)}
            models={models}
            isBlind={isBlind}
            verdict={judging.verdicts.get(prompt.id)}
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

type ProgressProps = { comparison: WholeComparison; isBlind: boolean; onBlind: (isBlind: boolean) => void };

function Progress({ comparison, isBlind, onBlind }: ProgressProps) {
  const { items } = comparison;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <output className="sentence block text-muted-foreground tabular-nums">
        {formatNumber(answeredIn(items, sidesOf(comparison)))} of {formatCount(items.length, 'prompt')} answered
      </output>
      <Switch
        label="Blind"
        description="Hides which model is which until you have voted."
        checked={isBlind}
        onChange={(event) => onBlind(event.target.checked)}
      />
    </div>
  );
}

/** A test run has a draft if its candidate is not a saved version. */
const hasDraft = ({ kind, candidate }: WholeComparison) =>
  kind === 'draft' || (kind === 'test' && candidate.assistantVersion === null);

function Lead({ comparison: { kind, title, candidate, createdAt } }: { comparison: WholeComparison }) {
  return (
    <>
      {back} · {formatLongDate(createdAt)} · {kind === 'models' ? temperatureWords(candidate.temperature) : title}
    </>
  );
}

function DeleteButton({ comparison }: { comparison: WholeComparison }) {
  const { reason } = useEditAccess();
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
  comparison: WholeComparison;
  asking: ReturnType<typeof useRunComparison>;
  onBegin: () => void;
};

function AskAllButton({ comparison, asking, onBegin }: AskAllButtonProps) {
  const { reason } = useEditAccess();
  const { items } = comparison;
  const sides = sidesOf(comparison);
  const open = openIn(items, sides);
  const begin = () => {
    onBegin();
    asking.begin();
  };
  if (asking.isAsking)
    return (
      <Button icon={Square} disabledReason={reason} busy={asking.isEnding} onClick={() => asking.end()}>
        Stop
      </Button>
    );
  const allAnswered = sides.length > 1 ? 'Every prompt is answered by both models.' : 'Every prompt is answered.';
  return (
    <Button
      variant="primary"
      icon={Play}
      disabledReason={reason ?? (open === 0 ? allAnswered : undefined)}
      onClick={begin}
    >
      {answeredIn(items, sides) === 0 || open === 0 ? 'Ask all' : `Ask the other ${formatNumber(open)}`}
    </Button>
  );
}

/** Number of prompts that all sides have answered. */
const answeredIn = (items: WholeComparison['items'], sides: readonly Side[]) =>
  items.filter((prompt) => sidesIn(prompt, sides).every((side) => prompt[side]?.state === 'complete')).length;
const openIn = (items: WholeComparison['items'], sides: readonly Side[]) =>
  items.filter((prompt) => isOpen(prompt, sides)).length;

/** Actions on single prompts, and why the last one was refused. */
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
        { onError: (error) => setProblem({ promptId, error, askAnyway: () => askOne(promptId, again, true) }) },
      );
    };
    return {
      ask: (promptId, again) => askOne(promptId, again, false),
      stop: (runIds) => stop(runIds, { onError: showFailure('Failed to stop the answers') }),
      vote: (promptId, choice) =>
        vote({ promptId, vote: choice }, { onError: showFailure('Failed to save your vote') }),
    };
  }, [ask, vote, stop]);
  const isBusy = isPending || items.some((prompt) => runsOf(prompt).length > 0);
  const blocked = isAskingAll || isBusy ? 'Two answers are written at a time. Wait for them, or stop them.' : undefined;
  return { actions, single: { problem, clear: () => setProblem(null) }, blocked };
}
