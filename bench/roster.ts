import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../server/src/testing/free-port.ts';
import { exchange } from './exchange.ts';
import { cacheFolder, type Program, root, startProgram } from './processes.ts';
import { settings } from './settings.ts';
import { instructions, model } from './targets.ts';

export type Person = { key: string; headers: Record<string, string>; assistantId: number; threadId: number };

export type Roster = { port: number; program: Program; readyMs: number };

export const password = 'correct horse battery';
const folders: string[] = [];

/** A temporary data folder, deleted at the end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
  folders.push(folder);
  return folder;
}

process.on('exit', () => {
  // A process that has just ended may still have written a last file.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Starts Roster like `npm start`, and waits until it accepts work. */
export async function startRoster(
  dataDir: string,
  providerPort: number,
  { profiled = false, env = {} }: { profiled?: boolean; env?: Record<string, string> } = {},
): Promise<Roster> {
  const port = await freePort();
  const profile = profiled && settings.profile ? ['--cpu-prof', `--cpu-prof-dir=${join(cacheFolder, 'profile')}`] : [];
  const started = performance.now();
  const program = startProgram('Roster', [...settings.flags, ...profile, join(root, 'server/src/main.ts')], {
    env: {
      PORT: String(port),
      DATA_DIR: dataDir,
      PROVIDER_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
      RATE_LIMIT_SCALE: '10000',
      LOG_LEVEL: 'info',
      ...env,
    },
  });
  for (;;) {
    const ready = await exchange({ port, method: 'GET', path: '/readyz' }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (ready) return { port, program, readyMs: performance.now() - started };
    if (program.child.exitCode !== null) throw new Error('Roster did not start; the lines above say why');
    await wait(5);
  }
}

const browser = { 'sec-fetch-site': 'same-origin' };

/** @throws with Roster's message if the call fails */
export async function post<T>(port: number, path: string, headers: Record<string, string>, body: unknown): Promise<T> {
  const { status, text } = await exchange({ port, method: 'POST', path, headers: { ...browser, ...headers }, body });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return JSON.parse(text === '' ? 'null' : text);
}

/** @throws with Roster's message if the call fails */
export async function get<T>(port: number, path: string, headers: Record<string, string>): Promise<T> {
  const { status, text } = await exchange({ port, method: 'GET', path, headers });
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text}`);
  return JSON.parse(text);
}

/** Registers or signs in; returns the headers for the user's further calls. */
export async function signIn(port: number, path: '/api/register' | '/api/login', email: string) {
  const { status, headers, text } = await exchange({
    port,
    method: 'POST',
    path,
    headers: browser,
    body: { email, password },
  });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat();
  return { ...browser, cookie: cookie.split(';')[0] ?? '' };
}

/** Users with a key, an assistant and a thread, created by the calls that a browser makes. */
export async function preparePeople(port: number, count: number): Promise<Person[]> {
  const people: Person[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index);
  const prepareNext = async (): Promise<void> => {
    const number = numbers.shift();
    if (number === undefined) return;
    const headers = await signIn(port, '/api/register', `person-${number}@example.com`);
    const key = `sk-bench-${String(number).padStart(4, '0')}-${'simulated'.repeat(3)}`;
    await post(port, '/api/settings/apikey', headers, { apiKey: key });
    const draft = { name: 'Manual', model, instructions, temperature: 0.7 };
    const { id } = await post<{ id: number }>(port, '/api/assistants', headers, draft);
    people.push({ key, headers, assistantId: id, threadId: 0 });
    return prepareNext();
  };
  await Promise.all(Array.from({ length: 6 }, prepareNext));
  return people;
}

/** A new thread for each user, with a name, so that no title is requested from the provider. */
export async function newThreads(port: number, people: Person[]) {
  for (const person of people) {
    const draft = { title: 'Measured', assistantId: person.assistantId };
    person.threadId = (await post<{ id: number }>(port, '/api/threads', person.headers, draft)).id;
  }
}
