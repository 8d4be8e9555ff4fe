import { createSimulator, type SimulatorOptions } from '@roster/simulator/simulator';
import { pino } from 'pino';
import type { ToolsForTests } from '#server/app/services';
import { start } from '#server/app/start';
import { loadConfig } from '#server/config/config';
import { defaultToolTimeouts, type ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Engine } from '#server/db/connect';
import { type ConnectionTimes, usualTimes } from '#server/http/limits/connections';
import { logSettings } from '#server/logging/log';
import { defaultProviderTimeouts, type ProviderTimeouts } from '#server/provider/transport/timeouts';
import type { HashingCost } from '#server/security/password-hashing';
import { readyDatabase } from './databases.ts';
import { freePort } from './free-port.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { patienceMs } from './patience.ts';
import { type ServerTests, serverTests } from './selection.ts';

export { emptyDatabase, readyDatabase } from './databases.ts';

const enginesOf: Record<ServerTests, Engine[]> = {
  quick: ['sqlite'],
  postgres: ['postgres'],
  long: ['sqlite', 'postgres'],
};

/** Tests go through these; scripts/test/selection.ts says which run takes which. */
export const engines: Engine[] = enginesOf[serverTests() ?? 'long'];

/** A key that the simulator takes for good. */
export const goodKey = `sk-${'simulated'.repeat(5)}`;
export const password = 'correct horse battery';

/** Next to nothing: tests hash often, and few of them are about it. */
const cheapHashing: HashingCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A busy machine is no slow tool server. */
const patience = { lookMs: patienceMs, startMs: patienceMs };

/** A day on which the models of the catalogue that tests use have not ended. */
export const beforeAnyEnd = () => Date.parse('2026-11-24T12:00:00Z');

type Options = {
  env?: Record<string, string>;
  simulator?: SimulatorOptions;
  connectionTimes?: Partial<ConnectionTimes>;
  hashingCost?: HashingCost;
  providerTimes?: Partial<ProviderTimeouts> | undefined;
  toolTimes?: Partial<ToolTimeouts>;
  /** Of Roster; what was stored before keeps its times. */
  now?: () => number;
  tools?: ToolsForTests;
  /** How the server reaches its PostgreSQL, where not directly. */
  databaseBy?: (url: URL) => URL;
  /** Whether what needs a session of its own goes directly all the same. */
  isSessionDirect?: boolean;
};

/** The whole product on a fresh database, with the simulator as its provider, listening on a free port. */
/** A first word has as long as any other beginning. */
const timesOf = (given: Partial<ProviderTimeouts>): ProviderTimeouts => ({
  ...defaultProviderTimeouts,
  ...(given.beginsMs !== undefined && { firstTokenMs: given.beginsMs }),
  ...given,
});

export async function startApp(
  engine: Engine,
  {
    env = {},
    simulator: simulatorOptions = {},
    connectionTimes,
    providerTimes,
    toolTimes,
    now,
    tools,
    hashingCost = cheapHashing,
    databaseBy = (url) => url,
    isSessionDirect = false,
  }: Options = {},
) {
  const database = await readyDatabase(engine);
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
      ...(database.url && isSessionDirect && { DATABASE_DIRECT_URL: database.url }),
      PROVIDER_BASE_URL: provider.url,
      PROVIDER_NAME: 'OpenAI',
      RATE_LIMIT_SCALE: '1000',
      ...env,
      ...more,
    });
    const running = await start(config, log, {
      checkResponses: true,
      hashingCost,
      // No test ends the machine; those that end the process start it with what an operator has.
      synchronous: 'off',
      // Tests make stored work due behind the worker's back.
      jobTimes: { pollMs: 100 },
      ...(tools && { tools }),
      ...(now && { now }),
      // No proxy has to notice anything.
      connectionTimes: { ...usualTimes, noticedMs: 0, ...connectionTimes },
      toolTimes: { ...defaultToolTimeouts, ...patience, ...toolTimes },
      ...(providerTimes && { providerTimes: timesOf(providerTimes) }),
    });
    const url = `http://localhost:${port}`;
    const { endpoints, apiEndpoints, setupCode, stop } = running;
    return { url, origin: env.PUBLIC_URL ?? url, endpoints, apiEndpoints, setupCode, stop };
  }

  let current = await startProcess();
  let isHalted = false;
  const others: { stop: () => Promise<void> }[] = [];
  const visitors = new Map<string, HttpClient>();
  let strangers = 0;

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
    /** Every call that programs can make. */
    get apiEndpoints() {
      return current.apiEndpoints;
    },
    get setupCode() {
      return current.setupCode;
    },
    /** A browser that is not signed in. */
    visitor: () => createHttpClient(() => current),
    /** A signed-in person, registered at the first mention. The first one of an app is its administrator. */
    async as(name: string): Promise<HttpClient> {
      const known = visitors.get(name);
      if (known) return known;
      const visitor = createHttpClient(() => current);
      const { status, body } = await visitor.post('/api/register', { email: `${name}@example.com`, password });
      if (status !== 201) throw new Error(`${name} could not register: ${JSON.stringify(body)}`);
      visitors.set(name, visitor);
      return visitor;
    },
    /** The same with a saved provider key. */
    async withKey(name: string): Promise<HttpClient> {
      const visitor = await this.as(name);
      await visitor.post('/api/settings/apikey', { apiKey: goodKey });
      return visitor;
    },
    /** A new user, whose key belongs to an account of their own at the provider. */
    async someone(kind = 'person'): Promise<{ visitor: HttpClient; key: string; email: string }> {
      const name = `${kind}${++strangers}`;
      const key = `sk-${kind}-${strangers}-${'k'.repeat(32)}`;
      const visitor = await this.as(name);
      await visitor.post('/api/settings/apikey', { apiKey: key });
      return { visitor, key, email: `${name}@example.com` };
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
