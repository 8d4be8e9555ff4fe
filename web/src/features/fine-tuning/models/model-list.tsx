import { FlaskConical } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';

export function ModelList() {
  return <EmptyState icon={FlaskConical} text="No fine-tuned models yet" />;
}
