import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';

export function ComparisonPage(_props: { comparisonId: number }) {
  return <EmptyState icon={FlaskConical} text="Nothing to show yet" />;
}
