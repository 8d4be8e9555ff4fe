import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useSavePreferences } from '#web/api/preferences.ts';
import { UnsavedChanges } from '#web/components/unsaved-changes.tsx';
import { showFailure } from '#web/lib/show-failure.ts';
import type { Colors } from '#web/lib/theme/colors.ts';
import { previewColors, useTheme } from '#web/lib/theme/theme.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { Advanced } from './advanced.tsx';
import { Appearance } from './appearance.tsx';
import { type ColorErrors, colorErrors, mergeTypedColors } from './colors.ts';
import { Notifications } from './notifications.tsx';
import { Titles } from './titles.tsx';
import { useDraft } from './use-draft.ts';

const parts = [
  { value: 'appearance', label: 'Appearance' },
  { value: 'notifications', label: 'Notifications' },
  { value: 'conversations', label: 'Conversations' },
  { value: 'advanced', label: 'Advanced' },
] as const;
type Part = (typeof parts)[number]['value'];

type Edited = ReturnType<typeof useDraft>;

/** Validates the typed colors. If they are enabled and one is invalid, focuses the first. */
function useColorCheck({ draft, saved }: Pick<Edited, 'draft' | 'saved'>, onWrong: () => void) {
  const [errors, setErrors] = useState<ColorErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  const checkedColors = (): Colors | undefined => {
    const wrong = draft.customColors ? colorErrors(draft.colors) : {};
    setErrors(wrong);
    if (Object.keys(wrong).length === 0) return mergeTypedColors(draft.colors, saved.colors);
    onWrong();
    setRefusals((count) => count + 1);
    return undefined;
  };
  return { form, errors, setErrors, checkedColors };
}

function useSaving({ draft, isLoading, forget }: Edited, checkedColors: () => Colors | undefined) {
  const { theme } = useTheme();
  const save = useSavePreferences();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (save.isPending) return;
    const colors = checkedColors();
    if (!colors) return;
    const { notificationsEnabled, soundEnabled, modelMails, titleModel, customColors } = draft;
    save.mutate(
      {
        theme,
        ...(isLoading ? {} : { notificationsEnabled, soundEnabled, modelMails, titleModel, customColors, ...colors }),
      },
      {
        onSuccess: () => {
          forget();
          previewColors(undefined);
          toast({ title: 'Preferences Saved', description: 'They apply on all your devices.' });
        },
        onError: showFailure('Failed to Save Preferences', 'An error occurred while saving your preferences.'),
      },
    );
  };
  return { submit, isSaving: save.isPending };
}

export function PreferencesTab() {
  const [part, setPart] = useState<Part>('appearance');
  const edited = useDraft();
  const { draft, saved, edit, isLoading } = edited;
  const { form, errors, setErrors, checkedColors } = useColorCheck(edited, () => setPart('advanced'));
  const { submit, isSaving } = useSaving(edited, checkedColors);
  const isUnsaved = edited.isChanged && !isSaving;

  // Leaving the page ends the preview.
  useEffect(() => () => previewColors(undefined), []);

  const contents: Record<Part, ReactNode> = {
    appearance: <Appearance hasColors={draft.customColors} />,
    notifications: isLoading ? <LoadingPreferences count={2} /> : <Notifications draft={draft} onChange={edit} />,
    conversations: isLoading ? (
      <LoadingPreferences count={1} />
    ) : (
      <Titles model={draft.titleModel} onChange={(titleModel) => edit({ titleModel })} />
    ),
    advanced: isLoading ? (
      <LoadingPreferences count={1} />
    ) : (
      <Advanced {...{ draft, saved, errors, checkedColors }} onChange={edit} onErrors={setErrors} />
    ),
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Card className="p-5 max-sm:p-4">
        <Tabs label="Preferences" look="segment" value={part} onValueChange={setPart} items={parts}>
          <div className="pt-6">{contents[part]}</div>
        </Tabs>
      </Card>
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" busy={isSaving} pendingLabel="Saving...">
          Save Preferences
        </Button>
        {isUnsaved && <p className="text-muted-foreground text-sm">Unsaved changes</p>}
      </div>
      <UnsavedChanges when={isUnsaved} what="the preferences" />
    </form>
  );
}

function LoadingPreferences({ count }: { count: number }) {
  return (
    <div aria-busy="true" className="grid gap-6">
      <output className="sr-only">Loading preferences</output>
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
        <div key={row} className="flex items-center justify-between gap-6">
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-4 w-72 max-w-full" />
          </div>
          <Skeleton className="h-5 w-9 rounded-full" />
        </div>
      ))}
    </div>
  );
}
