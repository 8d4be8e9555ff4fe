import { account, colorDefaults, defaultPreferences, type Preferences } from '@roster/contracts/account';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '#web/lib/api-client.ts';
import { type Colors, derivePalette } from '#web/lib/theme/colors.ts';
import { applySavedColors, applySavedTheme } from '#web/lib/theme/theme.ts';

/** Appearance and sound settings; fetched once, and again where they are edited. */
export const preferencesQuery = queryOptions({
  queryKey: ['preferences'],
  queryFn: ({ signal }) => call(account.preferences, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Saved colors, with `unsaved` where there are none. */
export function savedColors(preferences: Preferences, unsaved: Colors = colorDefaults): Colors {
  return {
    backgroundColor: preferences.backgroundColor ?? unsaved.backgroundColor,
    foregroundColor: preferences.foregroundColor ?? unsaved.foregroundColor,
    primaryColor: preferences.primaryColor ?? unsaved.primaryColor,
    accentColor: preferences.accentColor ?? unsaved.accentColor,
    cardColor: preferences.cardColor ?? unsaved.cardColor,
  };
}

/** Applies the account's theme and colors in this browser. */
export function applyPreferences(preferences: Preferences): void {
  applySavedTheme(preferences.theme);
  applySavedColors(preferences.customColors ? derivePalette(savedColors(preferences)) : null);
}

type PreferenceChanges = Partial<Omit<Preferences, 'theme'>> & Pick<Preferences, 'theme'>;

/** Saves changes to the preferences. Colors that are turned off are not kept. */
export function useSavePreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (changes: PreferenceChanges) => {
      const saved = await client.ensureQueryData(preferencesQuery).catch(() => defaultPreferences);
      const { customColors, ...next } = { ...saved, ...changes };
      const none = { backgroundColor: null, foregroundColor: null, accentColor: null };
      const { theme, notificationsEnabled, soundEnabled, modelMails, titleModel } = next;
      const colors = customColors ? savedColors({ ...next, customColors }) : none;
      return call(account.savePreferences, {
        body: { theme, notificationsEnabled, soundEnabled, modelMails, titleModel, customColors, ...colors },
      });
    },
    onSuccess: (saved) => {
      applyPreferences(saved);
      client.setQueryData(preferencesQuery.queryKey, saved);
    },
  });
}
