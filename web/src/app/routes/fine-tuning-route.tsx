import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MigrateAssistants } from '#web/features/assistants/model-migrations/migrate-assistants.tsx';
import { ComparisonList } from '#web/features/comparisons/comparison-list.tsx';
import { ComparisonPage } from '#web/features/comparisons/comparison-page.tsx';
import { DatasetPage } from '#web/features/fine-tuning/datasets/dataset-page.tsx';
import { FineTuningPage } from '#web/features/fine-tuning/fine-tuning-page.tsx';
import { JobPage } from '#web/features/fine-tuning/jobs/job-page.tsx';

export function FineTuningRoute() {
  const { tab = 'jobs', train, validate, again, ...search } = useSearch({ from: '/signed-in/fine-tuning' });
  const { tuned, base, prompts } = search;
  const navigate = useNavigate();
  const files = train === undefined ? undefined : { trainingFileId: train, validationFileId: validate ?? null };
  const newJob = again === undefined ? files : { again, base };
  // Replace, so that Back does not open the dialog again.
  const onStarted = () => void navigate({ to: '/fine-tuning', search: { tab }, replace: true });
  return (
    <FineTuningPage
      tab={tab}
      onTabChange={(next) => void navigate({ to: '/fine-tuning', search: { tab: next } })}
      newJob={newJob}
      comparisons={
        <ComparisonList
          begin={tuned === undefined ? undefined : { tunedModel: tuned, baseModel: base, fileId: prompts }}
          onStarted={onStarted}
        />
      }
      onStarted={onStarted}
    />
  );
}

export function JobRoute() {
  const { id } = useParams({ from: '/signed-in/fine-tuning/jobs/$id' });
  return <JobPage key={id} jobId={id} />;
}

export function DatasetRoute() {
  const { id } = useParams({ from: '/signed-in/fine-tuning/datasets/$id' });
  return <DatasetPage key={id} datasetId={id} />;
}

export function ComparisonRoute() {
  const { id } = useParams({ from: '/signed-in/fine-tuning/comparisons/$id' });
  return (
    <ComparisonPage
      key={id}
      comparisonId={id}
      moving={({ fromModel, toModel, assistantId, onClose }) => (
        <MigrateAssistants fromModel={fromModel} successor={toModel} only={assistantId} onClose={onClose} />
      )}
    />
  );
}
