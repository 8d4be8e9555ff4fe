// Runs Roster with the simulator as its provider and a prepared account, in a separate data folder.
import { setTimeout } from 'node:timers/promises';
import { install, root } from './install.mjs';

install();
const { build } = await import('./build.mjs');
const { followAll, run } = await import('./run.mjs');
const { prepare } = await import('./demo-account.mjs');
if (!build()) process.exit(1);

const port = process.env.PORT ?? '3000';
const simulatorPort = process.env.SIMULATOR_PORT ?? '4010';
const data = process.env.DATA_DIR ?? `${root}/data/demo`;
const url = `http://localhost:${port}`;

const simulator = run(['simulator/src/main.ts'], {
  env: { SIMULATOR_PORT: simulatorPort, SIMULATOR_DATA: `${data}/simulator` },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const server = run(['server/src/main.ts'], {
  env: {
    PORT: port,
    DATA_DIR: data,
    PROVIDER_BASE_URL: `http://127.0.0.1:${simulatorPort}/v1`,
    PROVIDER_NAME: 'the simulator',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  },
});
const ending = followAll([simulator, server]);
try {
  const { email, password } = await prepare(url);
  console.log(`\n  Roster demo: ${url}\n  Sign in with ${email} and the password: ${password}\n`);
} catch (error) {
  // A server that was told to stop no longer responds, and its exit code counts. If the whole process group got the
  // signal, it may be noticed here a moment after its effect.
  await setTimeout(200);
  if (!ending.aborted) throw error;
}
