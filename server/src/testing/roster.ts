import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiled } from './process.ts';

// Not through scripts/roster.mjs, which would install packages where the lock file is newer than they are.
const script = fileURLToPath(new URL('../operator/main.ts', import.meta.url));

type Given = { child: ChildProcess; ended: Promise<{ code: number | null; out: string; errors: string }> };

/** The command as an operator gives it: a process of its own, with nothing but these variables. */
export function spawnRoster(words: string[], variables: Record<string, string>): Given {
  const env = compiled({ PATH: process.env.PATH ?? '', ...variables });
  const child = spawn(process.execPath, [script, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended: Given['ended'] = new Promise((resolve) => child.once('close', (code) => resolve({ code, out, errors })));
  return { child, ended };
}

export const roster = (words: string[], variables: Record<string, string>) => spawnRoster(words, variables).ended;
