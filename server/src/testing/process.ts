import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'undici';
import { inject } from 'vitest';
import { patienceMs } from './patience.ts';
import type { Programs } from './programs.ts';

export type Spawned = {
  child: ChildProcess;
  /** What it has printed so far. */
  output: { text: string };
  /** Once the process has ended, whether its output was read or not. */
  exited: Promise<Ending>;
  /** Once it has ended and all its output is read. */
  ended: Promise<Ending>;
};
type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** As scripts/install.mjs starts it: what is compiled once is kept, which is half of the work of a start. */
export const compiled = (variables: Record<string, string>) => {
  const { NODE_COMPILE_CACHE } = process.env;
  return { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...variables };
};

/**
 * The server as an operator starts it: a process of its own, with nothing but these variables and options of Node. Where TOOLS_URL
 * is one of them, with tools that are called there.
 */
export function spawnServer(
  variables: Record<string, string>,
  { flags = [], programs = inject('programs') }: { flags?: string[]; programs?: Programs } = {},
): Spawned {
  const output = { text: '' };
  const child = spawn(process.execPath, [...flags, variables.TOOLS_URL ? programs.mainWithTools : programs.main], {
    env: compiled(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  const on = (event: 'exit' | 'close') =>
    new Promise<Ending>((resolve) => child.once(event, (code, signal) => resolve({ code, signal })));
  return { child, output, exited: on('exit'), ended: on('close') };
}

/** Waits until it takes work. @throws with what it printed if it ends or does not get there */
export async function untilReady({ child, output }: Spawned, port: number) {
  const isReady = async () => {
    const answer = await request(`http://localhost:${port}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 200;
  };
  const giveUpAt = performance.now() + patienceMs;
  while (child.exitCode === null && child.signalCode === null && performance.now() < giveUpAt) {
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The server did not become ready:\n${output.text}`);
}
