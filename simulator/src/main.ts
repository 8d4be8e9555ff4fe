import { readScript } from './generation/script.ts';
import { personas, startPersona } from './personas/server.ts';
import { createSimulator, type SimulatorOptions } from './simulator.ts';
import { API_PARTS } from './world.ts';

function numberFrom(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const number = Number(text);
  if (!Number.isFinite(number) || number < 0) throw new Error(`${name} must be a number of at least 0, not '${text}'.`);
  return number;
}

function optionsFromEnvironment(): SimulatorOptions {
  const { SIMULATOR_HOST, SIMULATOR_DATA, SIMULATOR_DAY, SIMULATOR_SCRIPT, SIMULATOR_WITHOUT = '' } = process.env;
  const without = SIMULATOR_WITHOUT.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const part = API_PARTS.find((candidate) => candidate === name);
      if (part === undefined) throw new Error(`SIMULATOR_WITHOUT: '${name}' is none of ${API_PARTS.join(', ')}.`);
      return part;
    });
  const tokenDelayMs = numberFrom('SIMULATOR_TOKEN_DELAY_MS');
  const jobStepMs = numberFrom('SIMULATOR_JOB_STEP_MS');
  return {
    port: numberFrom('SIMULATOR_PORT') ?? 4010,
    without,
    shutdownDays: 'announced',
    ...(SIMULATOR_HOST ? { host: SIMULATOR_HOST } : {}),
    ...(SIMULATOR_DAY ? { day: () => SIMULATOR_DAY } : {}),
    ...(SIMULATOR_SCRIPT ? { script: readScript(SIMULATOR_SCRIPT) } : {}),
    ...(SIMULATOR_DATA ? { data: SIMULATOR_DATA } : {}),
    ...(tokenDelayMs === undefined ? {} : { tokenDelayMs }),
    ...(jobStepMs === undefined ? {} : { jobStepMs }),
  };
}

/** The simulated provider, or the server of the chosen persona. */
async function started() {
  const options = optionsFromEnvironment();
  const { SIMULATOR_PERSONA: name } = process.env;
  if (name) {
    const persona = personas.find(({ id }) => id === name);
    if (!persona)
      throw new Error(`SIMULATOR_PERSONA: '${name}' is none of ${personas.map(({ id }) => id).join(', ')}.`);
    return startPersona(persona, options);
  }
  const simulator = createSimulator(options);
  const { url } = await simulator.listen();
  return { url, close: simulator.close };
}

const simulator = await started();
console.log(`Simulator listening on ${simulator.url}`);

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    simulator.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
