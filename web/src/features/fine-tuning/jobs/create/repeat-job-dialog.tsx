import type { File } from '@roster/contracts/files/files';
import type { BaseModel, Job } from '@roster/contracts/fine-tuning/jobs';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { jobQuery } from '#web/api/fine-tuning.ts';
import { Notice } from '#web/ui/states/notice.tsx';
import { CreateJobDialog } from './create-job-dialog.tsx';
import type { JobStart } from './job-form.ts';

type AgainDialogProps = {
  /** Job to repeat, and its new base. */
  jobId: number;
  base: string | undefined;
  baseModels: Record<string, BaseModel>;
  files: readonly File[];
  onClose: () => void;
};

/** Creates a job with the settings of an earlier one on another base. Nothing is saved until it is created. */
export function RepeatJobDialog({ jobId, base, baseModels, files, onClose }: AgainDialogProps) {
  const { data: job, isPending } = useQuery(jobQuery(jobId));
  if (isPending) return null;
  return (
    <CreateJobDialog
      baseModels={baseModels}
      files={files}
      start={job && startOf(job, base, baseModels)}
      notice={job && job.trainingFile.id === null && <MissingFile job={job} />}
      onClose={onClose}
    />
  );
}

function startOf(job: Job, base: string | undefined, baseModels: Record<string, BaseModel>): JobStart {
  const model = base === undefined ? undefined : baseModels[base];
  const { name, method, hyperparameters, trainingFile, validationFile } = job;
  return {
    name,
    baseModel: model && base !== undefined ? base : '',
    method: model && !model.methods.includes(method) ? (model.methods[0] ?? method) : method,
    hyperparameters,
    trainingFileId: trainingFile.id,
    validationFileId: validationFile?.id ?? null,
  };
}

function MissingFile({ job: { trainingFile, dataset } }: { job: Job }) {
  return (
    <Notice
      tone="warning"
      action={
        dataset && (
          <Link
            to="/fine-tuning/datasets/$id"
            params={{ id: dataset.id }}
            className="rounded-xs text-primary-text underline underline-offset-4"
          >
            Save <bdi>{dataset.name}</bdi> as a file again
          </Link>
        )
      }
    >
      <bdi>{trainingFile.filename}</bdi>, which it was trained with, no longer exists here. Choose another training
      file.
    </Notice>
  );
}
