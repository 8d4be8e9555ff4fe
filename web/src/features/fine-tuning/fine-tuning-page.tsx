import type { ReactNode } from 'react';
import { Page } from '#web/ui/page.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { ComparisonList } from './comparisons/comparison-list.tsx';
import { DatasetList } from './datasets/dataset-list.tsx';
import { JobList } from './jobs/job-list.tsx';
import { ModelList } from './models/model-list.tsx';
import type { FineTuningTab } from './tabs.ts';

type FineTuningPageProps = { tab: FineTuningTab; onTabChange: (tab: FineTuningTab) => void };

export function FineTuningPage({ tab, onTabChange }: FineTuningPageProps) {
  const contents: Record<FineTuningTab, ReactNode> = {
    jobs: <JobList />,
    models: <ModelList />,
    datasets: <DatasetList />,
    compare: <ComparisonList />,
  };
  return (
    <Page title="Fine-Tuning" lead="Train models on your own examples.">
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
    </Page>
  );
}
