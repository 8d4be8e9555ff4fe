// Processes of Roster, of one tree or another, on one database.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { environment, node } from '../install.mjs';

const startsWithinMs = 600_000;
/** 25 seconds for its answers, plus the time to close. */
const endsWithinMs = 40_000;

export function startProcess(tree, name, env) {
  const printed = [];
  const child = spawn(node, ['server/src/main.ts'], {
    cwd: tree,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  const lines = () => Buffer.concat(printed).toString().split('\n');
  const readyz = () =>
    fetch(`http://127.0.0.1:${env.PORT}/readyz`).then(
      async (response) => ({ status: response.status, body: await response.json() }),
      () => undefined,
    );

  return {
    name,
    url: `http://127.0.0.1:${env.PORT}`,
    readyz,
    /** Logged errors that nobody should have to see. */
    errors: () => lines().filter((line) => /"level":(?:50|60)/.test(line)),
    async ready() {
      for (const giveUpAt = performance.now() + startsWithinMs; performance.now() < giveUpAt; await wait(100)) {
        if (child.exitCode !== null) break;
        if ((await readyz())?.status === 200) return;
      }
      throw new Error(`${name} did not start:\n${lines().slice(-20).join('\n')}`);
    },
    /** Stops it like an operator. @throws if it did not end in order */
    async stop() {
      child.kill('SIGTERM');
      const code = await Promise.race([ended, wait(endsWithinMs, 'nothing', { ref: false })]);
      if (code !== 0) throw new Error(`${name} ended with ${code}:\n${lines().slice(-20).join('\n')}`);
    },
    kill: () => child.kill('SIGKILL'),
  };
}
