import { useNavigate, useParams } from '@tanstack/react-router';
import { TestSetPage } from '#web/features/comparisons/test-sets/test-set-page.tsx';
import { TestSetsPage } from '#web/features/comparisons/test-sets/test-sets-page.tsx';

export function TestSetsRoute() {
  const { id } = useParams({ from: '/signed-in/assistants/$id/test-sets' });
  return <TestSetsPage key={id} assistantId={id} />;
}

export function TestSetRoute() {
  const { id } = useParams({ from: '/signed-in/test-sets/$id' });
  const navigate = useNavigate();
  return (
    <TestSetPage
      key={id}
      setId={id}
      onDeleted={(assistantId) => void navigate({ to: '/assistants/$id/test-sets', params: { id: assistantId } })}
    />
  );
}
