import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator, type SimulatorOptions } from '@roster/simulator/simulator';
import pg from 'pg';
import { pino } from 'pino';
import { inject } from 'vitest';
import { loadConfig } from '../config.ts';
import type { Engine } from '../db/connect.ts';
import { type ConnectionTimes, usualTimes } from '../http/connections.ts';
import { logSettings } from '../log.ts';
import { start } from '../start.ts';
import { freePort } from './free-port.ts';
import { createVisitor, type Visitor } from './visitor.ts';

export const engines: Engine[] = ['sqlite', 'postgres'];

/** A key that the simulator takes for good. */
export const goodKey = `sk-${'simulated'.repeat(5)}`;
export const password = 'correct horse battery';

/** The lowest cost that the security requirements allow: tests hash often. */
const hashingCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

type Options = {
  env?: Record<string, string>;
  simulator?: SimulatorOptions;
  connectionTimes?: Partial<ConnectionTimes>;
  /** How the server reaches its PostgreSQL, where not directly. */
  databaseBy?: (url: URL) => URL;
};

/** An empty database of its own on the given engine, and what is needed to be rid of it. */
export async function emptyDatabase(engine: Engine) {
  const dataDir = mkdtempSync(join(tmpdir(), 'roster-test-'));
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') return { dataDir, url: undefined, remove: async () => removeFolder() };
  const name = `test_${randomBytes(8).toString('hex')}`;
  const maintenance = inject('postgresUrl');
  await onServer(maintenance, `create database ${name}`);
  const url = new URL(maintenance);
  url.pathname = `/${name}`;
  return {
    dataDir,
    url: url.href,
    async remove() {
      await onServer(maintenance, `drop database ${name} with (force)`);
      removeFolder();
    },
  };
}

async function onServer(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** The whole product on a fresh database, with the simulator as its provider, listening on a free port. */
export async function startApp(
  engine: Engine,
  { env = {}, simulator: simulatorOptions = {}, connectionTimes, databaseBy = (url) => url }: Options = {},
) {
  const database = await emptyDatabase(engine);
  const simulator = createSimulator({ tokenDelayMs: 0, ...simulatorOptions });
  const provider = await simulator.listen();
  const logLines: string[] = [];
  const log = pino(
    { level: process.env.TEST_LOG_LEVEL ?? 'trace', ...logSettings },
    {
      write(line) {
        logLines.push(line);
        if (process.env.TEST_LOG_LEVEL) process.stderr.write(line);
      },
    },
  );

  /** A process of the installation; a second one shares the database. */
  async function startProcess(more: Record<string, string> = {}) {
    const port = await freePort();
    const config = loadConfig({
      PORT: String(port),
      DATA_DIR: database.dataDir,
      ...(database.url && { DATABASE_URL: databaseBy(new URL(database.url)).href }),
      PROVIDER_BASE_URL: provider.url,
      PROVIDER_NAME: 'OpenAI',
      RATE_LIMIT_SCALE: '1000',
      ...env,
      ...more,
    });
    const running = await start(config, log, {
      checkResponses: true,
      hashingCost,
      ...(connectionTimes && { connectionTimes: { ...usualTimes, ...connectionTimes } }),
    });
    const url = `http://localhost:${port}`;
    const { endpoints, setupCode, stop } = running;
    return { url, origin: env.PUBLIC_URL ?? url, endpoints, setupCode, stop };
  }

  let current = await startProcess();
  let isHalted = false;
  const others: { stop: () => Promise<void> }[] = [];
  const visitors = new Map<string, Visitor>();

  return {
    dataDir: database.dataDir,
    databaseUrl: database.url,
    provider,
    /** All that the server has logged, at every level. */
    logLines,
    get url() {
      return current.url;
    },
    /** Every call that the server answers. */
    get endpoints() {
      return current.endpoints;
    },
    get setupCode() {
      return current.setupCode;
    },
    /** A browser that is not signed in. */
    visitor: () => createVisitor(() => current),
    /** A signed-in person, registered at the first mention. The first one of an app is its administrator. */
    async as(name: string): Promise<Visitor> {
      const known = visitors.get(name);
      if (known) return known;
      const visitor = createVisitor(() => current);
      const { status, body } = await visitor.post('/api/register', { email: `${name}@example.com`, password });
      if (status !== 201) throw new Error(`${name} could not register: ${JSON.stringify(body)}`);
      visitors.set(name, visitor);
      return visitor;
    },
    /** The same with a saved provider key. */
    async withKey(name: string): Promise<Visitor> {
      const visitor = await this.as(name);
      await visitor.post('/api/settings/apikey', { apiKey: goodKey });
      return visitor;
    },
    async secondProcess() {
      const second = await startProcess();
      others.push(second);
      return second;
    },
    async restart() {
      await current.stop();
      current = await startProcess();
    },
    /** Ends the process; what it stored stays. */
    async halt() {
      await current.stop();
      isHalted = true;
    },
    /** After a halt: the same installation with other settings. */
    async startWith(more: Record<string, string>) {
      current = await startProcess(more);
      isHalted = false;
    },
    async stop() {
      for (const other of others) await other.stop();
      if (!isHalted) await current.stop();
      await simulator.close();
      await database.remove();
    },
  };
}

export type TestApp = Awaited<ReturnType<typeof startApp>>;
