import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Page } from '#web/ui/page.tsx';

export function FineTuningPage() {
  return (
    <Page title="Fine-Tuning" lead="Train models on your own examples.">
      <EmptyState icon={FlaskConical} text="Fine-tuning jobs cannot be run from this version of Roster yet." />
    </Page>
  );
}
