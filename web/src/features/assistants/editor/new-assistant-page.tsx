import { type Assistant, type AssistantDraft, assistantDefaults } from '@roster/contracts/assistants/assistants';
import type { KeptDraft } from '@roster/contracts/assistants/drafts';
import type { ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FilePlus2, Import } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
import { ModelName } from '#web/components/model-name.tsx';
import type { AssistantForm } from '#web/features/assistants/fields/use-assistant-form.ts';
import { DraftFiles } from '#web/features/assistants/files/draft-files.tsx';
import type { Drafted } from '#web/features/assistants/templates/describe.ts';
import { DescribeCard } from '#web/features/assistants/templates/describe-card.tsx';
import { TemplateList } from '#web/features/assistants/templates/template-list.tsx';
import type { Template } from '#web/features/assistants/templates/templates.ts';
import { formatCost } from '#web/lib/text/format.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { Page } from '#web/ui/page.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { AssistantEditor, type TrialProps } from './assistant-editor.tsx';
import { ToAssistants } from './assistant-page.tsx';
import { keptDraftQuery } from './use-kept-draft.ts';

type NewAssistantPageProps = {
  /** Opens the form with this model at once. */
  model?: string | undefined;
  /** Parts that other features supply. */
  trial: (props: TrialProps) => ReactNode;
  connectedTools: (props: { chosen: ToolChoice[]; onChange: (chosen: ToolChoice[]) => void }) => ReactNode;
  onCreated: (assistant: Assistant) => void;
  onLeave: () => void;
};

/** How the form begins, and what to say about it. */
type Start = { draft: AssistantDraft; kept: KeptDraft | null; unsaved?: AssistantDraft; notice: ReactNode };

const fromTemplate = ({ id: _, words: _w, why, ...draft }: Template, model: string): Start => ({
  draft: { ...assistantDefaults, ...draft, starters: [...draft.starters], tags: [...draft.tags], model },
  kept: null,
  notice: <Notice className="mb-4">{why}</Notice>,
});

const emptyStart = (model: string, kept: KeptDraft | null): Start => ({
  draft: { ...assistantDefaults, name: '', model },
  kept,
  notice: null,
});

const fromDrafted = ({ draft, model, costUsd }: Drafted): Start => ({
  draft: { ...assistantDefaults, name: '', model },
  unsaved: draft,
  kept: null,
  notice: (
    <Notice className="mb-4" title="Review this draft">
      <ModelName model={model} /> wrote it{costUsd === null ? '' : ` for ${formatCost(costUsd)}`}. Nothing is saved yet.
    </Notice>
  ),
});

/** A new assistant: first a choice of what it starts from, then the form. */
export function NewAssistantPage({ model: given, trial, connectedTools, onCreated, onLeave }: NewAssistantPageProps) {
  const models = useQuery(modelsQuery);
  const { reason } = useEditAccess();
  // Viewers have no drafts.
  const kept = useQuery({ ...keptDraftQuery(null), enabled: reason === undefined });
  const [start, setStart] = useState<Start | null>(null);
  const hasStarted = start !== null;
  // The form begins at its top, wherever the chosen template was.
  useLayoutEffect(() => {
    if (hasStarted) window.scrollTo(0, 0);
  }, [hasStarted]);
  const isKnown = !models.isPending && !kept.isLoading;
  const model = given ?? models.data?.defaultModel ?? 'gpt-4o';
  // A draft from an earlier visit must be offered first: the empty form would replace it.
  if (isKnown && start === null && given !== undefined && reason === undefined && !kept.data)
    setStart(emptyStart(given, null));
  return (
    <Page title="New Assistant" lead={<ToAssistants />}>
      {!isKnown ? (
        <SpinnerPanel label="Loading models" className="min-h-64" />
      ) : start ? (
        <AssistantEditor
          assistant={null}
          start={start.draft}
          kept={start.kept}
          unsaved={start.unsaved}
          trial={trial}
          connectedTools={(form) => <NewTools form={form} tools={connectedTools} />}
          files={(form) => <DraftFiles form={form} />}
          notice={start.notice}
          onSaved={onCreated}
          onCancel={onLeave}
        />
      ) : (
        <>
          {reason && <Notice className="mb-4">{reason}</Notice>}
          <Choices model={model} kept={kept.data ?? null} onChoose={setStart} />
        </>
      )}
    </Page>
  );
}

type ChoicesProps = { model: string; kept: KeptDraft | null; onChoose: (start: Start) => void };

function Choices({ model, kept, onChoose }: ChoicesProps) {
  const startEmpty = (draft: KeptDraft | null) => onChoose(emptyStart(model, draft));
  return (
    <>
      {kept && <KeptNotice kept={kept} onContinue={() => startEmpty(kept)} />}
      <div className="mb-8 grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <DescribeCard model={model} onDrafted={(drafted) => onChoose(fromDrafted(drafted))} />
        <Card aria-label="Other ways">
          <CardHeader title="Other ways" description="Start with an empty form, or import existing assistants." />
          <CardBody className="grid justify-items-start gap-2">
            <Button icon={FilePlus2} onClick={() => startEmpty(null)}>
              Empty form
            </Button>
            <Link to="/settings" search={{ tab: 'assistants', view: 'import' }} className={buttonClass()}>
              <Import aria-hidden className="size-4" />
              Import
            </Link>
          </CardBody>
        </Card>
      </div>
      <TemplateList onChoose={(template) => onChoose(fromTemplate(template, model))} />
    </>
  );
}

function KeptNotice({ kept, onContinue }: { kept: KeptDraft; onContinue: () => void }) {
  const { name } = kept.values;
  return (
    <Notice
      className="mb-6"
      title="You left a new assistant without saving"
      action={
        <Button size="sm" variant="primary" onClick={onContinue}>
          Continue
        </Button>
      }
    >
      {name ? <bdi>{name}</bdi> : 'Unnamed'}, kept <RelativeTime date={kept.savedAt} />.
    </Notice>
  );
}

type NewToolsProps = { form: AssistantForm; tools: NewAssistantPageProps['connectedTools'] };

function NewTools({ form, tools }: NewToolsProps) {
  const error = form.formState.errors.chosenTools?.message;
  return (
    <>
      {error && (
        <p role="alert" className="mt-5 text-destructive-text text-sm">
          {error}
        </p>
      )}
      {tools({
        chosen: form.watch('chosenTools') ?? [],
        onChange(chosen) {
          form.clearErrors('chosenTools');
          form.setValue('chosenTools', chosen, { shouldDirty: true });
        },
      })}
    </>
  );
}
