import { type ChildProcess, spawn } from 'node:child_process';
import { inject } from 'vitest';
import { compiled } from './process.ts';
import type { Programs } from './programs.ts';

type RosterProcess = { child: ChildProcess; ended: Promise<{ code: number | null; out: string; errors: string }> };

/** A command as an operator runs it: a separate process with only these variables. */
export function spawnRoster(
  words: string[],
  variables: Record<string, string>,
  { operator }: Pick<Programs, 'operator'> = inject('programs'),
): RosterProcess {
  const env = compiled({ PATH: process.env.PATH ?? '', ...variables });
  // Bypasses scripts/roster.mjs, which would install packages if the lock file is newer.
  const child = spawn(process.execPath, [operator, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended: RosterProcess['ended'] = new Promise((resolve) =>
    child.once('close', (code) => resolve({ code, out, errors })),
  );
  return { child, ended };
}

export const roster = (...given: Parameters<typeof spawnRoster>) => spawnRoster(...given).ended;
