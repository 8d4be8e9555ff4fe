import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useLoginProviderOutcome } from '#web/app/use-login-provider-outcome.ts';
import { SettingsPage } from '#web/features/account/settings-page.tsx';
import { AccessTokensCard } from '#web/features/api-tokens/access-tokens-card.tsx';
import { AssistantsPanel } from '#web/features/assistants/assistants-panel.tsx';
import { AssistantTools } from '#web/features/tool-servers/assistant-tools.tsx';
import { lazyPart } from '#web/lib/lazy.ts';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

const ToolServersCard = lazyPart(
  async () => (await import('#web/features/tool-servers/tool-servers-card.tsx')).ToolServersCard,
  { pending: () => <SpinnerPanel label="Loading tool servers" className="min-h-64" /> },
);

const ConnectionsCard = lazyPart(
  async () => (await import('#web/features/connections/connections-card.tsx')).ConnectionsCard,
  { pending: () => <SpinnerPanel label="Loading connections" className="min-h-64" /> },
);

const ImportTab = lazyPart(async () => (await import('#web/features/imports/import-tab.tsx')).ImportTab, {
  pending: () => <SpinnerPanel label="Loading imports" className="min-h-64" />,
});

const CompareDraftDialog = lazyPart(
  async () => (await import('#web/features/comparisons/compare-draft-dialog.tsx')).CompareDraftDialog,
);

const DraftImpact = lazyPart(
  async () => (await import('#web/features/comparisons/test-sets/draft-impact.tsx')).DraftImpact,
);

/** Settings, with the parts that other features supply. */
export function SettingsRoute() {
  const {
    tab = 'account',
    view = 'list',
    edit,
    version,
    draft,
    name,
    model,
    examples,
    connected,
    error,
    ...ends
  } = useSearch({ from: '/signed-in/settings' });
  const { signedIn, signInFailed } = ends;
  const navigate = useNavigate();
  const onSignInEndReported = useCallback(
    () => void navigate({ to: '/settings', search: { tab: 'tools' }, replace: true }),
    [navigate],
  );
  const onCompared = useCallback(
    (id: number) => void navigate({ to: '/fine-tuning/comparisons/$id', params: { id } }),
    [navigate],
  );
  useLoginProviderOutcome({ connected, error }, 'Connecting failed');
  return (
    <SettingsPage
      tab={tab}
      onTabChange={(next) => void navigate({ to: '/settings', search: { tab: next } })}
      accessTokens={<AccessTokensCard />}
      connections={<ConnectionsCard />}
      conversationImports={<ImportTab />}
      tools={<ToolServersCard signInEnd={{ signedIn, signInFailed }} onSignInEndReported={onSignInEndReported} />}
      assistants={
        <AssistantsPanel
          view={view}
          editing={edit}
          version={version}
          draft={draft}
          start={{ name, model, datasetId: examples }}
          compareDraft={(comparing) => <CompareDraftDialog {...comparing} />}
          testDraft={(testing) => <DraftImpact {...testing} />}
          onCompared={onCompared}
          tools={(assistantId) => <AssistantTools assistantId={assistantId} />}
          onViewChange={(next) => void navigate({ to: '/settings', search: { tab: 'assistants', view: next } })}
          onEdit={(id) =>
            void navigate({ to: '/settings', search: { tab: 'assistants', ...(id === undefined ? {} : { edit: id }) } })
          }
        />
      }
    />
  );
}
