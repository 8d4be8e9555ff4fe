import type { TrainingFileReport, TrainingReport } from '@roster/contracts/fine-tuning/training-files';
import type { ReactNode } from 'react';
import { ApiError, errorText } from '#web/lib/api-client.ts';
import { formatCost, formatCount, formatLongDate, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';
import { trainingCost } from '../training-file-queries.ts';
import { ProblemList } from './problem-list.tsx';
import type { TrainingCheck } from './use-training-check.ts';

type TrainingCheckPanelProps = {
  check: TrainingCheck;
  epochs: number | 'auto';
  /** Without a model there are no prices. */
  hasModel: boolean;
  /** Suggested actions for the training and the validation file. */
  offers: { training: ReactNode; validation: ReactNode };
};

/** Result of checking the selected files, shown where the user looks before creating the job. */
export function TrainingCheckPanel({ check, epochs, hasModel, offers }: TrainingCheckPanelProps) {
  const { report, error, isRunning, isStopped, stop, again } = check;
  if (!report && !error && !isRunning && !isStopped) return null;
  return (
    <section aria-label="File check" aria-busy={isRunning || undefined}>
      <output className="block">
        {isRunning && (
          <span className="flex min-h-9 items-center gap-3 rounded-md border border-border px-3.5 py-2.5">
            <Spinner />
            <span className="min-w-0 flex-1">Checking every line. Nothing is sent to the provider.</span>
            <Button size="sm" onClick={stop}>
              Cancel Check
            </Button>
          </span>
        )}
      </output>
      {isStopped && !isRunning && (
        <Notice
          title="Not checked"
          action={
            <Button size="sm" onClick={again}>
              Check Again
            </Button>
          }
        >
          The check was cancelled. The provider may refuse the file later.
        </Notice>
      )}
      {error && !isRunning && !isStopped && (
        <Notice
          tone="destructive"
          live
          title="Failed to check the files"
          action={
            <Button size="sm" onClick={again}>
              Check Again
            </Button>
          }
        >
          {errorText(error)}
          {error instanceof ApiError && error.retryAfterSeconds !== undefined && ` (in ${error.retryAfterSeconds} s)`}
        </Notice>
      )}
      {report && !isRunning && !isStopped && (
        <Report report={report} epochs={epochs} hasModel={hasModel} offers={offers} />
      )}
    </section>
  );
}

type ReportProps = { report: TrainingReport } & Pick<TrainingCheckPanelProps, 'epochs' | 'hasModel' | 'offers'>;

function Report({ report, epochs, hasModel, offers }: ReportProps) {
  const { ok, training, validation, overlap, tookMs } = report;
  const estimate = trainingCost(report, epochs);
  const price =
    estimate.costUsd !== null ? `≈ ${formatCost(estimate.costUsd)}` : hasModel ? 'No price known' : 'Choose a model';
  const problems = training.errors + (validation?.errors ?? 0);
  const found = ok
    ? { tone: 'success' as const, title: 'Ready to train' }
    : { tone: 'destructive' as const, title: 'Not ready to train' };
  const took = tookMs < 1000 ? `${formatNumber(tookMs)} ms` : `${(tookMs / 1000).toFixed(1)} s`;
  return (
    <div className="grid gap-4">
      <Notice tone={found.tone} live title={found.title}>
        {ok
          ? `${formatCount(training.lines, 'line')} checked in ${took}. Nothing was sent to the provider.`
          : problems > 0
            ? `${formatCount(problems, 'problem')} to fix in the ${training.errors > 0 ? 'training' : 'validation'} file.`
            : 'These files cannot be used for training.'}
      </Notice>
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border border-border bg-border sm:grid-cols-4">
        <Figure label="Examples" figure={formatNumber(training.examples)} />
        <Figure label="Tokens in the file" figure={formatNumber(training.tokens)} />
        <Figure
          label={`Trained tokens, ${formatCount(estimate.epochs, 'epoch')}${epochs === 'auto' ? ' likely' : ''}`}
          figure={`≈ ${formatNumber(estimate.tokens)}`}
        />
        <Figure
          label={
            estimate.costUsd === null
              ? 'Estimated price'
              : `Estimated price${estimate.priceAsOf ? `, as of ${formatLongDate(estimate.priceAsOf)}` : ''}`
          }
          figure={price}
        />
      </dl>
      <FileFindings name="Training file" report={training} />
      {offers.training}
      {validation && <FileFindings name="Validation file" report={validation} />}
      {overlap.examples > 0 && (
        <Notice tone="warning" title={`${formatCount(overlap.examples, 'example')} in both files`}>
          Validation on training examples proves nothing. Remove them from one of the files
          {overlap.lines.length > 0 && `: ${overlapLines(overlap.lines)}`}
          {overlap.examples > overlap.lines.slice(0, overlapShown).length ? ' and more' : ''}.
        </Notice>
      )}
      {offers.validation}
    </div>
  );
}

const overlapShown = 5;
const overlapLines = (lines: TrainingReport['overlap']['lines']) =>
  lines
    .slice(0, overlapShown)
    .map(({ training, validation }) => `line ${formatNumber(training)} matches line ${formatNumber(validation)}`)
    .join(', ');

function Figure({ label, figure }: { label: string; figure: string }) {
  return (
    <div className="flex flex-col justify-between gap-1 bg-popover px-3.5 py-2.5">
      <dt className="text-muted-foreground text-sm">{label}</dt>
      <dd className="font-medium tabular-nums">{figure}</dd>
    </div>
  );
}

const formats: Record<TrainingFileReport['format'], string> = {
  chat: 'chat examples',
  preference: 'preference pairs',
  prompt_completion: 'prompt-completion pairs',
  unknown: 'of unknown format',
};

/** A summary of a file with its problems. */
function FileFindings({ name, report }: { name: string; report: TrainingFileReport }) {
  const { filename, format, lines, examples, longestTokens, cutExamples, duplicates } = report;
  const facts = [
    formats[format],
    lines === examples
      ? formatCount(examples, 'example')
      : `${formatNumber(examples)} of ${formatCount(lines, 'line')} usable`,
    longestTokens > 0 && `the longest of ${formatCount(longestTokens, 'token')}`,
    duplicates > 0 ? formatCount(duplicates, 'duplicate') : 'no duplicates',
    cutExamples > 0 && `${formatCount(cutExamples, 'example')} too long and cut off`,
  ].filter(Boolean);
  return (
    <div>
      <h3 className="font-medium">{name}</h3>
      <p className="wrap-anywhere text-muted-foreground text-sm">
        <bdi>{filename}</bdi>: {facts.join(', ')}.
      </p>
      <ProblemList report={report} />
    </div>
  );
}
