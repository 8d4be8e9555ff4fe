import { useNavigate, useSearch } from '@tanstack/react-router';
import { AnalyticsPage } from '#web/features/usage/analytics-page.tsx';

export function AnalyticsRoute() {
  const search = useSearch({ from: '/signed-in/analytics' });
  const navigate = useNavigate();
  return (
    <AnalyticsPage
      search={search}
      onSearchChange={(next) => void navigate({ to: '/analytics', search: next, resetScroll: false })}
    />
  );
}
