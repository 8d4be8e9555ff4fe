import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';

export function JobList() {
  return <EmptyState icon={FlaskConical} text="No jobs yet" />;
}
