import { defaultPreferences, type Preferences } from '@roster/contracts/account';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { preferencesQuery, savedColors } from '#web/api/preferences.ts';
import type { Colors } from '#web/lib/theme/colors.ts';
import { useTheme } from '#web/lib/theme/theme.ts';
import { themeColors } from './colors.ts';

/** Fields edited on the Preferences tab. The theme is not one: it applies at once (`lib/theme/theme.ts`). */
export type Draft = Pick<
  Preferences,
  'notificationsEnabled' | 'soundEnabled' | 'modelMails' | 'titleModel' | 'customColors'
> & {
  /** As typed; may be invalid. */
  colors: Colors;
};
type Edits = Partial<Omit<Draft, 'colors'>> & { colors?: Partial<Colors> };

const draftOf = (preferences: Preferences, unsaved: Colors): Draft => {
  const { notificationsEnabled, soundEnabled, modelMails, titleModel, customColors } = preferences;
  return {
    notificationsEnabled,
    soundEnabled,
    modelMails,
    titleModel,
    customColors,
    colors: savedColors(preferences, unsaved),
  };
};

const sameColors = (one: Colors, other: Colors) => JSON.stringify(one) === JSON.stringify(other);

/** Saved preferences with unsaved edits. A failure to load them is ignored, as specified. */
export function useDraft() {
  // Changes from another device appear within a minute.
  const query = useQuery({ ...preferencesQuery, staleTime: 60_000 });
  // Custom colors start from the theme's.
  const { shown } = useTheme();
  const saved = draftOf(query.data ?? defaultPreferences, themeColors[shown]);
  const [edits, setEdits] = useState<Edits>({});
  const draft: Draft = { ...saved, ...edits, colors: { ...saved.colors, ...edits.colors } };
  const isChanged =
    draft.notificationsEnabled !== saved.notificationsEnabled ||
    draft.soundEnabled !== saved.soundEnabled ||
    draft.modelMails !== saved.modelMails ||
    draft.titleModel !== saved.titleModel ||
    draft.customColors !== saved.customColors ||
    (draft.customColors && !sameColors(draft.colors, saved.colors));
  const edit = (next: Edits) =>
    setEdits((before) => ({ ...before, ...next, colors: { ...before.colors, ...next.colors } }));
  return { draft, saved, edit, isChanged, isLoading: query.isPending, forget: () => setEdits({}) };
}
