import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator } from '@roster/simulator/simulator';
import { freePort } from '../server/src/testing/free-port.ts';
import { until } from '../server/src/testing/until.ts';

type Options = {
  env?: Record<string, string>;
  /** Parts of the API that the provider lacks, such as 'assistants'. */
  without?: NonNullable<Parameters<typeof createSimulator>[0]>['without'];
  /** The tool server of all assistants. */
  toolsUrl?: string;
  /** The current day, here and at the provider, where models end on the announced days. */
  day?: string;
};

/** A job step is a minute of the provider's clock, which tests advance. */
export const jobStepMs = 60_000;

/**
 * The built product as its users run it: a separate process on a new data folder, with the simulator as its provider.
 */
export async function startRoster({ env = {}, without = [], toolsUrl, day }: Options = {}) {
  let today = day;
  const ending = day === undefined ? {} : { day: () => today ?? null };
  const simulator = createSimulator({ tokenDelayMs: 5, without, jobStepMs, ...ending });
  const provider = await simulator.listen();
  const dataDir = mkdtempSync(join(tmpdir(), 'roster-e2e-'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  let child = await launch();

  async function launch(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [mainFor(toolsUrl, day)], {
      env: {
        // Compiled once for all of them.
        NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
        ...process.env,
        PORT: String(port),
        DATA_DIR: dataDir,
        PROVIDER_BASE_URL: provider.url,
        PROVIDER_NAME: 'OpenAI',
        LOG_LEVEL: 'error',
        RATE_LIMIT_SCALE: '1000',
        FOLLOW_INTERVAL_MS: '200',
        ...(toolsUrl !== undefined && { TOOLS_URL: toolsUrl }),
        ...(today !== undefined && { TODAY: today }),
        ...env,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    // Kill it, because readers of its output would wait for a process that never ends.
    await untilReady(url, started).catch((error: unknown) => {
      started.kill('SIGKILL');
      throw error;
    });
    return started;
  }

  async function stop() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  return {
    url,
    /** The provider's URL, for requests of another client. */
    providerUrl: provider.url,
    dataDir,
    /** The provider misbehaves for the given key only, so that parallel tests are not affected. */
    async fault(
      key: string,
      fault: Record<string, unknown>,
      times = 1,
      requests: { path?: string; method?: string; model?: string } = {},
    ) {
      const answer = await fetch(`${provider.origin}/__simulator/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ match: { key, ...requests }, fault, times }),
      });
      if (!answer.ok) throw new Error(`The simulator refused the fault: ${await answer.text()}`);
    },
    /** Advances the clock of the provider's jobs. */
    async advance(advanceMs: number) {
      const answer = await fetch(`${provider.origin}/__simulator/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceMs }),
      });
      if (!answer.ok) throw new Error(`The simulator refused to move its clock: ${await answer.text()}`);
    },
    /** Ends the process like a power failure. */
    async kill() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
    async start() {
      child = await launch();
    },
    /** Changes the day, with a restart. */
    async turnTo(next: string) {
      await stop();
      today = next;
      child = await launch();
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await simulator.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export type Roster = Awaited<ReturnType<typeof startRoster>>;

function mainFor(toolsUrl: string | undefined, day: string | undefined): string {
  if (toolsUrl !== undefined) return 'server/src/testing/main-with-tools.ts';
  return day === undefined ? 'server/src/main.ts' : 'server/src/testing/main-on-a-day.ts';
}

async function untilReady(url: string, child: ChildProcess) {
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  await until('A Roster that is ready', async () => {
    if (child.exitCode !== null) throw new Error(`Roster ended with code ${child.exitCode}`);
    return isReady();
  });
}
