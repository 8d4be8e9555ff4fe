import { Users } from 'lucide-react';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Page } from '#web/ui/page.tsx';

export function UsersPage() {
  return (
    <Page title="Users" lead="The accounts of this installation.">
      <EmptyState icon={Users} text="Accounts cannot be administered in this version of Roster yet." />
    </Page>
  );
}
