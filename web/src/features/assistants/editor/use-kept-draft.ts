import { type Assistant, assistantFieldNames } from '@roster/contracts/assistants/assistants';
import { AssistantDraftValues, assistantDrafts, newPartNames } from '@roster/contracts/assistants/drafts';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { AssistantForm, FormValues } from '#web/features/assistants/fields/use-assistant-form.ts';
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

/**
 * The fields of a form to keep, as far as they can be kept. A new assistant keeps all of them: it may come from a
 * template, which is not stored anywhere else.
 */
function valuesToKeep(form: AssistantForm, place: Place): AssistantDraftValues {
  const { dirtyFields } = form.formState;
  const values = form.getValues();
  const names = assistantFieldNames.filter((name) => place === null || dirtyFields[name] !== undefined);
  const parts = place === null ? newPartNames.filter((name) => values[name] !== undefined) : [];
  return keepable(values, [...names, ...parts]);
}

type DraftField = keyof AssistantDraftValues;

/** A value that cannot be kept, such as a number that is half typed, must not cost the others. */
function keepable(values: FormValues, names: readonly DraftField[]): AssistantDraftValues {
  const kept = names.filter((name) => AssistantDraftValues.shape[name].safeParse(values[name]).success);
  return AssistantDraftValues.parse(Object.fromEntries(kept.map((name) => [name, values[name]])));
}

/** Keeps these fields as changes of an assistant that was created from the form. */
export const keepAsChanges = (
  { id, version }: Pick<Assistant, 'id' | 'version'>,
  values: FormValues,
  names: readonly DraftField[],
) => call(assistantDrafts.keep, { query: queryOf(id), body: { version, values: keepable(values, names) } });

/**
 * Keeps what is typed on the server, a moment after the last change. `version`: the version that is changed; null: a
 * new assistant.
 */
export function useKeptDraft(form: AssistantForm, place: Place, version: number | null) {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOver = useRef(false);
  const isKept = useRef(false);
  const [isRefused, setRefused] = useState(false);
  const { isDirty, dirtyFields } = form.formState;
  // Read here, because the form tracks only what is read while rendering.
  void dirtyFields;

  const keep = useEffectEvent(async () => {
    if (isOver.current || (!isDirty && !isKept.current)) return;
    try {
      // All changes were taken back: nothing is left to offer later.
      if (!isDirty) await call(assistantDrafts.remove, { query: queryOf(place) });
      else
        await call(assistantDrafts.keep, {
          query: queryOf(place),
          body: { version, values: valuesToKeep(form, place) },
        });
      isKept.current = isDirty;
      setRefused(false);
    } catch {
      // Said beside Save. The page still has the text, and the next change tries again.
      setRefused(true);
    }
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
    /** True if the last change is only in this page. */
    isRefused,
    /** Discards the kept form, which was saved or is not wanted. `goesOn`: later changes are kept. */
    async discard(goesOn = false) {
      isOver.current = !goesOn;
      clearTimeout(timer.current);
      client.setQueryData(keptDraftQuery(place).queryKey, null);
      await call(assistantDrafts.remove, { query: queryOf(place) });
    },
  };
}
