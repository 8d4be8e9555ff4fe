import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { AssistantPage } from '#web/features/assistants/editor/assistant-page.tsx';
import { NewAssistantPage } from '#web/features/assistants/editor/new-assistant-page.tsx';
import { KeepQuestion } from '#web/features/comparisons/test-sets/keep-question.tsx';
import { NewTestSet, TestSetList } from '#web/features/comparisons/test-sets/test-set-list.tsx';
import { ConnectCards } from '#web/features/connect/connect-page.tsx';
import { AssistantTools, DraftTools } from '#web/features/tool-servers/assistant-tools.tsx';
import { lazyPart } from '#web/lib/lazy.ts';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

// The list is a module of its own chunk: it is opened more often than the editor.
const TrialPane = lazyPart(async () => (await import('#web/features/chat/trial/trial-pane.tsx')).TrialPane, {
  pending: () => <SpinnerPanel label="Loading the trial" className="h-full" />,
});

type Trial = Parameters<Parameters<typeof AssistantPage>[0]['trial']>[0];

const trialOf = (props: Trial) => (
  <TrialPane {...props} keepQuestion={(text) => <KeepQuestion assistantId={props.assistantId} text={text} />} />
);

export function AssistantRoute() {
  const { id } = useParams({ from: '/signed-in/assistants/$id' });
  const navigate = useNavigate();
  return (
    <AssistantPage
      key={id}
      assistantId={id}
      trial={trialOf}
      connectedTools={<AssistantTools assistantId={id} />}
      testSets={
        <div className="grid gap-4">
          <div className="justify-self-end">
            <NewTestSet assistantId={id} isForFilledList />
          </div>
          <TestSetList assistantId={id} />
        </div>
      }
      use={
        <ConnectCards
          assistantId={id}
          onAssistantChange={(other) =>
            void navigate({ to: '/connect', search: other === undefined ? {} : { assistant: other } })
          }
        />
      }
      onLeave={() => void navigate({ to: '/assistants' })}
    />
  );
}

export function NewAssistantRoute() {
  const navigate = useNavigate();
  const toAssistant = useCallback(
    ({ id }: { id: number }) => void navigate({ to: '/assistants/$id', params: { id }, replace: true }),
    [navigate],
  );
  const { model } = useSearch({ from: '/signed-in/assistants/new' });
  return (
    <NewAssistantPage
      model={model}
      trial={trialOf}
      connectedTools={(props) => <DraftTools {...props} />}
      onCreated={toAssistant}
      onLeave={() => void navigate({ to: '/assistants' })}
    />
  );
}
