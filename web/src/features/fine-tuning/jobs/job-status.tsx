import type { Job, JobStatus } from '@roster/contracts/fine-tuning/jobs';
import { formatNumber } from '#web/lib/text/format.ts';
import { Badge, type BadgeTone } from '#web/ui/badge.tsx';
import { ShareBar } from '#web/ui/charts/share-bar.tsx';

const looks: Record<JobStatus, { tone: BadgeTone; word: string }> = {
  created: { tone: 'primary', word: 'Created' },
  validating_files: { tone: 'violet', word: 'Validating files' },
  queued: { tone: 'primary', word: 'Queued' },
  running: { tone: 'warning', word: 'Running' },
  paused: { tone: 'neutral', word: 'Paused' },
  succeeded: { tone: 'success', word: 'Succeeded' },
  failed: { tone: 'destructive', word: 'Failed' },
  cancelled: { tone: 'neutral', word: 'Cancelled' },
};

export function JobStatusBadge({ job: { status, cancelling } }: { job: Job }) {
  const { tone, word } = looks[status];
  return <Badge tone={tone}>{cancelling ? `${word}, cancelling` : word}</Badge>;
}

/** 0 to 1; null while unknown. */
export function progressShare({ status, progress }: Job): number | null {
  if (status === 'succeeded') return 1;
  if (!progress || progress.totalSteps === null || progress.totalSteps === 0) return null;
  return Math.min(1, progress.step / progress.totalSteps);
}

/** '120 of 300 steps' */
export function stepsText({ progress }: Job): string | null {
  if (!progress) return null;
  const { step, totalSteps } = progress;
  return totalSteps === null
    ? `${formatNumber(step)} steps`
    : `${formatNumber(step)} of ${formatNumber(totalSteps)} steps`;
}

/** Progress as a thin bar and as text. */
export function JobProgress({ job }: { job: Job }) {
  const share = progressShare(job);
  const words = stepsText(job);
  if (words === null) return <span className="text-muted-foreground">–</span>;
  return (
    <span className="flex items-center gap-2.5">
      {share !== null && (
        <ShareBar
          className="max-w-16 min-w-8 flex-1"
          whole={1}
          parts={[
            { key: 'done', value: share, className: job.status === 'succeeded' ? 'fill-success' : 'fill-primary' },
          ]}
        />
      )}
      <span className="min-w-10 tabular-nums" title={words}>
        {share === null ? words : `${Math.floor(share * 100)}%`}
      </span>
    </span>
  );
}
