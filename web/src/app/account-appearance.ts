import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { applyPreferences, preferencesQuery } from '#web/api/preferences.ts';

/** Brings the account's theme and colors to this browser. Where they cannot be loaded, it stays as it looks. */
export function AccountAppearance() {
  const { data } = useQuery(preferencesQuery);
  useEffect(() => {
    if (data) applyPreferences(data);
  }, [data]);
  return null;
}
