import type { Judging, JudgingDetail } from '@roster/contracts/comparisons/judging';
import { Play, Plus, Square, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { AskProblem } from '#web/features/comparisons/shared/ask-problem.tsx';
import type { WholeComparison } from '#web/features/comparisons/shared/queries.ts';
import { sideNames } from '#web/features/comparisons/shared/sides.ts';
import { TallyBar } from '#web/features/comparisons/shared/tally.tsx';
import { ApiError } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCost, formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { JudgeForm } from './judge-form.tsx';
import { agreementText } from './labels.ts';
import { type JudgingDraft, useJudgingCalls } from './queries.ts';
import type { useJudging } from './use-judging.ts';

type JudgeCardProps = {
  comparison: WholeComparison;
  judging: ReturnType<typeof useJudging>;
  /** Reason for Viewers why nothing can be asked. */
  reason: string | undefined;
};

/** Starts a judging; the user may repeat it over the budget. */
function useStartJudging(calls: ReturnType<typeof useJudgingCalls>, onMade: (made: Judging) => void) {
  const [last, setLast] = useState<JudgingDraft | null>(null);
  const begin = (draft: JudgingDraft, overBudget = false) => {
    setLast(draft);
    calls.create.mutate({ ...draft, overBudget }, { onSuccess: onMade });
  };
  return { begin, judgeAnyway: last && (() => begin(last, true)) };
}

function ShownChoice({ judging: { judgings, shown, choose } }: Pick<JudgeCardProps, 'judging'>) {
  return (
    <Select
      aria-label="Selected judgment"
      value={shown?.id ?? ''}
      onChange={(event) => choose(Number(event.target.value))}
      className="max-w-md"
    >
      {judgings.map(({ id, model }, index) => (
        <option key={id} value={id}>
          {`${formatNumber(judgings.length - index)}. ${modelName(model)}`}
        </option>
      ))}
    </Select>
  );
}

/** A model as judge, next to the user's own votes. */
export function JudgeCard({ comparison, judging, reason }: JudgeCardProps) {
  const { id, items } = comparison;
  const { judgings, shown, choose } = judging;
  const calls = useJudgingCalls(id);
  const [isNew, setIsNew] = useState(false);
  const { begin, judgeAnyway } = useStartJudging(calls, (made) => {
    choose(made.id);
    setIsNew(false);
  });
  const answered = items.filter(
    ({ candidate, baseline }) => candidate?.state === 'complete' && baseline?.state === 'complete',
  ).length;
  const isForm = judgings.length === 0 || isNew;
  return (
    <Card aria-label="Judge">
      <CardHeader
        title="Judge"
        description="A model decides which answer is better, in addition to your votes. It judges each prompt twice, in both orders, so that the order does not influence the result."
        action={
          !isForm && (
            <div className="flex gap-2">
              {shown && <DeleteJudging id={shown.id} calls={calls} reason={reason} />}
              <Button icon={Plus} size="sm" disabledReason={reason} onClick={() => setIsNew(true)}>
                New judgment
              </Button>
            </div>
          )
        }
      />
      <CardBody className="space-y-4">
        {isForm ? (
          <JudgeForm
            comparisonId={id}
            answered={answered}
            disabledReason={
              reason ?? (answered === 0 ? 'Ask the prompts first: a judge needs both answers.' : undefined)
            }
            busy={calls.create.isPending}
            onStart={(draft) => begin(draft)}
            onCancel={judgings.length > 0 ? () => setIsNew(false) : undefined}
          />
        ) : (
          judgings.length > 1 && <ShownChoice judging={judging} />
        )}
        {calls.create.error && judgeAnyway && (
          <AskProblem error={calls.create.error} isWaiting={false} onAskAnyway={judgeAnyway} />
        )}
        {!isForm && shown && <Shown comparison={comparison} shown={shown} calls={calls} reason={reason} />}
      </CardBody>
    </Card>
  );
}

type ShownProps = {
  comparison: WholeComparison;
  shown: JudgingDetail;
  calls: ReturnType<typeof useJudgingCalls>;
  reason: string | undefined;
};

function Shown({ comparison, shown, calls, reason }: ShownProps) {
  const { verdicts, tally, refusal, state, criteria, model } = shown;
  const names = sideNames(comparison);
  const isAsking = state === 'asking';
  const isWaiting = shown.follows && comparison.state === 'asking';
  const done = verdicts.filter(({ outcome, isStale }) => outcome !== null && !isStale).length;
  const problem =
    calls.start.error ??
    (refusal && new ApiError(refusal.message, { status: 409, code: refusal.code, hasServerMessage: true }));
  const resume = (overBudget: boolean) => calls.start.mutate({ judgingId: shown.id, overBudget });
  return (
    <>
      <div className="wrap-anywhere">
        <p className="font-medium font-mono">
          <ModelName model={model} />
        </p>
        <p dir="auto" className="mt-1 max-w-[80ch] whitespace-pre-wrap text-muted-foreground text-sm">
          {criteria}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <output className="block tabular-nums">
          {isWaiting
            ? 'Starts when all prompts have been asked'
            : `${formatNumber(done)} of ${formatCount(verdicts.length, 'prompt')} judged`}
        </output>
        {tally.position > 0 && (
          <span className="text-muted-foreground text-sm">
            {formatCount(tally.position, 'tie')} decided by position
          </span>
        )}
        {tally.unreadable > 0 && (
          <span className="text-muted-foreground text-sm">{formatNumber(tally.unreadable)} without a verdict</span>
        )}
      </div>
      {problem && <AskProblem error={problem} isWaiting={isAsking} onAskAnyway={() => resume(true)} />}
      <TallyBar tally={tally} prompts={comparison.items.length} names={names} />
      <p className="text-sm">{agreementText(shown)}</p>
      <Progress shown={shown} isWaiting={isWaiting} calls={calls} reason={reason} onResume={() => resume(false)} />
    </>
  );
}

type DeleteJudgingProps = Pick<ShownProps, 'calls' | 'reason'> & { id: number };

function DeleteJudging({ id, calls, reason }: DeleteJudgingProps) {
  return (
    <IconButton
      label="Delete judgment"
      tooltip={reason ?? 'Delete judgment'}
      icon={Trash2}
      size="sm"
      variant="secondary"
      className="size-8 max-md:size-10"
      disabled={reason !== undefined}
      onClick={() => calls.remove.mutate(id, { onError: showFailure('Failed to delete the judgment') })}
    />
  );
}

type ProgressProps = Pick<ShownProps, 'shown' | 'calls' | 'reason'> & {
  /** It resumes by itself. */
  isWaiting: boolean;
  onResume: () => void;
};

function Progress({ shown, isWaiting, calls, reason, onResume }: ProgressProps) {
  if (shown.state === 'asking')
    return (
      <Button
        size="sm"
        icon={Square}
        disabledReason={reason}
        busy={calls.stop.isPending}
        onClick={() => calls.stop.mutate(shown.id, { onError: showFailure('Failed to stop judging') })}
      >
        Stop
      </Button>
    );
  if (shown.open === 0 || isWaiting) return null;
  const { costUsd } = shown.estimate;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="sm" icon={Play} disabledReason={reason} busy={calls.start.isPending} onClick={onResume}>
        Judge {formatCount(shown.open, 'open prompt')}
      </Button>
      <span className="text-muted-foreground text-sm">
        {costUsd === null ? `No price is known for ${modelName(shown.model)}.` : `About ${formatCost(costUsd)}.`}
      </span>
    </div>
  );
}
