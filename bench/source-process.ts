import { join } from 'node:path';
import { freePort } from '../server/src/testing/free-port.ts';
import { type Program, root, startProgram } from './processes.ts';

export type Source = {
  port: number;
  program: Program;
  /** Returns when each token was written since the last call, by API key and number. */
  take: () => Promise<Map<string, number[]>>;
};

type ProcessReport = 'ready' | { written: Record<string, number[]> };

/** The provider of a measurement: the simulator with a tap. */
export async function startSource(): Promise<Source> {
  const port = await freePort();
  const program = startProgram('The simulator', [join(root, 'bench/source.ts')], {
    env: { SIMULATOR_PORT: String(port) },
    ipc: true,
  });
  const { child } = program;
  const next = () =>
    new Promise<ProcessReport>((resolve, reject) => {
      const ended = () => reject(new Error('The simulator ended'));
      child.once('exit', ended);
      child.once('message', (report: ProcessReport) => {
        child.off('exit', ended);
        resolve(report);
      });
    });
  await next();
  return {
    port,
    program,
    async take() {
      const answer = next();
      child.send('take');
      const report = await answer;
      return new Map(report === 'ready' ? [] : Object.entries(report.written));
    },
  };
}

/** The floor: a relay that only pipes. */
export async function startBareRelay(upstreamPort: number) {
  const port = await freePort();
  const program = startProgram('The bare relay', [join(root, 'bench/bare-relay.ts')], {
    env: { PORT: String(port), UPSTREAM_PORT: String(upstreamPort) },
  });
  return { port, program };
}
