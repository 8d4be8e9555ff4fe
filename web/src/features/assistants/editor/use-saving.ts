import {
  type Assistant,
  AssistantSettings,
  assistantFieldNames,
  instructionsLimit,
} from '@roster/contracts/assistants/assistants';
import { codePointLength } from '@roster/contracts/text/length';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useCreateAssistant, useUpdateAssistant } from '#web/api/assistant-changes.ts';
import { changesBetween } from '#web/features/assistants/fields/changes-between.ts';
import type { AssistantForm, FormDraft, FormValues } from '#web/features/assistants/fields/use-assistant-form.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { showFormFailure } from '#web/lib/form-errors.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/ui/states/toast.tsx';
import { keepAsChanges, type useKeptDraft } from './use-kept-draft.ts';

export const isLongText = (text: string) => codePointLength(text) > instructionsLimit;

/** Names the chosen files that were deleted meanwhile. */
function showMissingFiles(form: AssistantForm, error: unknown) {
  const paths = error instanceof ApiError ? Object.keys(error.fields ?? {}) : [];
  const indices = paths.flatMap((path) => (path.startsWith('fileIds.') ? Number(path.slice('fileIds.'.length)) : []));
  const names = (form.getValues('files') ?? []).filter((_, index) => indices.includes(index));
  if (names.length === 0) return;
  const list = names.map(({ filename }) => filename).join(', ');
  form.setError('files', { message: `No longer among your files: ${list}. Remove it, then create the assistant.` });
}

/** The fields that were changed while the form was being saved. */
const changedSince = (before: FormValues, values: FormValues) =>
  assistantFieldNames.filter((name) => JSON.stringify(values[name]) !== JSON.stringify(before[name]));

/** Creates the assistant, or saves what was changed. */
export function useSaving(
  { assistant, onSaved }: { assistant: Assistant | null; onSaved: (assistant: Assistant) => void },
  form: AssistantForm,
  keeping: ReturnType<typeof useKeptDraft>,
) {
  const create = useCreateAssistant();
  const update = useUpdateAssistant();
  const [saved, setSaved] = useState<Assistant | null>(null);
  /** The values that are being saved; null: none. A second Ctrl+S would create the assistant twice. */
  const saving = useRef<FormValues | null>(null);
  const isCreated = useRef(false);
  const onSettled = () => {
    saving.current = null;
  };
  const leave = useEffectEvent(onSaved);
  // In an effect: the guard for unsaved changes must be gone before the page is left.
  useEffect(() => {
    if (saved) leave(saved);
  }, [saved]);

  const done = async (result: Assistant) => {
    const values = form.getValues();
    const changed = saving.current ? changedSince(saving.current, values) : [];
    form.reset(AssistantSettings.parse(result));
    for (const name of changed) form.setValue(name, values[name], { shouldDirty: true });
    // If that fails, the kept form equals the saved one, and is not offered.
    keeping.discard(assistant !== null).catch(showFailure('Failed to delete the draft'));
    toast(
      assistant
        ? { title: 'Assistant updated', description: 'Your changes have been saved.' }
        : { title: 'Assistant created', description: `${result.name} is ready to chat.` },
    );
    // The page of the new assistant offers what was typed meanwhile.
    if (!assistant && changed.length > 0)
      await keepAsChanges(result, values, changed).catch(showFailure('Failed to keep your last changes as a draft'));
    setSaved(result);
  };
  const submit = ({ files, chosenTools, ...draft }: FormDraft) => {
    if (saving.current || isCreated.current) return;
    const long = isLongText(draft.instructions) && { longInstructions: true as const };
    if (assistant === null) {
      saving.current = form.getValues();
      return create.mutate(
        {
          ...{ ...draft, ...long },
          ...(files && files.length > 0 && { fileIds: files.map(({ fileId }) => fileId) }),
          ...(chosenTools && chosenTools.length > 0 && { chosenTools }),
        },
        {
          onSuccess(result) {
            isCreated.current = true;
            return done(result);
          },
          onError(error) {
            showMissingFiles(form, error);
            showFormFailure(
              form,
              'Failed to create assistant',
              'An error occurred while creating your assistant',
            )(error);
          },
          onSettled,
        },
      );
    }
    const changes = changesBetween(assistant, draft);
    if (Object.keys(changes).length === 0) return;
    saving.current = form.getValues();
    update.mutate(
      { id: assistant.id, changes: { ...changes, ...(changes.instructions !== undefined && long) } },
      {
        onSuccess: done,
        onError: showFormFailure(form, 'Failed to update assistant', 'An error occurred. Please try again.'),
        onSettled,
      },
    );
  };
  return { submit, isSaving: create.isPending || update.isPending, isSaved: saved !== null && assistant === null };
}
