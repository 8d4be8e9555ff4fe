import {
  type Assistant,
  type AssistantDraft,
  AssistantSettings,
  assistantFieldNames,
} from '@roster/contracts/assistants/assistants';
import { type AssistantDraftValues, type KeptDraft, newPartNames } from '@roster/contracts/assistants/drafts';
import { TrialSettings } from '@roster/contracts/trials';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelsQuery } from '#web/api/models.ts';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import {
  type AssistantForm,
  type FormDraft,
  useEditorForm,
} from '#web/features/assistants/fields/use-assistant-form.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { DraftNotice } from './draft-notice.tsx';
import { EditorFields } from './editor-fields.tsx';
import { useKeptDraft } from './use-kept-draft.ts';
import { isLongText, useSaving } from './use-saving.ts';

export type TrialProps = {
  assistantId: number | null;
  settings: () => Promise<TrialSettings | null>;
  starters: readonly string[];
};

type AssistantEditorProps = {
  /** null: a new one. */
  assistant: Assistant | null;
  /** Values of a new one. */
  start: AssistantDraft;
  kept: KeptDraft | null;
  /** Values that begin as changes, because nothing else holds them: a draft that a model wrote. */
  unsaved?: AssistantDraft | undefined;
  /** Parts that other features supply. */
  trial: (props: TrialProps) => ReactNode;
  /** The files and the connected tools; those of a new assistant are part of the form. */
  connectedTools: (form: AssistantForm) => ReactNode;
  files: (form: AssistantForm) => ReactNode;
  /** Above the fields. */
  notice?: ReactNode;
  onSaved: (assistant: Assistant) => void;
  onCancel: () => void;
};

/** Saves with Ctrl+S or Cmd+S, wherever the focus is. */
function useSaveKey(save: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.key.toLowerCase() !== 's' || !isCommand || event.shiftKey || event.altKey) return;
    event.preventDefault();
    save();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

/** A kept form that was saved meanwhile is not offered. */
const differs = (kept: AssistantDraftValues, values: object) =>
  Object.entries(kept).some(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(new Map(Object.entries(values)).get(name)),
  );

/** Puts values into the form as changes. */
function restore(form: AssistantForm, values: AssistantDraftValues) {
  for (const name of assistantFieldNames) {
    const value = values[name];
    if (value !== undefined) form.setValue(name, value, { shouldDirty: true });
  }
  for (const name of newPartNames) if (values[name]) form.setValue(name, values[name], { shouldDirty: true });
}

/** The form on the left, a trial of it on the right; below each other on small screens. */
export function AssistantEditor(props: AssistantEditorProps) {
  const { assistant, start, kept, unsaved, trial } = props;
  const trialId = useId();
  const values = assistant ? AssistantSettings.parse(assistant) : start;
  const [isLong, setLong] = useState(
    () => isLongText(values.instructions) || isLongText(kept?.values.instructions ?? ''),
  );
  const form = useEditorForm(values, isLong);
  const keeping = useKeptDraft(form, assistant?.id ?? null, assistant?.version ?? null);
  const { submit, isSaving, isSaved } = useSaving(props, form, keeping);
  const fill = useEffectEvent(() => unsaved && restore(form, unsaved));
  // After the effect that keeps changes.
  useEffect(() => void fill(), []);

  /** The settings that the trial asks with; a field that is wrong is shown at its place. */
  const settings = async () => {
    const parsed = TrialSettings.safeParse(form.getValues());
    if (parsed.success) return parsed.data;
    await form.trigger();
    showFirstError();
    return null;
  };

  return (
    <div className="grid gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(24rem,0.85fr)]">
      <FormColumn {...props} {...{ form, keeping, submit, isSaving, isLong, trialId }} onLongChange={setLong} />
      <div id={trialId} className="min-w-0 xl:sticky xl:top-6 xl:h-[calc(100dvh-3rem)] max-xl:h-[36rem]">
        {trial({ assistantId: assistant?.id ?? null, settings, starters: form.watch('starters') ?? [] })}
      </div>
      <UnsavedChanges when={keeping.isDirty && !isSaved} what="this assistant" />
    </div>
  );
}

type FormColumnProps = AssistantEditorProps & {
  form: AssistantForm;
  keeping: ReturnType<typeof useKeptDraft>;
  submit: (draft: FormDraft) => void;
  isSaving: boolean;
  isLong: boolean;
  onLongChange: (isLong: boolean) => void;
  trialId: string;
};

function FormColumn(props: FormColumnProps) {
  const { assistant, kept, notice, form, keeping, submit, isLong, onLongChange, connectedTools, files } = props;
  const models = useQuery(modelsQuery);
  const { reason } = useEditAccess();
  const formId = useId();
  const [offered, setOffered] = useState(() => (kept && differs(kept.values, form.getValues()) ? kept : null));
  const [restored, setRestored] = useState(0);
  const save = form.handleSubmit(submit, showFirstError);
  useSaveKey(() => reason === undefined && void save());
  const takeBack = (values: AssistantDraftValues) => {
    restore(form, values);
    // Fields that hold a text of their own read the form again.
    setRestored(restored + 1);
    setOffered(null);
  };
  const discard = () => {
    setOffered(null);
    keeping.discard(true).catch(showFailure('Failed to discard the changes'));
  };
  return (
    <div className="min-w-0">
      {reason && <Notice className="mb-4">{reason}</Notice>}
      {offered && (
        <DraftNotice
          draft={offered}
          version={assistant?.version ?? null}
          onRestore={() => takeBack(offered.values)}
          onDiscard={discard}
        />
      )}
      {notice}
      <form id={formId} onSubmit={save} noValidate>
        <EditorFields
          key={restored}
          form={form}
          models={models.data}
          isLong={isLong}
          onLongChange={onLongChange}
          connectedTools={connectedTools(form)}
          files={files(form)}
          savedFiles={assistant?.files ?? 0}
        />
      </form>
      <SaveBar {...props} formId={formId} reason={reason} />
    </div>
  );
}

type SaveBarProps = Pick<FormColumnProps, 'assistant' | 'keeping' | 'isSaving' | 'trialId' | 'onCancel'> & {
  formId: string;
  reason: string | undefined;
};

function SaveBar({ assistant, keeping, isSaving, trialId, onCancel, formId, reason }: SaveBarProps) {
  const showTrial = () => document.getElementById(trialId)?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  return (
    <div className="sticky bottom-0 z-10 -mx-1 mt-4 flex items-center justify-end gap-2 border-border border-t bg-background px-1 py-3">
      <output className="me-auto min-w-0 truncate text-muted-foreground text-sm">
        {keeping.isDirty
          ? keeping.isRefused
            ? 'Not saved; the draft could not be stored'
            : 'Not saved yet'
          : assistant
            ? `Version ${assistant.version}`
            : ''}
      </output>
      <Button className="xl:hidden" onClick={showTrial}>
        Try it
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
      <Button
        type="submit"
        form={formId}
        variant="primary"
        busy={isSaving}
        pendingLabel="Saving..."
        disabledReason={reason}
        aria-keyshortcuts="Control+S Meta+S"
      >
        {assistant ? 'Save changes' : 'Create assistant'}
      </Button>
    </div>
  );
}

/** A folded section opens with its error, so that the field can be focused a moment later. */
function showFirstError() {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
