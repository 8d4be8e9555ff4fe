import {
  type Assistant,
  type AssistantChanges,
  type AssistantDraft,
  AssistantSettings,
} from '@roster/contracts/assistants';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId } from 'react';
import { useUpdateAssistant } from '#web/data/assistant-changes.ts';
import { assistantsQuery } from '#web/data/assistants.ts';
import { useEditing } from '#web/data/current-user.ts';
import { modelsQuery } from '#web/data/models.ts';
import { errorText } from '#web/lib/api.ts';
import { tellFormFailure } from '#web/lib/form-errors.ts';
import { UnsavedChanges } from '#web/parts/unsaved-changes.tsx';
import { Button } from '#web/ui/button.tsx';
import { SidePanel } from '#web/ui/side-panel.tsx';
import { SpinnerPanel } from '#web/ui/spinner.tsx';
import { toast } from '#web/ui/toast.tsx';
import { AssistantFiles } from './assistant-files.tsx';
import { AssistantFields } from './assistant-form.tsx';
import { changesBetween } from './changes.ts';
import { useEditForm } from './use-assistant-form.ts';
import { VersionsSection } from './versions/versions-section.tsx';

type EditPanelProps = {
  id: number;
  /** The version that is shown over it. */
  version: number | undefined;
  /** What another feature has in the form. */
  tools: (assistantId: number) => ReactNode;
  onClose: () => void;
};

export function EditPanel({ id, version, tools, onClose }: EditPanelProps) {
  const query = useQuery(assistantsQuery);
  const assistant = query.data?.find((candidate) => candidate.id === id);
  if (assistant) return <OpenEditPanel assistant={assistant} version={version} tools={tools(id)} onClose={onClose} />;
  return (
    <SidePanel open onOpenChange={onClose} title="Edit Assistant">
      {query.isPending ? (
        <SpinnerPanel label="Loading assistant" />
      ) : (
        <p className="text-muted-foreground">
          {query.isError ? errorText(query.error) : 'This assistant does not exist any more.'}
        </p>
      )}
    </SidePanel>
  );
}

type OpenEditPanelProps = {
  assistant: Assistant;
  version: number | undefined;
  tools: ReactNode;
  onClose: () => void;
};

function OpenEditPanel({ assistant, version, tools, onClose }: OpenEditPanelProps) {
  const models = useQuery(modelsQuery);
  const update = useUpdateAssistant();
  const { reason } = useEditing();
  const formId = useId();
  const form = useEditForm(AssistantSettings.parse(assistant));

  useEffect(() => {
    if (update.isSuccess) onClose();
  }, [update.isSuccess, onClose]);

  const save = (changes: AssistantChanges) =>
    update.mutate(
      { id: assistant.id, changes },
      {
        onSuccess: () => toast({ title: 'Assistant updated', description: 'Your changes have been saved.' }),
        onError: tellFormFailure(form, 'Failed to update assistant', 'An error occurred. Please try again.'),
      },
    );
  const submit = (draft: AssistantDraft) => {
    const changes = changesBetween(assistant, draft);
    if (Object.keys(changes).length === 0) onClose();
    else save(changes);
  };

  return (
    <SidePanel
      open
      onOpenChange={onClose}
      title="Edit Assistant"
      footer={<Buttons formId={formId} busy={update.isPending} disabledReason={reason} onCancel={onClose} />}
    >
      <form id={formId} onSubmit={form.handleSubmit(submit)} noValidate>
        <AssistantFields form={form} models={models.data} />
      </form>
      {tools}
      <AssistantFiles assistantId={assistant.id} />
      <VersionsSection
        assistant={assistant}
        number={version}
        blocked={
          form.formState.isDirty ? 'Save what you have typed first, or close the form without saving it' : undefined
        }
        onRestored={(restored) => form.reset(AssistantSettings.parse(restored))}
      />
      <UnsavedChanges when={form.formState.isDirty && !update.isSuccess} what="this assistant" />
    </SidePanel>
  );
}

type ButtonsProps = { formId: string; busy: boolean; disabledReason: string | undefined; onCancel: () => void };

function Buttons({ formId, busy, disabledReason, onCancel }: ButtonsProps) {
  return (
    <>
      <Button onClick={onCancel}>Cancel</Button>
      <Button
        type="submit"
        form={formId}
        variant="primary"
        busy={busy}
        pendingLabel="Saving..."
        disabledReason={disabledReason}
      >
        Save Changes
      </Button>
    </>
  );
}
