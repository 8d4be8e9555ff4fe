import type { Job } from '@roster/contracts/fine-tuning/jobs';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { fileAddress } from '#web/api/files.ts';
import { fetchResultFile } from '#web/api/fine-tuning.ts';
import { saveBlob } from '#web/lib/download.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatDateTime } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';

/** Inputs and ids of a job. */
export function JobDetails({ job }: { job: Job }) {
  const { n_epochs, batch_size, learning_rate_multiplier, beta } = job.hyperparameters;
  return (
    <Card aria-label="Details" className="min-w-0 self-start">
      <CardHeader title="Details" />
      <dl className="grid gap-3.5 p-5">
        <Detail label="Training file">
          <JobFile file={job.trainingFile} />
        </Detail>
        <Detail label="Validation file">{job.validationFile ? <JobFile file={job.validationFile} /> : 'None'}</Detail>
        {job.dataset && (
          <Detail label="Dataset">
            <Link
              to="/fine-tuning/datasets/$id"
              params={{ id: job.dataset.id }}
              className="rounded-xs text-primary-text underline-offset-4 hover:underline"
            >
              <bdi>{job.dataset.name}</bdi>
            </Link>
          </Detail>
        )}
        <Detail label="Method">{job.method === 'dpo' ? 'Preference (DPO)' : 'Supervised'}</Detail>
        <Detail label="Epochs">{n_epochs ?? 'auto'}</Detail>
        <Detail label="Batch size">{batch_size ?? 'auto'}</Detail>
        <Detail label="Learning rate multiplier">{learning_rate_multiplier ?? 'auto'}</Detail>
        {job.method === 'dpo' && <Detail label="Beta">{beta ?? 'auto'}</Detail>}
        <Detail label="Created">{formatDateTime(job.createdAt)}</Detail>
        {job.finishedAt && <Detail label="Finished">{formatDateTime(job.finishedAt)}</Detail>}
        <Detail label="Job at the provider">
          {job.providerJobId ? <CopiedId id={job.providerJobId} what="job" /> : 'Not sent yet'}
        </Detail>
        {job.tunedModel && (
          <Detail label="Fine-tuned model">
            <CopiedId id={modelIdOf(job.tunedModel)} what="model" />
          </Detail>
        )}
      </dl>
      {job.status === 'succeeded' && (
        <div className="px-5 pb-5">
          <ResultButton job={job} />
        </div>
      )}
    </Card>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted-foreground text-sm">{label}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

function JobFile({ file: { id, filename } }: { file: Job['trainingFile'] }) {
  if (id === null) return <span title="This file is not stored here.">{filename}</span>;
  return (
    <a
      href={fileAddress(id)}
      download={filename}
      title={`Download ${filename}`}
      className="rounded-xs text-primary-text underline-offset-4 hover:underline"
    >
      {filename}
    </a>
  );
}

function CopiedId({ id, what }: { id: string; what: string }) {
  return (
    <span className="flex items-start gap-1">
      <code className="min-w-0 flex-1 py-1 font-mono text-xs">{id}</code>
      <CopyButton text={id} label={`Copy the ${what} id`} />
    </span>
  );
}

function ResultButton({ job: { id, name } }: { job: Job }) {
  const [isLoading, setLoading] = useState(false);
  const download = async () => {
    setLoading(true);
    try {
      saveBlob(`${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-') || 'job'}-metrics.csv`, await fetchResultFile(id));
    } catch (error) {
      showFailure('Download failed', 'The result file could not be read.')(error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button icon={Download} busy={isLoading} pendingLabel="Downloading..." onClick={() => void download()}>
      Download Results (CSV)
    </Button>
  );
}
