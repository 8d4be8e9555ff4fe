import { type Assistant, type AssistantDraft, assistantDefaults } from '@roster/contracts/assistants/assistants';
import type { KeptDraft } from '@roster/contracts/assistants/drafts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FilePlus2, Import } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
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
import { keptDraftQuery } from './use-kept-draft.ts';

export type NewAssistantPageProps = {
  /** Supplied by another feature. */
  trial: (props: TrialProps) => ReactNode;
  onCreated: (assistant: Assistant) => void;
  onLeave: () => void;
};

/** How the form begins, and what to say about it. */
type Start = { draft: AssistantDraft; kept: KeptDraft | null; notice: ReactNode };

const fromTemplate = ({ id: _, words: _w, why, ...draft }: Template, model: string): Start => ({
  draft: { ...assistantDefaults, ...draft, starters: [...draft.starters], tags: [...draft.tags], model },
  kept: null,
  notice: <Notice className="mb-4">{why}</Notice>,
});

/** A new assistant: first what it starts from, then the form. */
export function NewAssistantPage({ trial, onCreated, onLeave }: NewAssistantPageProps) {
  const models = useQuery(modelsQuery);
  const { reason } = useEditAccess();
  const kept = useQuery({ ...keptDraftQuery(null), enabled: reason === undefined });
  const [start, setStart] = useState<Start | null>(null);
  const model = models.data?.defaultModel ?? 'gpt-4o';
  const empty = { ...assistantDefaults, name: '', model };
  const lead = (
    <Link
      to="/assistants"
      className="rounded-xs underline decoration-border-strong underline-offset-4 hover:text-foreground"
    >
      Assistants
    </Link>
  );
  if (models.isPending || kept.isLoading)
    return (
      <Page title="New Assistant" lead={lead}>
        <SpinnerPanel label="Loading models" className="min-h-64" />
      </Page>
    );
  if (start)
    return (
      <Page title="New Assistant" lead={lead}>
        <AssistantEditor
          assistant={null}
          start={start.draft}
          kept={start.kept}
          trial={trial}
          connectedTools={<AfterSaving what="connected tools" />}
          files={<AfterSaving what="files" />}
          notice={start.notice}
          onSaved={onCreated}
          onCancel={onLeave}
        />
      </Page>
    );
  return (
    <Page title="New Assistant" lead={lead}>
      {reason && <Notice className="mb-4">{reason}</Notice>}
      {kept.data && (
        <Notice
          className="mb-6"
          title="You left a new assistant without saving"
          action={
            <Button
              size="sm"
              variant="primary"
              onClick={() => setStart({ draft: empty, kept: kept.data, notice: null })}
            >
              Continue
            </Button>
          }
        >
          {kept.data.values.name ? <bdi>{kept.data.values.name}</bdi> : 'Without a name so far'}, kept{' '}
          <RelativeTime date={kept.data.savedAt} />.
        </Notice>
      )}
      <div className="mb-8 grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <DescribeCard
          model={model}
          onDrafted={(drafted) =>
            setStart({
              draft: drafted.draft,
              kept: null,
              notice: (
                <Notice className="mb-4" title="Review this draft">
                  {drafted.model} wrote it
                  {drafted.costUsd === null ? '' : ` for ${formatCost(drafted.costUsd)}`}. Nothing is saved yet.
                </Notice>
              ),
            })
          }
        />
        <Card aria-label="Other ways">
          <CardHeader title="Other ways" description="An empty form, or assistants that you have elsewhere." />
          <CardBody className="grid justify-items-start gap-2">
            <Button icon={FilePlus2} onClick={() => setStart({ draft: empty, kept: null, notice: null })}>
              Empty form
            </Button>
            <Link to="/settings" search={{ tab: 'assistants', view: 'import' }} className={buttonClass()}>
              <Import aria-hidden className="size-4" />
              Import
            </Link>
          </CardBody>
        </Card>
      </div>
      <TemplateList onChoose={(template) => setStart(fromTemplate(template, model))} />
    </Page>
  );
}

const AfterSaving = ({ what }: { what: string }) => (
  <p className="mt-4 text-muted-foreground text-sm">
    Create the assistant to add {what}. You stay on this page, and everything above is kept.
  </p>
);
