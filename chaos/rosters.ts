import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../server/src/testing/free-port.ts';
import type { Environment } from './environment.ts';
import { answers, createPart } from './processes.ts';

export const root = dirname(import.meta.dirname);
const startsWithinMs = 120_000;

/** The simulated provider. */
export async function provider({ folder }: Environment) {
  const port = await freePort();
  const part = createPart(
    {
      name: 'provider',
      path: process.execPath,
      args: [join(root, 'simulator/src/main.ts')],
      folder,
      env: { SIMULATOR_PORT: String(port), SIMULATOR_TOKEN_DELAY_MS: '0' },
    },
    () => answers(`http://127.0.0.1:${port}/v1/models`, [200, 401]),
  );
  return { url: `http://127.0.0.1:${port}/v1`, ...part };
}

/** A Roster process like `npm start`, with a supervisor that restarts it until it stays up. */
export function rosterProcess({ folder, makeFolder }: Environment, name: string, port: number, env: NodeJS.ProcessEnv) {
  const part = createPart(
    {
      name,
      path: process.execPath,
      args: ['--max-semi-space-size=2', join(root, 'server/src/main.ts')],
      folder,
      env: { PORT: String(port), DATA_DIR: makeFolder(`${name}-data`), ...env },
    },
    () => answers(`http://127.0.0.1:${port}/readyz`),
  );
  return {
    ...part,
    async start() {
      const giveUpAt = performance.now() + startsWithinMs;
      for (;;)
        try {
          return await part.start();
        } catch (error) {
          // It does not start without its database, and says so.
          await part.kill();
          if (performance.now() > giveUpAt) throw error;
          await wait(1_000);
        }
    },
  };
}

export type RosterProcess = ReturnType<typeof rosterProcess>;
