import type { ComparedAnswer } from '@roster/contracts/comparisons/comparisons';
import { useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useEffect } from 'react';
import { modelName } from '#web/api/model-names.ts';
import { useLiveRun, watchRun } from '#web/api/runs/run-store.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCost, formatNumber } from '#web/lib/text/format.ts';
import { Badge } from '#web/ui/badge.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { durationOf, formatSeconds } from './shared/figures.ts';
import { isInProgress, showAnswerEnd } from './shared/queries.ts';

type AnswerColumnProps = {
  comparisonId: number;
  promptId: number;
  answer: ComparedAnswer | null;
  name: string;
  /** null while hidden, like the usage, which would reveal it. */
  model: string | null;
  isBetter: boolean;
};

/** One model's answer, streaming or complete. */
export function AnswerColumn({ comparisonId, promptId, answer, name, model, isBetter }: AnswerColumnProps) {
  const client = useQueryClient();
  const runId = answer !== null && isInProgress(answer) ? answer.runId : null;
  useEffect(() => {
    if (runId === null) return;
    return watchRun(runId, (ended) => showAnswerEnd(client, comparisonId, promptId, runId, ended));
  }, [client, comparisonId, promptId, runId]);
  const run = useLiveRun(runId);
  const text = runId === null ? (answer?.text ?? '') : (run?.text ?? '');
  return (
    <section aria-label={`${name} answer`} className="flex min-w-0 flex-col px-5 py-4">
      <header className="mb-2 flex min-h-7 items-center gap-2">
        <h3 className="shrink-0 font-medium">{name}</h3>
        {model && (
          <span className="min-w-0 truncate font-mono text-muted-foreground text-sm" title={modelName(model)}>
            <ModelName model={model} />
          </span>
        )}
        <span className="ms-auto flex shrink-0 items-center gap-1">
          {isBetter && (
            <Badge tone="success" icon={Check}>
              Better
            </Badge>
          )}
          {text !== '' && runId === null && <CopyButton text={text} label={`Copy ${name} answer`} />}
        </span>
      </header>
      <div aria-live="off" className="flex-1">
        {answer === null && <p className="text-muted-foreground">Not asked yet</p>}
        <AnswerText text={text} live={runId !== null} />
        {runId !== null && (
          <p className="mt-1 flex min-h-6 items-center gap-2 text-muted-foreground text-sm">
            <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-primary" />
            {run?.connection === 'lost'
              ? 'Connection lost. Reconnecting; the answer continues in the meantime.'
              : text === ''
                ? 'Waiting for the model'
                : 'Writing'}
          </p>
        )}
        {answer !== null && runId === null && <Outcome answer={answer} />}
      </div>
      {answer !== null && runId === null && model !== null && <AnswerFigures answer={answer} />}
    </section>
  );
}

function Outcome({ answer: { state, text, error } }: { answer: ComparedAnswer }) {
  if (state === 'complete' && text === '')
    return <p className="text-muted-foreground">The model returned an empty answer.</p>;
  if (state === 'stopped') return <p className="mt-2 text-muted-foreground text-sm">Stopped</p>;
  if (state === 'interrupted')
    return (
      <Notice tone="warning" title="Interrupted: the server stopped while writing this answer" className="mt-2">
        The text received so far is kept.
      </Notice>
    );
  if (state !== 'failed') return null;
  return (
    <Notice tone="destructive" title="This model did not answer" className="mt-2">
      <span className="wrap-anywhere">{error?.message ?? 'The answer failed.'}</span>
    </Notice>
  );
}

/** Tokens, cost and duration of an answer. */
function AnswerFigures({ answer }: { answer: ComparedAnswer }) {
  const { usage } = answer;
  const time = durationOf(answer);
  const about = usage?.estimated ? '≈ ' : '';
  const figures = [
    usage && `${about}${formatNumber(usage.inputTokens)} in, ${formatNumber(usage.outputTokens)} out`,
    time !== null && formatSeconds(time),
    usage && (usage.costUsd === null ? 'no price known' : `${about}${formatCost(usage.costUsd)}`),
  ].filter((figure) => typeof figure === 'string');
  // A refused request has no usage.
  if (!usage) return null;
  return (
    <p
      className="mt-3 flex flex-wrap gap-x-3 gap-y-1 text-muted-foreground text-sm tabular-nums"
      title={usage?.estimated ? 'Tokens estimated by Roster because the provider did not report them.' : undefined}
    >
      {figures.map((figure) => (
        <span key={figure} className="whitespace-nowrap">
          {figure}
        </span>
      ))}
    </p>
  );
}
