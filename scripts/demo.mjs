// Runs Roster with the simulator as its provider and sixty days of use, in a separate data folder. With `--provider`, the
// simulator speaks as that provider, and the use is a few conversations: none of them has files, training and tools.
import { setTimeout } from 'node:timers/promises';
import { installAndContinue, root } from './install.mjs';

installAndContinue();
const { build } = await import('./build.mjs');
const { followAll, run } = await import('./run.mjs');
const { prepare, programsOf, untilReady } = await import('./demo/prepare.mjs');
const { chosenPersona } = await import('./demo/persona.mjs');
const { password, people } = await import('./demo/story.mjs');

function chosen() {
  try {
    return chosenPersona(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    return process.exit(1);
  }
}
const persona = chosen();
if (!build()) process.exit(1);

const port = process.env.PORT ?? '3000';
const simulatorPort = process.env.SIMULATOR_PORT ?? '4010';
// A training that takes half an hour is still running while people look around.
const jobStepMs = process.env.SIMULATOR_JOB_STEP_MS ?? '60000';
const data = process.env.DATA_DIR ?? `${root}/data/demo${persona ? `-${persona.id}` : ''}`;
const url = `http://localhost:${port}`;

const interrupted = new AbortController();
const interrupt = () => interrupted.abort();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of signals) process.on(signal, interrupt);
console.log(persona ? `Meeting ${persona.name} ...` : 'Preparing sixty days of use ...');
const seconds = await prepare(data, { jobStepMs, signal: interrupted.signal, persona });
if (interrupted.signal.aborted) process.exit(0);
if (seconds !== undefined) console.log(`Prepared in ${seconds.toFixed(1)} seconds.`);
for (const signal of signals) process.off(signal, interrupt);

const { simulator, server } = programsOf(data, { port, simulatorPort, jobStepMs, persona });
const ending = followAll([
  run(['simulator/src/main.ts'], { env: simulator, stdio: ['ignore', 'ignore', 'inherit'] }),
  run(['server/src/main.ts'], { env: server }),
]);
try {
  await untilReady(url);
  const [{ email }, ...others] = people;
  console.log(`\n  Roster demo: ${url}\n  Sign in with ${email} and the password: ${password}`);
  console.log(`  The same password is that of ${others.map((person) => person.email).join(', ')}.\n`);
} catch (error) {
  // A server that was told to stop no longer responds, and its exit code counts. If the whole process group got the
  // signal, it may be noticed here a moment after its effect.
  await setTimeout(200);
  if (!ending.aborted) throw error;
}
