import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './processes.ts';
import { findPrograms, type Programs, unprivileged } from './programs.ts';

/** Settings that all parts share. */
export type Environment = {
  folder: string;
  programs: Programs;
  as: ReturnType<typeof unprivileged>;
  /** A folder that the parts may write to. */
  makeFolder: (name: string) => string;
  /** A file that only the parts may read. */
  writeFile: (name: string, text: string) => string;
};

/** A temporary folder, deleted at the end unless CHAOS_KEEP is set. @throws if a program is missing */
export function prepareEnvironment(): Environment {
  const programs = findPrograms();
  const as = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'roster-chaos-'));
  const given = (path: string) => {
    if (as) chownSync(path, as.uid, as.gid);
    return path;
  };
  given(folder);
  chmodSync(folder, 0o755);
  atExit.push(() => {
    if (process.env.CHAOS_KEEP) console.log(`Kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return {
    folder,
    programs,
    as,
    makeFolder(name) {
      const path = join(folder, name);
      mkdirSync(path, { mode: 0o700 });
      return given(path);
    },
    writeFile(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      return given(path);
    },
  };
}
