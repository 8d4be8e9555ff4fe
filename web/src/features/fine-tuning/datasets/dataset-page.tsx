import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';

export function DatasetPage(_props: { datasetId: number }) {
  return <EmptyState icon={FlaskConical} text="Nothing to show yet" />;
}
