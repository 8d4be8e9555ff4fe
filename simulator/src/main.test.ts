import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

function started(environment: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [new URL('./main.ts', import.meta.url).pathname], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function firstText(stream: NodeJS.ReadableStream): Promise<string> {
  const [chunk] = await once(stream, 'data');
  return String(chunk);
}

test('prints where it listens, obeys its environment and ends when told to', async () => {
  const child = started({ SIMULATOR_PORT: '0', SIMULATOR_WITHOUT: 'assistants, files', SIMULATOR_TOKEN_DELAY_MS: '0' });
  const line = await firstText(child.stdout);
  const url = /^Simulator listening on (http:\/\/127\.0\.0\.1:\d+\/v1)\n$/.exec(line)?.[1] ?? '';
  const status = async (path: string) =>
    (await fetch(`${url}${path}`, { headers: { authorization: 'Bearer sk-test' } })).status;
  expect([await status('/models'), await status('/files'), await status('/assistants')]).toEqual([200, 404, 404]);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

test('rejects settings that make no sense', async () => {
  const child = started({ SIMULATOR_PORT: '0', SIMULATOR_WITHOUT: 'everything' });
  expect(await firstText(child.stderr)).toContain("'everything' is none of models, responses");
  const [code] = await once(child, 'exit');
  expect(code).not.toBe(0);
});
