import { account, type Preferences } from '@roster/contracts/account';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { applyPreferences, preferencesQuery } from '#web/api/preferences.ts';
import { call } from '#web/lib/api-client.ts';
import { browserLocale } from '#web/lib/browser-locale.ts';

/** Tells the server where the user is, for instructions with the time. Only if it differs: most visits send nothing. */
function useLocale(saved: Preferences | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (!saved) return;
    const here = browserLocale();
    if (here.timeZone === saved.timeZone && here.language === saved.language) return;
    void call(account.saveLocale, { body: here }).then(
      () => client.setQueryData(preferencesQuery.queryKey, (now) => now && { ...now, ...here }),
      // Times are in the zone known before, or in UTC. The next visit tries again.
      () => undefined,
    );
  }, [saved, client]);
}

/**
 * Applies the account's theme and colors to this browser, and keeps its time zone. If they cannot be loaded, nothing
 * changes.
 */
export function AccountAppearance() {
  const { data } = useQuery(preferencesQuery);
  useEffect(() => {
    if (data) applyPreferences(data);
  }, [data]);
  useLocale(data);
  return null;
}
