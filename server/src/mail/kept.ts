import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const keptForMs = 30 * 24 * 60 * 60_000;

/** The folder of mails that no mail server took. */
export const keptMailFolder = (dataDir: string) => join(dataDir, 'mail');

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Deletes kept mails after 30 days, also once a mail server is configured; run by jobs/upkeep.ts. */
export async function forgetKeptMails(dataDir: string) {
  const folder = keptMailFolder(dataDir);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for (const name of names) {
    // Nothing of somebody else's that lies there.
    if (!/\.eml(\.part)?$/.test(name)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch((error: unknown) => {
      // Another process, or the operator, was quicker.
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (found && Date.now() - found.mtimeMs > keptForMs) await rm(file, { force: true });
  }
}
