import { ChartNoAxesColumn } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Page } from '#web/ui/page.tsx';

export function AnalyticsPage() {
  return (
    <Page title="Analytics" lead="Track your API usage and costs.">
      <EmptyState icon={ChartNoAxesColumn} text="Usage and costs are not shown in this version of Roster yet." />
    </Page>
  );
}
