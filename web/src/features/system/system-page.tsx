import type { SystemReport, SystemWarning } from '@roster/contracts/system';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { FailedJobs } from './failed-jobs.tsx';
import { SystemParts } from './parts.tsx';
import { retiringModelsQuery, systemQuery } from './queries.ts';
import { RetiringModels } from './retiring-models.tsx';

/** State of the installation, for administrators. */
export function SystemPage() {
  const { data: report, error, isFetching, refetch } = useQuery(systemQuery);
  const client = useQueryClient();
  const again = () => {
    void refetch();
    void client.invalidateQueries({ queryKey: retiringModelsQuery.queryKey });
  };
  const jobs = report?.jobs.answer;
  return (
    <Page
      title="System"
      lead="Health and status of this installation."
      action={
        <Button icon={RotateCw} busy={isFetching} onClick={again}>
          Refresh
        </Button>
      }
    >
      {error && (
        <ErrorState
          className="mb-4"
          title="Failed to load system status"
          message={errorText(error, 'The server did not report its status.')}
          busy={isFetching}
          onRetry={again}
        />
      )}
      {report && <Warnings warnings={report.warnings} />}
      {report && isWell(report) && (
        <Notice tone="success" className="mb-6">
          Everything is working.
        </Notice>
      )}
      {(report || !error) && <SystemParts report={report} />}
      <RetiringModels />
      {jobs && <FailedJobs jobs={jobs.newestGivenUp} total={jobs.givenUp} />}
    </Page>
  );
}

function isWell({ warnings, processes, database, storage, files, disk, jobs, mail, backups }: SystemReport): boolean {
  const parts = [processes, database, storage, files, disk, jobs, mail, backups];
  return warnings.length === 0 && parts.every(({ problem }) => problem === null);
}

const tones = { problem: 'warning', advice: 'info' } as const;

function Warnings({ warnings }: { warnings: readonly SystemWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul aria-label="Needs attention" className="mb-6 flex flex-col gap-2">
      {warnings.map(({ level, text }) => (
        <li key={text}>
          <Notice tone={tones[level]}>{text}</Notice>
        </li>
      ))}
    </ul>
  );
}
