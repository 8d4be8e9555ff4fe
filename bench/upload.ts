import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '../server/src/testing/free-port.ts';
import { median, megabytes, ms, printTable, times } from './figures.ts';
import { root, startProgram } from './processes.ts';
import { signIn, startRoster, temporaryFolder } from './roster.ts';
import { sendFile } from './send-file.ts';

const size = 50 * 1024 * 1024;
const uploads = 8;
const noProvider = 9;

/** Measures an upload of 50 MB to Roster, against a server that only writes the bytes to disk and hashes them. */
export async function measureUpload(): Promise<{ faults: string[] }> {
  const port = await freePort();
  const bare = startProgram('The bare upload', [join(root, 'bench/bare-upload.ts')], {
    env: { PORT: String(port), FOLDER: temporaryFolder() },
    ipc: true,
  });
  await new Promise((resolve) => bare.child.once('message', resolve));
  const roster = await startRoster(temporaryFolder(), noProvider);
  const headers = await signIn(roster.port, '/api/register', 'upload@example.com');
  const content = randomBytes(size);
  const taken: Record<'bare' | 'roster', number[]> = { bare: [], roster: [] };
  for (let number = -1; number < uploads; number++)
    for (const [name, at] of [
      ['bare', port],
      ['roster', roster.port],
    ] as const) {
      const from = performance.now();
      await sendFile(at, headers, 'a.bin', 'assistants', content);
      if (number >= 0) taken[name].push(performance.now() - from);
    }
  const [floor, ours] = [median(taken.bare), median(taken.roster)];
  const rate = (took: number) => `${megabytes((size / took) * 1000)}/s`;
  printTable(
    'Upload of 50 MB, one at a time',
    ['', 'bare stream to disk', 'Roster', 'ratio'],
    [
      ['time, p50', ms(floor), ms(ours), times(ours / floor)],
      ['rate', rate(floor), rate(ours), ''],
      ['resident memory after', megabytes(bare.resident()), megabytes(roster.program.resident()), ''],
    ],
  );
  await roster.program.stop();
  await bare.stop();
  return { faults: [] };
}
