import { createSimulator, type SimulatorOptions } from '@roster/simulator/simulator';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import type { Engine } from '#server/db/connect';
import { goodKey, password, readyDatabase } from './app.ts';
import { withDatabase } from './database.ts';
import { type NumberedEvent, openEvents } from './events.ts';
import { freePort } from './free-port.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { type SpawnedProcess, spawnServer, untilReady } from './process.ts';
import { waitedForProcessor } from './process-clock.ts';

/** Pseudo-random numbers that are the same in every run of a test. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * How often a test kills its server. Releases are checked with CRASH_ROUNDS=25: each round starts a new server, which
 * takes a second.
 */
export const roundsOr = (usual: number) => Number(process.env.CRASH_ROUNDS ?? usual);

/** A server that is killed and restarted with the same data and address. */
export async function killableServer(variables: Record<string, string>) {
  const port = await freePort();
  const place = { url: `http://localhost:${port}`, origin: `http://localhost:${port}` };
  let spawned: SpawnedProcess | undefined;
  const waited = () => waitedForProcessor(spawned?.child.pid ?? 0);
  return {
    ...place,
    visitor: () => createHttpClient(() => place),
    /** Resolves with the time until it was ready, without the time spent waiting for a processor. */
    async start(): Promise<number> {
      const before = performance.now();
      spawned = spawnServer({ PORT: String(port), RATE_LIMIT_SCALE: '1000', LOG_LEVEL: 'warn', ...variables });
      await untilReady(spawned, port);
      return performance.now() - before - waited();
    },
    /** How long the process has waited for a processor since its start. */
    waited,
    async kill() {
      spawned?.child.kill('SIGKILL');
      await spawned?.ended;
    },
    /** Asks it to stop; resolves with its exit code. */
    async terminate(): Promise<number | null> {
      spawned?.child.kill('SIGTERM');
      return (await spawned?.ended)?.code ?? null;
    },
    output: () => spawned?.output.text ?? '',
    async status(path: string): Promise<number | undefined> {
      const answer = await request(`${place.url}${path}`).catch(() => undefined);
      await answer?.body.dump();
      return answer?.statusCode;
    },
  };
}

type Surroundings = {
  simulator?: SimulatorOptions;
  env?: Record<string, string>;
  /** Closes what it uses besides, after it has ended. */
  close?: () => Promise<void>;
};

/**
 * A server that can be killed, not started yet, with its own database and the simulator as its provider; removed with
 * the test.
 */
export async function killableInstallation(engine: Engine, { simulator = {}, env = {}, close }: Surroundings = {}) {
  const database = await readyDatabase(engine);
  const simulated = createSimulator({ tokenDelayMs: 0, ...simulator });
  const provider = await simulated.listen();
  const { dataDir, url: databaseUrl } = database;
  const server = await killableServer({
    DATA_DIR: dataDir,
    PROVIDER_BASE_URL: provider.url,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    ...env,
  });
  onTestFinished(async () => {
    await server.kill();
    await simulated.close();
    await close?.();
    await database.remove();
  });
  return { app: { dataDir, databaseUrl, provider }, server };
}

/** Frees the jobs of a dead process at once instead of after their lease. Not while one is alive. */
export const freeJobs = (app: Parameters<typeof withDatabase>[0]) =>
  withDatabase(app, (db) => db.updateTable('jobs').set({ claimed_until: null }).execute());

export type KillableServer = Awaited<ReturnType<typeof killableServer>>;

export async function registered(server: KillableServer, name: string): Promise<HttpClient> {
  const visitor = server.visitor();
  const { status, body } = await visitor.post('/api/register', { email: `${name}@example.com`, password });
  if (status !== 201) throw new Error(`${name} could not register: ${JSON.stringify(body)}`);
  await visitor.post('/api/settings/apikey', { apiKey: goodKey });
  return visitor;
}

/** A reader that survives the server's death and records what it saw, and when. */
export async function witness(server: KillableServer, visitor: HttpClient, runId: number) {
  const reader = await openEvents(server, visitor, runId);
  const arrivals: number[] = [];
  const noting = setInterval(() => {
    while (arrivals.length < reader.events.length) arrivals.push(performance.now());
  }, 10);
  return {
    until: reader.until,
    /** The events received by that time. */
    seenBefore(time: number): NumberedEvent[] {
      return reader.events.slice(0, arrivals.filter((at) => at <= time).length);
    },
    get events() {
      return reader.events;
    },
    leave() {
      clearInterval(noting);
      reader.leave();
    },
  };
}
