import { setTimeout as wait } from 'node:timers/promises';
import { median, megabytes, ms, printTable, times, verdict } from './figures.ts';
import { startProgram } from './processes.ts';
import { startRoster, temporaryFolder } from './roster.ts';

const starts = 5;
const idleMs = 5_000;
const idleAim = 120 * 1024 * 1024;
/** The provider is not called at startup. */
const noProvider = 9;

/** Measures the time from process start until it accepts work, and its idle memory. */
export async function measureStart(): Promise<{ faults: string[] }> {
  console.log('Starting and stopping');
  const bare: number[] = [];
  const first: number[] = [];
  const later: number[] = [];
  const memory: number[] = [];
  for (let run = 0; run < starts; run++) {
    bare.push(await nothing());
    const folder = temporaryFolder();
    const once = await startRoster(folder, noProvider);
    first.push(once.readyMs);
    await once.program.stop();
    const again = await startRoster(folder, noProvider);
    later.push(again.readyMs);
    if (run < 3) {
      await wait(idleMs);
      memory.push(again.program.resident());
    }
    await again.program.stop();
  }
  const floor = median(bare);
  printTable(
    'Start, until /readyz answers',
    ['', 'node -e 0', 'Roster', 'ratio'],
    [
      ['first start, on an empty folder', ms(floor), ms(median(first)), times(median(first) / floor)],
      ['later start', ms(floor), ms(median(later)), times(median(later) / floor)],
    ],
  );
  const idle = median(memory);
  const aim = megabytes(idleAim);
  printTable(
    'Memory, 5 seconds after the start',
    ['', 'Roster', 'aim', ''],
    [['resident', megabytes(idle), aim, verdict(idle, idleAim)]],
  );
  return { faults: [] };
}

async function nothing(): Promise<number> {
  const from = performance.now();
  const { child } = startProgram('node -e 0', ['-e', '0']);
  await new Promise((resolve) => child.once('exit', resolve));
  return performance.now() - from;
}
