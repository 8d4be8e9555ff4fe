import { Plus } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import { Page } from '#web/ui/page.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { DatasetList } from './datasets/dataset-list.tsx';
import type { JobFiles } from './jobs/create/job-form.ts';
import { JobList } from './jobs/job-list.tsx';
import { ModelList } from './models/model-list.tsx';
import { usePrerequisites } from './shared/use-prerequisites.ts';
import type { FineTuningTab } from './tabs.ts';

const CreateJobDialog = lazyPart(async () => (await import('./jobs/create/create-job-dialog.tsx')).CreateJobDialog);
const RepeatJobDialog = lazyPart(async () => (await import('./jobs/create/repeat-job-dialog.tsx')).RepeatJobDialog);

/** Starts with files, or with the settings of an earlier job on another base. */
type NewJob = JobFiles | { again: number; base: string | undefined };

type FineTuningPageProps = {
  tab: FineTuningTab;
  onTabChange: (tab: FineTuningTab) => void;
  /** Initial values from the address; `onStarted` removes them from it. */
  newJob: NewJob | undefined;
  /** Content of the Comparisons tab. */
  comparisons: ReactNode;
  onStarted: () => void;
};

export function FineTuningPage({ tab, onTabChange, newJob, comparisons, onStarted }: FineTuningPageProps) {
  const [isCreating, setCreating] = useState(false);
  const prerequisites = usePrerequisites();
  const create = <CreateButton prerequisites={prerequisites} onCreate={() => setCreating(true)} />;
  const contents: Record<FineTuningTab, ReactNode> = {
    jobs: <JobList prerequisites={prerequisites} create={create} />,
    models: <ModelList prerequisites={prerequisites} />,
    datasets: <DatasetList />,
    compare: comparisons,
  };
  return (
    <Page title="Fine-Tuning" lead="Train models on your own examples." action={tab === 'jobs' && create}>
      <Tabs
        label="Fine-Tuning"
        value={tab}
        onValueChange={onTabChange}
        items={[
          { value: 'jobs', label: 'Fine-Tuning Jobs' },
          { value: 'models', label: 'Fine-Tuned Models' },
          { value: 'datasets', label: 'Datasets' },
          { value: 'compare', label: 'Compare' },
        ]}
      >
        <div className="pt-6">{contents[tab]}</div>
      </Tabs>
      {(isCreating || newJob) && prerequisites.baseModels && prerequisites.files && (
        <NewJobDialog
          baseModels={prerequisites.baseModels}
          files={prerequisites.files}
          newJob={newJob}
          onClose={() => {
            setCreating(false);
            if (newJob) onStarted();
          }}
        />
      )}
    </Page>
  );
}

type NewJobDialogProps = Omit<ComponentProps<typeof CreateJobDialog>, 'start'> & { newJob: NewJob | undefined };

function NewJobDialog({ newJob, ...dialog }: NewJobDialogProps) {
  if (newJob && 'again' in newJob) return <RepeatJobDialog {...dialog} jobId={newJob.again} base={newJob.base} />;
  return <CreateJobDialog {...dialog} start={newJob} />;
}

type CreateButtonProps = { prerequisites: ReturnType<typeof usePrerequisites>; onCreate: () => void };

function CreateButton({ prerequisites, onCreate }: CreateButtonProps) {
  const { reason } = useEditAccess();
  const { baseModels, files, error } = prerequisites;
  const why =
    reason ??
    (error ? 'A working API key is required.' : baseModels && files ? undefined : 'The models and files are loading.');
  return (
    <Button variant="primary" icon={Plus} disabledReason={why} onClick={onCreate}>
      Create Fine-Tuning Job
    </Button>
  );
}
