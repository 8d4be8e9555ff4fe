import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#server/config/config';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';

const keptForMs = 30 * 24 * hourMs;

/** The folder for mails when no mail server is configured. */
export const fileOutbox = (dataDir: string) => join(dataDir, 'mail');

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Deletes stored mails after 30 days, even once a mail server is configured. */
export const removeOldFileMails = ({ dataDir }: Pick<Config, 'dataDir'>): ScheduledTask => ({
  everyMs: hourMs,
  atStart: true,
  run: () => deleteOldMails(fileOutbox(dataDir)),
});

async function deleteOldMails(folder: string) {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const name of names) {
    // Other files in the folder stay.
    if (!/\.eml(\.part)?$/.test(name)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch((error: unknown) => {
      // Another process, or the operator, has already deleted it.
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (found && Date.now() - found.mtimeMs > keptForMs) await rm(file, { force: true });
  }
}
