import { useNavigate, useSearch } from '@tanstack/react-router';
import { SettingsPage } from '#web/features/account/settings-page.tsx';
import { AccessTokensCard } from '#web/features/api-tokens/access-tokens-card.tsx';
import { AssistantsPanel } from '#web/features/assistants/assistants-panel.tsx';
import { useLoginProviderOutcome } from './use-login-provider-outcome.ts';

export function SettingsRoute() {
  const { tab = 'account', view = 'list', edit, connected, error } = useSearch({ from: '/signed-in/settings' });
  const navigate = useNavigate();
  useLoginProviderOutcome({ connected, error }, 'Connecting failed');
  return (
    <SettingsPage
      tab={tab}
      onTabChange={(next) => void navigate({ to: '/settings', search: { tab: next } })}
      accessTokens={<AccessTokensCard />}
      assistants={
        <AssistantsPanel
          view={view}
          editing={edit}
          onViewChange={(next) => void navigate({ to: '/settings', search: { tab: 'assistants', view: next } })}
          onEdit={(id) =>
            void navigate({ to: '/settings', search: { tab: 'assistants', ...(id === undefined ? {} : { edit: id }) } })
          }
        />
      }
    />
  );
}
