import { useNavigate, useSearch } from '@tanstack/react-router';
import { AnalyticsPage } from '#web/features/usage/analytics-page.tsx';
import type { AnalyticsTab } from '#web/features/usage/shared/views.ts';

const inAddress = (tab: AnalyticsTab) => (tab === 'overview' ? undefined : tab);

export function AnalyticsRoute() {
  const { tab = 'overview', ...search } = useSearch({ from: '/signed-in/analytics' });
  const navigate = useNavigate();
  return (
    <AnalyticsPage
      tab={tab}
      search={search}
      onTabChange={(next) => void navigate({ to: '/analytics', search: { tab: inAddress(next), ...search } })}
      onSearchChange={(next) =>
        void navigate({ to: '/analytics', search: { tab: inAddress(tab), ...next }, resetScroll: false })
      }
    />
  );
}
