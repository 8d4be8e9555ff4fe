import {
  type Assistant,
  type AssistantChanges,
  type AssistantDraft,
  AssistantSettings,
  assistantFieldNames,
} from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useUpdateAssistant } from '#web/api/assistant-changes.ts';
import { assistantDraftQuery } from '#web/api/assistant-draft.ts';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { SidePanel } from '#web/ui/dialogs/side-panel.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { AssistantFields } from './fields/assistant-form.tsx';
import { changesBetween } from './fields/changes-between.ts';
import { type AssistantForm, useEditForm } from './fields/use-assistant-form.ts';
import { AssistantFiles } from './files/assistant-files.tsx';
import { VersionsSection } from './versions/versions-section.tsx';

type EditPanelProps = {
  id: number;
  /** Version shown over the form. */
  version: number | undefined;
  /** Renders another feature's part of the form. */
  tools: (assistantId: number) => ReactNode;
  /** Id of the comparison whose draft fills the form. */
  draft: number | undefined;
  compareDraft: CompareDraft;
  testDraft: TestDraft;
  onCompared: (comparisonId: number) => void;
  onClose: () => void;
};

/** Renders the choice of questions for comparing the form's changes; supplied by another feature. */
export type CompareDraft = (comparing: {
  assistant: Assistant;
  changes: AssistantChanges;
  onPrepared: (comparisonId: number) => void;
  onClose: () => void;
}) => ReactNode;

/** Renders the effect of the form's changes on saved questions; supplied by another feature. */
export type TestDraft = (testing: {
  assistant: Assistant;
  isDirty: boolean;
  /** Number of edits so far. */
  edits: number;
  /** Changes to save; null if the form is invalid and shows why. */
  draft: () => Promise<AssistantChanges | null>;
  /** Opens a run, which keeps the draft. */
  onOpen: (comparisonId: number) => void;
}) => ReactNode;

export function EditPanel({ id, tools, draft, ...rest }: EditPanelProps) {
  const query = useQuery(assistantsQuery);
  const kept = useQuery({ ...assistantDraftQuery(draft ?? 0), enabled: draft !== undefined });
  const assistant = query.data?.find((candidate) => candidate.id === id);
  const isReady = draft === undefined || !kept.isPending;
  const { onClose } = rest;
  if (assistant && isReady)
    return <LoadedEditPanel assistant={assistant} tools={tools(id)} changes={kept.data?.changes} {...rest} />;
  return (
    <SidePanel onOpenChange={onClose} title="Edit Assistant">
      {query.isPending || !isReady ? (
        <SpinnerPanel label="Loading assistant" />
      ) : (
        <p className="text-muted-foreground">
          {query.isError ? errorText(query.error) : 'This assistant no longer exists.'}
        </p>
      )}
    </SidePanel>
  );
}

type OpenEditPanelProps = Omit<EditPanelProps, 'id' | 'tools' | 'draft'> & {
  assistant: Assistant;
  tools: ReactNode;
  /** Changes that the form starts with. */
  changes: AssistantChanges | undefined;
};

/** Form of an assistant with a draft's changes applied. */
function useDraftedForm(assistant: Assistant, changes: AssistantChanges | undefined): AssistantForm {
  const form = useEditForm(AssistantSettings.parse(assistant));
  const { setValue } = form;
  useEffect(() => {
    for (const name of assistantFieldNames) {
      const value = changes?.[name];
      if (value !== undefined) setValue(name, value, { shouldDirty: true });
    }
  }, [changes, setValue]);
  return form;
}

/** Saves the form's changes and closes it. */
function useSaving(assistant: Assistant, form: AssistantForm, onClose: () => void) {
  const update = useUpdateAssistant();
  useEffect(() => {
    if (update.isSuccess) onClose();
  }, [update.isSuccess, onClose]);

  const save = (changes: AssistantChanges) =>
    update.mutate(
      { id: assistant.id, changes },
      {
        onSuccess: () => toast({ title: 'Assistant updated', description: 'Your changes have been saved.' }),
        onError: showFormFailure(form, 'Failed to update assistant', 'An error occurred. Please try again.'),
      },
    );
  const submit = (draft: AssistantDraft) => {
    const changes = changesBetween(assistant, draft);
    if (Object.keys(changes).length === 0) onClose();
    else save(changes);
  };
  return { update, submit };
}

function LoadedEditPanel({ assistant, version, tools, changes, onClose, ...comparing }: OpenEditPanelProps) {
  const models = useQuery(modelsQuery);
  const { reason } = useEditAccess();
  const formId = useId();
  const form = useDraftedForm(assistant, changes);
  const compared = useCompareDraft(form, comparing.onCompared);
  const { update, submit } = useSaving(assistant, form, onClose);
  const tested = useTestDraft(assistant, form);

  return (
    <SidePanel
      onOpenChange={onClose}
      title="Edit Assistant"
      footer={
        <Buttons
          formId={formId}
          busy={update.isPending}
          disabledReason={reason}
          onCancel={onClose}
          onCompare={form.formState.isDirty ? compared.begin : undefined}
        />
      }
    >
      <form id={formId} onSubmit={form.handleSubmit(submit)} noValidate>
        <AssistantFields form={form} models={models.data} />
      </form>
      {tools}
      <AssistantFiles assistantId={assistant.id} />
      {comparing.testDraft({ assistant, onOpen: compared.keep, ...tested })}
      <VersionsSection
        assistant={assistant}
        number={version}
        blocked={form.formState.isDirty ? 'Save or discard your changes first' : undefined}
        onRestored={(restored) => form.reset(AssistantSettings.parse(restored))}
      />
      {compared.draft &&
        comparing.compareDraft({
          assistant,
          changes: changesBetween(assistant, compared.draft),
          onPrepared: compared.keep,
          onClose: compared.end,
        })}
      <UnsavedChanges when={form.formState.isDirty && !update.isSuccess && !compared.isKept} what="this assistant" />
    </SidePanel>
  );
}

/** Compares a valid draft. The comparison keeps it, so that leaving the form loses nothing. */
function useCompareDraft(form: AssistantForm, onCompared: (comparisonId: number) => void) {
  const [draft, setDraft] = useState<AssistantDraft | null>(null);
  const [keptWith, setKeptWith] = useState<number | null>(null);
  useEffect(() => {
    if (keptWith !== null) onCompared(keptWith);
  }, [keptWith, onCompared]);
  return {
    draft,
    isKept: keptWith !== null,
    begin: () => void form.handleSubmit(setDraft)(),
    end: () => setDraft(null),
    keep: setKeptWith,
  };
}

/** The form's draft, and the number of edits. */
function useTestDraft(assistant: Assistant, form: AssistantForm) {
  const [edits, setEdits] = useState(0);
  const { watch, handleSubmit, formState } = form;
  useEffect(() => {
    const { unsubscribe } = watch(() => setEdits((count) => count + 1));
    return unsubscribe;
  }, [watch]);
  const draft = () =>
    new Promise<AssistantChanges | null>((resolve) => {
      void handleSubmit(
        (values) => resolve(changesBetween(assistant, values)),
        () => resolve(null),
      )();
    });
  return { edits, draft, isDirty: formState.isDirty };
}

type ButtonsProps = {
  formId: string;
  busy: boolean;
  disabledReason: string | undefined;
  onCancel: () => void;
  /** undefined if nothing has changed. */
  onCompare: (() => void) | undefined;
};

function Buttons({ formId, busy, disabledReason, onCancel, onCompare }: ButtonsProps) {
  return (
    <>
      <Button onClick={onCancel}>Cancel</Button>
      {onCompare && (
        <Button disabledReason={disabledReason} onClick={onCompare}>
          <span>
            Compare<span className="max-sm:sr-only"> with current version</span>
          </span>
        </Button>
      )}
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
