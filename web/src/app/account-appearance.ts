import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { applyPreferences, preferencesQuery } from '#web/api/preferences.ts';

/** Applies the account's theme and colors to this browser. If they cannot be loaded, nothing changes. */
export function AccountAppearance() {
  const { data } = useQuery(preferencesQuery);
  useEffect(() => {
    if (data) applyPreferences(data);
  }, [data]);
  return null;
}
