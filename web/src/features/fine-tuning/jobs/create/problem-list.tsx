import type { TrainingFileReport } from '@roster/contracts/fine-tuning/training-files';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { formatCount, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';

const shownFirst = 8;

/** Problems in a file by line, with fixes. */
export function ProblemList({ report }: { report: TrainingFileReport }) {
  const [showsAll, setShowsAll] = useState(false);
  const { problems, errors, warnings, filename } = report;
  if (problems.length === 0) return null;
  const shown = showsAll ? problems : problems.slice(0, shownFirst);
  const unlisted = errors + warnings - problems.length;
  return (
    <>
      <ul
        aria-label={`Problems in ${filename}`}
        className="mt-2 divide-y divide-border rounded-md border border-border"
      >
        {shown.map(({ line, severity, message, fix }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may have several problems, and the list does not change
          <li key={index} className="flex gap-3 px-3.5 py-2.5">
            <span className="flex h-5 items-center">
              {severity === 'error' ? (
                <CircleAlert aria-label="Error" className="size-4 text-destructive-text" />
              ) : (
                <TriangleAlert aria-label="Warning" className="size-4 text-warning-text" />
              )}
            </span>
            <span className="wrap-anywhere min-w-0 flex-1">
              <span className="font-medium tabular-nums">
                {line === null ? 'Whole file' : `Line ${formatNumber(line)}`}
              </span>
              {`: ${message}`}
              <span className="block text-muted-foreground text-sm">{fix}</span>
            </span>
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap items-center gap-3 text-muted-foreground text-sm">
        {problems.length > shown.length && (
          <Button size="sm" variant="ghost" className="-ms-2.5" onClick={() => setShowsAll(true)}>
            {`Show ${formatNumber(problems.length - shown.length)} more`}
          </Button>
        )}
        {unlisted > 0 && showsAll && `${formatCount(unlisted, 'more problem')} not listed.`}
      </div>
    </>
  );
}
