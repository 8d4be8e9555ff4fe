import { UserPlus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import { Page } from '#web/ui/page.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { Accounts } from './accounts.tsx';
import { Activity } from './activity.tsx';
import { AddUserDialog } from './add-user-dialog.tsx';
import type { NewLink } from './password-link-dialog.tsx';
import { PasswordLinkDialog } from './password-link-dialog.tsx';
import type { UsersView } from './queries.ts';
import { SecondFactorPolicyTab } from './second-factor-policy.tsx';
import { Statistics } from './statistics.tsx';
import type { UsersTab } from './tabs.ts';

const Invitations = lazyPart(async () => (await import('./invitations.tsx')).Invitations, {
  pending: () => <SpinnerPanel label="Loading the invitations" className="min-h-72" />,
});

type UsersPageProps = {
  tab: UsersTab;
  onTabChange: (tab: UsersTab) => void;
  view: UsersView;
  onViewChange: (view: UsersView) => void;
  /** The connections that administrators offer. */
  connections: ReactNode;
};

export function UsersPage({ tab, onTabChange, view, onViewChange, connections }: UsersPageProps) {
  const [adding, setAdding] = useState(false);
  const [link, setLink] = useState<NewLink | null>(null);
  const contents: Record<UsersTab, ReactNode> = {
    accounts: <Accounts view={view} onViewChange={onViewChange} onLink={setLink} />,
    invitations: <Invitations />,
    connections,
    activity: <Activity />,
    'second-factor': <SecondFactorPolicyTab />,
  };
  return (
    <Page
      title="Users"
      lead="Accounts on this installation and their roles."
      action={
        <Button variant="primary" icon={UserPlus} onClick={() => setAdding(true)}>
          Add User
        </Button>
      }
    >
      <Statistics />
      <Tabs
        label="Users"
        value={tab}
        onValueChange={onTabChange}
        items={[
          { value: 'accounts', label: 'Accounts' },
          { value: 'invitations', label: 'Invitations' },
          { value: 'connections', label: 'Connections' },
          { value: 'activity', label: 'Activity' },
          { value: 'second-factor', label: 'Second Factor' },
        ]}
        className="mt-6"
      >
        <div className="pt-6">{contents[tab]}</div>
      </Tabs>
      {adding && <AddUserDialog onClose={() => setAdding(false)} onLink={setLink} />}
      {link && <PasswordLinkDialog link={link} onClose={() => setLink(null)} />}
    </Page>
  );
}
