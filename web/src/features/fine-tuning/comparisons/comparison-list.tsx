import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';

export function ComparisonList() {
  return <EmptyState icon={FlaskConical} text="No comparisons yet" />;
}
