import { defaultPreferences } from '@roster/contracts/account';
import type { QueryClient } from '@tanstack/react-query';
import { chime } from '#web/lib/chime.ts';
import { showNotification } from '#web/lib/notifications.ts';
import { preferencesQuery } from './preferences.ts';

/** Something that took its time and has ended. `path`: where it can be seen. */
export type FinishedNotice = { title: string; body: string; path: string };

/** How long other tabs that see the same end keep quiet. */
const quietFor = 3000;

/** Shows a notification and plays a sound, each where it is switched on. `open` leads to a path of this tab. */
export async function notifyOnDesktop(
  { title, body, path }: FinishedNotice,
  client: QueryClient,
  open: (path: string) => void,
): Promise<void> {
  const preferences = await client.ensureQueryData(preferencesQuery).catch(() => defaultPreferences);
  await onceAcrossTabs(path, async () => {
    if (preferences.notificationsEnabled) showNotification({ title, body, tag: path, onClick: () => open(path) });
    if (preferences.soundEnabled) await chime();
  });
}

/** The same conversation may be open in several tabs: one of them speaks. */
async function onceAcrossTabs(what: string, act: () => Promise<void>): Promise<void> {
  await navigator.locks.request(`finished ${what}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    await act();
    await new Promise((resolve) => setTimeout(resolve, quietFor));
  });
}
