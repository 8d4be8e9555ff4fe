import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { node, root } from '../install.mjs';
import { run } from '../run.mjs';
import { historyDays, liveThroughHistory, script } from './account.mjs';
import { meetPersona } from './persona.mjs';

/** How the demo starts its two programs on a data folder, now and in the past. */
export function programsOf(data, { port, simulatorPort, jobStepMs, persona }) {
  const commands = `${data}/commands.json`;
  const scriptFile = `${data}/script.json`;
  mkdirSync(data, { recursive: true });
  writeFileSync(commands, JSON.stringify({ workshop: { command: node, args: [`${root}/scripts/demo/tools.mjs`] } }));
  const pictures = `${root}/scripts/demo`;
  const entries = script.map((entry) =>
    entry.picture ? { ...entry, picture: `${pictures}/${entry.picture}` } : entry,
  );
  writeFileSync(scriptFile, JSON.stringify(entries));
  return {
    simulator: {
      SIMULATOR_PORT: simulatorPort,
      SIMULATOR_DATA: `${data}/simulator`,
      SIMULATOR_SCRIPT: scriptFile,
      SIMULATOR_JOB_STEP_MS: jobStepMs,
      ...(persona && { SIMULATOR_PERSONA: persona.id }),
    },
    server: {
      PORT: port,
      DATA_DIR: data,
      PROVIDER_BASE_URL: `http://127.0.0.1:${simulatorPort}${persona?.path ?? '/v1'}`,
      PROVIDER_NAME: persona?.name ?? 'Simulator',
      ...(persona && { DEFAULT_MODEL: persona.model }),
      PROVIDER_HOSTS_ALLOWED: `127.0.0.1:${simulatorPort}`,
      TOOL_COMMANDS: commands,
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    },
  };
}

const isEmpty = (folder) => {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
};

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}

const onClock = ['--import', new URL('clock.mjs', import.meta.url).href];

/** Starts a program whose clock `setClock` sets. */
function startInThePast(file, env) {
  const child = run([...onClock, file], {
    env: { ...env, DEMO_CLOCK: new Date(Date.now() - (historyDays + 1) * 86_400_000).toISOString() },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => code);
  return {
    async setClock(time) {
      child.send(time);
      await once(child, 'message');
    },
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/**
 * Prepares the demo's data, if the folder is empty: in a folder beside it, which takes its place at the end, so that an
 * interrupted preparation leaves nothing behind. Returns the seconds it took; undefined: the folder has data.
 */
export async function prepare(data, { jobStepMs, signal, persona }) {
  if (!isEmpty(data)) return undefined;
  const started = performance.now();
  mkdirSync(dirname(data), { recursive: true });
  const folder = mkdtempSync(`${data}-preparing-`);
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const { simulator, server } = programsOf(folder, { port, simulatorPort, jobStepMs, persona });
  // Rates are per minute, and sixty days pass in seconds.
  const loaded = { ...server, RATE_LIMIT_SCALE: '1000', FOLLOW_INTERVAL_MS: '500' };
  const programs = [
    startInThePast('simulator/src/main.ts', { ...simulator, SIMULATOR_TOKEN_DELAY_MS: '0' }),
    startInThePast('server/src/main.ts', loaded),
  ];
  const killAll = () => {
    for (const program of programs) program.kill();
  };
  signal.addEventListener('abort', killAll);
  try {
    const url = `http://localhost:${port}`;
    await untilReady(url, signal);
    const setClock = (time) => Promise.all(programs.map((program) => program.setClock(time)));
    if (persona) await meetPersona(url, setClock, persona);
    else await liveThroughHistory(url, setClock);
    await Promise.all(programs.map((program) => program.stop()));
    renameSync(folder, data);
    return (performance.now() - started) / 1_000;
  } catch (error) {
    // Programs that were stopped do not answer.
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    killAll();
    await Promise.all(programs.map(({ ended }) => ended));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until the server answers. */
export async function untilReady(url, signal) {
  for (let attempt = 0; attempt < 600; attempt++) {
    signal?.throwIfAborted();
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await delay(100);
  }
  throw new Error(`Roster did not get ready at ${url}`);
}
