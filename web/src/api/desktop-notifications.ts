import { defaultPreferences } from '@roster/contracts/account';
import type { QueryClient } from '@tanstack/react-query';
import { chime } from '#web/lib/chime.ts';
import { showNotification } from '#web/lib/notifications.ts';
import { preferencesQuery } from './preferences.ts';

/** Something long-running that has finished. `path`: the page that shows it. */
export type FinishedNotice = { title: string; body: string; path: string };

/** Milliseconds during which other tabs do not notify about the same thing. */
const quietFor = 3000;

/** Shows a notification and plays a sound, each if enabled. `open` navigates in this tab. */
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

/** Several tabs may watch the same thing; only one of them notifies. */
async function onceAcrossTabs(what: string, act: () => Promise<void>): Promise<void> {
  await navigator.locks.request(`finished ${what}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    await act();
    await new Promise((resolve) => setTimeout(resolve, quietFor));
  });
}
