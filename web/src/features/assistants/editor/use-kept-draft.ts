import { assistantFieldNames } from '@roster/contracts/assistants/assistants';
import { AssistantDraftValues, assistantDrafts } from '@roster/contracts/assistants/drafts';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { AssistantForm } from '#web/features/assistants/fields/use-assistant-form.ts';
import { call } from '#web/lib/api-client.ts';

const keepAfterMs = 1_500;

/** null: of a new assistant. */
type Place = number | null;

const queryOf = (place: Place) => (place === null ? {} : { assistant: place });

/** The form that was left without saving, if any. Read when the editor opens, never meanwhile. */
export const keptDraftQuery = (place: Place) =>
  queryOptions({
    queryKey: ['assistants', 'draft', place],
    queryFn: async ({ signal }) => (await call(assistantDrafts.get, { query: queryOf(place) }, signal)).draft,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The changed fields of a form, as far as they can be kept. */
export function changedValues(form: AssistantForm): AssistantDraftValues {
  const { dirtyFields } = form.formState;
  const values = form.getValues();
  const changed = Object.fromEntries(
    assistantFieldNames.flatMap((name) => (dirtyFields[name] === undefined ? [] : [[name, values[name]]])),
  );
  const kept = AssistantDraftValues.safeParse(changed);
  return kept.success ? kept.data : {};
}

/**
 * Keeps what is typed on the server, a moment after the last change. `version`: the version that is changed; null: a
 * new assistant.
 */
export function useKeptDraft(form: AssistantForm, place: Place, version: number | null) {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOver = useRef(false);
  const { isDirty, dirtyFields } = form.formState;
  // Read here, because the form tracks only what is read while rendering.
  void dirtyFields;

  const keep = useEffectEvent(async () => {
    const values = changedValues(form);
    if (isOver.current || Object.keys(values).length === 0) return;
    // The page keeps the text, and the browser warns before it is closed; the next change tries again.
    await call(assistantDrafts.keep, { query: queryOf(place), body: { version, values } }).catch(() => undefined);
  });
  const { watch } = form;
  useEffect(() => {
    const { unsubscribe } = watch(() => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void keep(), keepAfterMs);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer.current);
    };
  }, [watch]);

  return {
    isDirty,
    /** Discards what is kept: it was saved, or is not wanted. `then` true: the form goes on. */
    async discard(goesOn = false) {
      isOver.current = !goesOn;
      clearTimeout(timer.current);
      client.setQueryData(keptDraftQuery(place).queryKey, null);
      await call(assistantDrafts.remove, { query: queryOf(place) });
    },
  };
}
