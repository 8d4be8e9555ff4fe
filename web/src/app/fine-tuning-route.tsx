import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ComparisonPage } from '#web/features/fine-tuning/comparisons/comparison-page.tsx';
import { DatasetPage } from '#web/features/fine-tuning/datasets/dataset-page.tsx';
import { FineTuningPage } from '#web/features/fine-tuning/fine-tuning-page.tsx';
import { JobPage } from '#web/features/fine-tuning/jobs/job-page.tsx';

export function FineTuningRoute() {
  const { tab = 'jobs', train, validate, tuned, base, prompts } = useSearch({ from: '/signed-in/fine-tuning' });
  const navigate = useNavigate();
  return (
    <FineTuningPage
      tab={tab}
      onTabChange={(next) => void navigate({ to: '/fine-tuning', search: { tab: next } })}
      newJob={train === undefined ? undefined : { trainingFileId: train, validationFileId: validate ?? null }}
      newComparison={tuned === undefined ? undefined : { tunedModel: tuned, baseModel: base, fileId: prompts }}
      // Replaced, so that Back does not open the dialog again.
      onBegun={() => void navigate({ to: '/fine-tuning', search: { tab }, replace: true })}
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
  return <ComparisonPage key={id} comparisonId={id} />;
}
