import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { freePort } from '../server/src/testing/free-port.ts';

const folders: string[] = [];
const started: ChildProcess[] = [];
test.afterEach(() => {
  for (const child of started.splice(0)) signalGroup(child, 'SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const groupOf = ({ pid }: ChildProcess) => {
  if (pid === undefined) throw new Error('npm could not be started');
  return -pid;
};
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(groupOf(child), signal);
  } catch {
    return false;
  }
}

/** Like an operator or a service manager: through npm, in its own process group. */
async function npmRun(script: string) {
  const dataDir = mkdtempSync(join(tmpdir(), 'roster-npm-'));
  folders.push(dataDir);
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const child = spawn('npm', ['run', script], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), SIMULATOR_PORT: String(simulatorPort) },
  });
  started.push(child);
  // It listens once it is ready. With reload its public address is the page's, and it answers no other.
  const isReady = () =>
    fetch(`http://localhost:${port}/healthz`).then(
      () => true,
      () => false,
    );
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await expect.poll(isReady).toBe(true);
  return { child, isReady, ended };
}

for (const script of ['start', 'demo', 'dev'])
  for (const [to, send] of [
    ['npm', (child: ChildProcess) => child.kill('SIGTERM')],
    ['its whole group', (child: ChildProcess) => signalGroup(child, 'SIGTERM')],
  ] as const)
    test(`ends npm run ${script} with code 0 and leaves nothing running when ${to} is told to stop`, async () => {
      const { child, isReady, ended } = await npmRun(script);
      send(child);
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(await isReady()).toBe(false);
      await expect.poll(() => signalGroup(child, 0)).toBe(false);
    });

test('names the providers of the demo if npm run demo is asked for another', async () => {
  const asked = promisify(execFile)('npm', ['run', 'demo', '--', '--provider', 'nobody']);
  await expect(asked).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/--provider: 'nobody' is none of ollama, .*mistral, /),
  });
});
