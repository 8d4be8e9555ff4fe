import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { AssistantFiles } from '#web/features/assistants/files/assistant-files.tsx';
import { VersionHistory } from '#web/features/assistants/versions/version-history.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { Page } from '#web/ui/page.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { AssistantEditor, type TrialProps } from './assistant-editor.tsx';
import { keptDraftQuery } from './use-kept-draft.ts';

type EditorTab = 'edit' | 'versions' | 'tests' | 'use';

type AssistantPageProps = {
  assistantId: number;
  /** Parts that other features supply. */
  trial: (props: TrialProps) => ReactNode;
  connectedTools: ReactNode;
  testSets: ReactNode;
  use: ReactNode;
  onLeave: () => void;
};

/** An assistant with its editor, versions, test sets and use. */
export function AssistantPage(props: AssistantPageProps) {
  const { assistantId } = props;
  const query = useQuery(assistantsQuery);
  const { reason } = useEditAccess();
  // Viewers have no drafts.
  const kept = useQuery({ ...keptDraftQuery(assistantId), enabled: reason === undefined });
  const assistant = query.data?.find(({ id }) => id === assistantId);
  if (query.isPending || kept.isLoading)
    return (
      <Page title="Assistant">
        <SpinnerPanel label="Loading assistant" className="min-h-64" />
      </Page>
    );
  if (!assistant)
    return (
      <Page title="Assistant">
        {query.isError ? (
          <ErrorState
            title="Failed to load the assistant"
            message={errorText(query.error)}
            busy={query.isFetching}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <p className="text-muted-foreground">
            This assistant no longer exists.{' '}
            <Link to="/assistants" className="rounded-xs text-foreground underline underline-offset-4">
              See your assistants
            </Link>
          </p>
        )}
      </Page>
    );
  return <LoadedPage {...props} assistant={assistant} kept={kept.data ?? null} />;
}

type LoadedPageProps = AssistantPageProps & {
  assistant: Assistant;
  kept: Parameters<typeof AssistantEditor>[0]['kept'];
};

const tabs = [
  { value: 'edit', label: 'Edit' },
  { value: 'versions', label: 'Versions' },
  { value: 'tests', label: 'Test Sets' },
  { value: 'use', label: 'Use' },
] as const;

function LoadedPage({ assistant, kept, trial, connectedTools, testSets, use, onLeave }: LoadedPageProps) {
  const [tab, setTab] = useState<EditorTab>('edit');
  // A restored version fills the form.
  const [restored, setRestored] = useState(0);
  const showRestored = () => {
    setRestored(restored + 1);
    setTab('edit');
  };
  const other: Record<EditorTab, ReactNode> = {
    edit: null,
    versions: <VersionHistory assistant={assistant} number={undefined} blocked={undefined} onRestored={showRestored} />,
    tests: testSets,
    use,
  };
  return (
    <Page title={assistant.name} lead={<ToAssistants />} action={<ChatLink id={assistant.id} />}>
      <Tabs label="Assistant" value={tab} onValueChange={setTab} keepsPanel items={tabs}>
        <div className="pt-6">
          {/* Hidden, not removed: what is typed stays. */}
          <div hidden={tab !== 'edit'}>
            <AssistantEditor
              key={restored}
              assistant={assistant}
              start={assistant}
              kept={kept}
              trial={trial}
              connectedTools={() => connectedTools}
              files={() => <AssistantFiles assistantId={assistant.id} />}
              onSaved={() => undefined}
              onCancel={onLeave}
            />
          </div>
          {other[tab]}
        </div>
      </Tabs>
    </Page>
  );
}

export function ToAssistants() {
  return (
    <Link
      to="/assistants"
      className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
    >
      Assistants
    </Link>
  );
}

function ChatLink({ id }: { id: number }) {
  return (
    <Link to="/chat" search={{ assistant: id }} className={buttonClass()}>
      <MessageSquare aria-hidden className="size-4" />
      Chat
    </Link>
  );
}
