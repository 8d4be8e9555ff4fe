import { readUserValue, writeUserValue } from '#web/lib/storage/user-storage.ts';

const name = 'recent-commands';
const maxRecent = 4;

/** Ids of the commands that this person ran last in this browser, the newest first. */
export const recentCommandIds = (): string[] => readUserValue(name)?.split(' ').filter(Boolean) ?? [];

export function rememberCommand(id: string): void {
  const others = recentCommandIds().filter((one) => one !== id);
  writeUserValue(name, [id, ...others].slice(0, maxRecent).join(' '));
}
