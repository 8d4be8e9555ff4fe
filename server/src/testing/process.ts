import { type ChildProcess, spawn } from 'node:child_process';
import { request } from 'undici';
import { inject } from 'vitest';
import { patienceMs } from './patience.ts';
import type { Programs } from './programs.ts';

export type SpawnedProcess = {
  child: ChildProcess;
  /** The output so far. */
  output: { text: string };
  /** Resolves when the process has ended, even if its output is not read. */
  exited: Promise<Ending>;
  /** Resolves when it has ended and all its output is read. */
  ended: Promise<Ending>;
};
type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** As scripts/install.mjs starts it: with a compile cache, which saves half of the work of a start. */
export const compiled = (variables: Record<string, string>) => {
  const { NODE_COMPILE_CACHE } = process.env;
  return { ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...variables };
};

/**
 * The server as an operator starts it: a separate process with only these variables and Node options. With TOOLS_URL it
 * has tools that are called there.
 */
export function spawnServer(
  variables: Record<string, string>,
  { flags = [], programs = inject('programs') }: { flags?: string[]; programs?: Programs } = {},
): SpawnedProcess {
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

/** Waits until it accepts work. @throws with its output if it ends or does not get there */
export async function untilReady({ child, output }: SpawnedProcess, port: number) {
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
