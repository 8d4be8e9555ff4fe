import type { ImportResult } from '@roster/contracts/assistants/assistants';
import { type ReactNode, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { Notice } from '#web/ui/states/notice.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { AssistantList } from './assistant-list.tsx';
import { type AssistantStart, CreateAssistant } from './create-assistant.tsx';
import { type CompareDraft, EditPanel, type TestDraft } from './edit-panel.tsx';
import { ImportResultNotice } from './import-result.tsx';
import { ImportTab } from './import-tab.tsx';
import { KeyTab } from './key-tab.tsx';
import type { AssistantView } from './views.ts';

type AssistantsPanelProps = {
  view: AssistantView;
  /** Id of the assistant whose form is open. */
  editing: number | undefined;
  /** Version shown over the form. */
  version: number | undefined;
  /** Renders the assistant's tools, which belong to another feature. */
  tools: (assistantId: number) => ReactNode;
  /** Id of the comparison whose draft fills the form. */
  draft: number | undefined;
  /** Initial values of a new assistant. */
  start: AssistantStart;
  compareDraft: CompareDraft;
  testDraft: TestDraft;
  onCompared: (comparisonId: number) => void;
  onViewChange: (view: AssistantView) => void;
  onEdit: (id: number | undefined) => void;
};

export function AssistantsPanel({ view, editing, ...props }: AssistantsPanelProps) {
  const { version, draft, start, tools, compareDraft, testDraft, onCompared, onViewChange, onEdit } = props;
  const [result, setResult] = useState<ImportResult | null>(null);
  const { reason } = useEditAccess();
  const toList = () => onViewChange('list');
  const imported = (outcome: ImportResult) => {
    setResult(outcome);
    toList();
  };
  const contents: Record<AssistantView, ReactNode> = {
    'api-key': <KeyTab />,
    list: (
      <>
        {result && <ImportResultNotice result={result} onDismiss={() => setResult(null)} />}
        <AssistantList
          onCreate={() => onViewChange('create')}
          onImport={() => onViewChange('import')}
          onEdit={(id) => onEdit(id)}
        />
      </>
    ),
    create: <CreateAssistant key={JSON.stringify(start)} start={start} onDone={toList} />,
    import: <ImportTab onImported={imported} />,
  };
  return (
    <>
      <Tabs
        label="Assistants"
        look="segment"
        value={view}
        onValueChange={onViewChange}
        items={[
          { value: 'api-key', label: 'API Key' },
          { value: 'list', label: 'Your Assistants' },
          { value: 'create', label: 'Create Assistant' },
          { value: 'import', label: 'Import' },
        ]}
      >
        <div className="grid gap-4 pt-6">
          {reason && view !== 'api-key' && <Notice>{reason}</Notice>}
          <div className="min-w-0">{contents[view]}</div>
        </div>
      </Tabs>
      {editing !== undefined && (
        <EditPanel
          tools={tools}
          key={`${editing} ${version} ${draft}`}
          draft={draft}
          compareDraft={compareDraft}
          testDraft={testDraft}
          onCompared={onCompared}
          id={editing}
          version={version}
          onClose={() => onEdit(undefined)}
        />
      )}
    </>
  );
}
