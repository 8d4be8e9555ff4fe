import { createSimulator, type SimulatorOptions } from '@roster/simulator/simulator';
import { pino } from 'pino';
import type { ToolsForTests } from '#server/app/services';
import { start } from '#server/app/start';
import { loadConfig } from '#server/config/config';
import { defaultToolTimeouts, type ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Engine } from '#server/db/connect';
import { type ConnectionTimeouts, defaultTimeouts } from '#server/http/limits/connections';
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

/** Tests use these; scripts/test/selection.ts says which run uses which. */
export const engines: Engine[] = enginesOf[serverTests() ?? 'long'];

/** A key that the simulator accepts. */
export const goodKey = `sk-${'simulated'.repeat(5)}`;
export const password = 'correct horse battery';

/** As cheap as possible: tests hash often, and few of them are about it. */
const cheapHashing: HashingCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

/** A busy machine must not look like a slow tool server. */
const patience = { lookMs: patienceMs, startMs: patienceMs };

/** A day on which no catalogue model used in tests has retired. */
export const beforeAnyEnd = () => Date.parse('2026-11-24T12:00:00Z');

type Options = {
  env?: Record<string, string>;
  simulator?: SimulatorOptions;
  connectionTimes?: Partial<ConnectionTimeouts>;
  hashingCost?: HashingCost;
  providerTimes?: Partial<ProviderTimeouts> | undefined;
  toolTimes?: Partial<ToolTimeouts>;
  /** Roster's clock; earlier rows keep their times. */
  now?: () => number;
  tools?: ToolsForTests;
  /** Maps the PostgreSQL address to the one that the server uses, such as a proxy's. */
  databaseBy?: (url: URL) => URL;
  /** Connections that need a session bypass the proxy. */
  isSessionDirect?: boolean;
};

/** The whole product on a fresh database, with the simulator as its provider, listening on a free port. */
/** The first token has as long as any other response. */
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
      // No test powers off the machine; tests that kill the process start it like an operator.
      synchronous: 'off',
      // Tests make stored work due without waking the worker.
      jobTimes: { pollMs: 100 },
      ...(tools && { tools }),
      ...(now && { now }),
      // There is no proxy that has to notice a shutdown.
      connectionTimes: { ...defaultTimeouts, noticedMs: 0, ...connectionTimes },
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
    /** Everything that the server has logged, at every level. */
    logLines,
    get url() {
      return current.url;
    },
    /** Every endpoint of the server. */
    get endpoints() {
      return current.endpoints;
    },
    /** Every endpoint of the public API. */
    get apiEndpoints() {
      return current.apiEndpoints;
    },
    get setupCode() {
      return current.setupCode;
    },
    /** A browser that is not signed in. */
    visitor: () => createHttpClient(() => current),
    /** A signed-in user, registered on first use. The first one of an app is its administrator. */
    async as(name: string): Promise<HttpClient> {
      const existing = visitors.get(name);
      if (existing) return existing;
      const visitor = createHttpClient(() => current);
      const { status, body } = await visitor.post('/api/register', { email: `${name}@example.com`, password });
      if (status !== 201) throw new Error(`${name} could not register: ${JSON.stringify(body)}`);
      visitors.set(name, visitor);
      return visitor;
    },
    /** The same with a stored provider key. */
    async withKey(name: string): Promise<HttpClient> {
      const visitor = await this.as(name);
      await visitor.post('/api/settings/apikey', { apiKey: goodKey });
      return visitor;
    },
    /** A new user, whose key belongs to a separate account at the provider. */
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
    /** Stops the process; stored data stays. */
    async halt() {
      await current.stop();
      isHalted = true;
    },
    /** After a halt: starts the same installation with other settings. */
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
