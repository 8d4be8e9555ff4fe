import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';

export function DatasetList() {
  return <EmptyState icon={FlaskConical} text="No datasets yet" />;
}
