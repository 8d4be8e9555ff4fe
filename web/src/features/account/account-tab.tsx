import { AccountInformation } from './account-information.tsx';
import { CloseAccountCard } from './close-account-card.tsx';
import { ExportCard } from './export-card.tsx';
import { LoginMethodsCard } from './login-methods-card.tsx';
import { SecurityActivityCard } from './security-activity-card.tsx';

export function AccountTab() {
  return (
    <div className="grid grid-cols-1 gap-6">
      <AccountInformation />
      <LoginMethodsCard />
      <SecurityActivityCard />
      <ExportCard />
      <CloseAccountCard />
    </div>
  );
}
