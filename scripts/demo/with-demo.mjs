import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../run.mjs';
import { freePort, prepare, programsOf, untilReady } from './prepare.mjs';
import { password, people } from './story.mjs';

export async function signIn(context, url) {
  const data = { email: people[0].email, password };
  const response = await context.request.post(`${url}/api/login`, { data, headers: { origin: url } });
  if (response.status() !== 200) throw new Error(`Signing in to the demo answered ${response.status()}`);
}

/** Prepares a demo in a folder of its own, for as long as `use` runs; it gets the addresses of demo and provider. */
export async function withDemo(use) {
  const folder = mkdtempSync(join(tmpdir(), 'roster-pictures-'));
  const data = join(folder, 'data');
  const jobStepMs = '60000';
  await prepare(data, { jobStepMs, signal: new AbortController().signal });
  const port = await freePort();
  const simulatorPort = await freePort();
  const { simulator, server } = programsOf(data, { port, simulatorPort, jobStepMs });
  const children = [run(['simulator/src/main.ts'], { env: simulator }), run(['server/src/main.ts'], { env: server })];
  try {
    const url = `http://localhost:${port}`;
    await untilReady(url);
    await use(url, `http://127.0.0.1:${simulatorPort}/v1`);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
