import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { NotebookPen } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '#web/ui/button.tsx';
import { Page } from '#web/ui/page.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { versionQuery } from './account-queries.ts';
import { AccountTab } from './account-tab.tsx';
import { ApiKeyCard } from './api-key-card.tsx';
import { PreferencesTab } from './preferences/preferences-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import type { SettingsTab } from './tabs.ts';

type SettingsPageProps = {
  tab: SettingsTab;
  onTabChange: (tab: SettingsTab) => void;
  /** Content of the Assistants tab; supplied by another feature. */
  assistants: ReactNode;
  /** Shown below the provider key; supplied by another feature. */
  accessTokens: ReactNode;
  /** Shown below the provider key; supplied by another feature. */
  connections: ReactNode;
  /** Content of the Tools tab; supplied by another feature. */
  tools: ReactNode;
  /** Content of the Import Data tab; supplied by another feature. */
  conversationImports: ReactNode;
};

export function SettingsPage(props: SettingsPageProps) {
  const { tab, onTabChange, assistants, accessTokens, connections, tools, conversationImports } = props;
  const contents: Record<SettingsTab, ReactNode> = {
    account: <AccountTab />,
    sessions: <SessionsTab />,
    'api-keys': (
      <div className="grid gap-6">
        <ApiKeyCard />
        {connections}
        {accessTokens}
      </div>
    ),
    assistants,
    tools,
    import: conversationImports,
    preferences: <PreferencesTab />,
  };
  return (
    <Page
      title="Settings"
      lead="Your account, API key, assistants and preferences."
      width="settings"
      action={
        <Link to="/prompts" className={buttonClass()}>
          <NotebookPen aria-hidden className="size-4" />
          Prompts
        </Link>
      }
    >
      <Tabs
        label="Settings"
        value={tab}
        onValueChange={onTabChange}
        items={[
          { value: 'account', label: 'Account' },
          { value: 'sessions', label: 'Sessions' },
          { value: 'api-keys', label: 'API Keys' },
          { value: 'assistants', label: 'Assistants' },
          { value: 'tools', label: 'Tools' },
          { value: 'import', label: 'Import Data' },
          { value: 'preferences', label: 'Preferences' },
        ]}
      >
        <div className="pt-6">{contents[tab]}</div>
      </Tabs>
      <Version />
    </Page>
  );
}

/** The version, for bug reports. Hidden if it cannot be fetched. */
function Version() {
  const { data } = useQuery(versionQuery);
  return data && <p className="mt-8 text-muted-foreground text-sm">Roster {data.version}</p>;
}
