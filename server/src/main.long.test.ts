import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '#server/testing/free-port';
import { type SpawnedProcess, spawnServer, untilReady } from '#server/testing/process';
import { sources } from '#server/testing/programs';

const folders: string[] = [];
const processes: SpawnedProcess[] = [];
afterEach(async () => {
  for (const { child, ended } of processes.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'roster-test-'));
  folders.push(folder);
  return folder;
}

async function started(DATA_DIR: string, more: Record<string, string> = {}) {
  const port = await freePort();
  const variables = { DATA_DIR, PORT: String(port), PROVIDER_BASE_URL: 'http://127.0.0.1:1/v1', ...more };
  const spawned = spawnServer(variables, { programs: sources });
  processes.push(spawned);
  return { ...spawned, port };
}

/** Twenty clients that send requests until the server refuses them. */
function askUntilRefused(port: number) {
  let count = 0;
  async function visit() {
    for (;;) {
      const answer = await request(`http://localhost:${port}/api/user`).catch(() => undefined);
      count++;
      if (!answer) return;
      await answer.body.dump().catch(() => undefined);
    }
  }
  return {
    ended: Promise.all(Array.from({ length: 20 }, visit)),
    answered: (atLeast: number) => expect.poll(() => count, { interval: 1 }).toBeGreaterThan(atLeast),
  };
}

describe('server process', () => {
  test('starts with an empty data folder and ends on SIGTERM with code 0', async () => {
    const folder = newFolder();
    const server = await started(folder);
    await untilReady(server, server.port);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    const lines = server.output.text.trim().split('\n');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ time: expect.stringMatching(/Z$/) });
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ msg: 'Roster is ready', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }),
    );
    expect(server.output.text).not.toContain(readFileSync(join(folder, 'master.key'), 'utf8').trim());
  });

  test('ends with code 0 when the reader of its log goes away during a shutdown under load', async () => {
    const server = await started(newFolder(), { LOG_LEVEL: 'debug', RATE_LIMIT_SCALE: '1000' });
    await untilReady(server, server.port);
    const load = askUntilRefused(server.port);
    await load.answered(300);
    server.child.kill('SIGTERM');
    await load.answered(310);
    server.child.stdout?.destroy();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await load.ended;
  });

  test('ends with code 0 when nobody reads its log any more', async () => {
    const server = await started(newFolder(), { LOG_LEVEL: 'debug', RATE_LIMIT_SCALE: '1000' });
    await untilReady(server, server.port);
    server.child.stdout?.pause();
    const load = askUntilRefused(server.port);
    // More than the pipe's buffer holds.
    await load.answered(4_000);
    server.child.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    server.child.stdout?.destroy();
    await load.ended;
  });

  test('refuses a data folder that another process uses, and takes it once that one was killed', async () => {
    const folder = newFolder();
    const first = await started(folder);
    await untilReady(first, first.port);
    const second = await started(folder);
    expect((await second.ended).code).toBe(1);
    expect(second.output.text).toContain(`Another Roster is using the data folder ${folder}. Stop it first.`);
    first.child.kill('SIGKILL');
    expect((await first.ended).signal).toBe('SIGKILL');
    const third = await started(folder);
    await untilReady(third, third.port);
  });

  test('reports which port is in use, and what to do', async () => {
    const first = await started(newFolder());
    await untilReady(first, first.port);
    const second = await started(newFolder(), { PORT: String(first.port), LOG_LEVEL: 'warn' });
    expect((await second.ended).code).toBe(1);
    expect(second.output.text.trim()).toMatch(
      new RegExp(`^Port ${first.port} of 127.0.0.1 cannot be used: .*EADDRINUSE.*, or set PORT to another one.$`),
    );
  });

  test.each([
    ['plain http outside loopback', { PUBLIC_URL: 'http://roster.example' }, 'PUBLIC_URL must begin with https://'],
    ['no master key outside loopback', { PUBLIC_URL: 'https://roster.example' }, 'MASTER_KEY'],
    ['a master key that is none', { MASTER_KEY: 'change-me' }, 'MASTER_KEY is not base64'],
    [
      'a database that is not there',
      { DATABASE_URL: 'postgres://roster:pass-word@127.0.0.1:1/roster' },
      'ECONNREFUSED',
    ],
    ['a data folder that is a file', { DATA_DIR: fileURLToPath(import.meta.url) }, 'Set DATA_DIR to a folder'],
  ])('does not start with %s, and gives the reason in one line', async (_what, variables, reason) => {
    const server = await started(newFolder(), variables);
    expect((await server.ended).code).toBe(1);
    expect(server.output.text).toContain(reason);
    expect(server.output.text.trim().split('\n')).toHaveLength(1);
    expect(server.output.text).not.toContain('pass-word');
  });

  test('creates files that only the owner can read, even in a folder that is open to others', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const server = await started(folder);
    await untilReady(server, server.port);
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining(['roster.db', 'roster.db-wal', 'lock.db', 'master.key']));
    for (const name of names) expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
  });

  test('prints the setup code outside loopback, and never the master key', async () => {
    const MASTER_KEY = randomBytes(32).toString('base64');
    const server = await started(newFolder(), { PUBLIC_URL: 'https://roster.example', MASTER_KEY, LOG_LEVEL: 'trace' });
    await untilReady(server, server.port);
    await expect
      .poll(() => server.output.text)
      .toMatch(
        /Set-up code for the first account: [A-Za-z0-9_-]{22}\nRegister with it at https:\/\/roster\.example\/auth: /,
      );
    expect(server.output.text).not.toContain(MASTER_KEY);
  });
});
