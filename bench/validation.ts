import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, megabytes, ms, printTable, times } from './figures.ts';
import { root, startProgram } from './processes.ts';
import { post, signIn, startRoster, temporaryFolder } from './roster.ts';
import { sendFile } from './send-file.ts';
import { settings } from './settings.ts';
import { trainingFile } from './training-file.ts';

const noProvider = 9;
type Report = { ok: boolean; training: { lines: number; tokens: number } };

async function parsedOnly(content: Buffer): Promise<number[]> {
  const file = join(temporaryFolder(), 'training.jsonl');
  writeFileSync(file, content);
  const { child } = startProgram('The bare loop', [join(root, 'bench/bare-lines.ts'), file, String(settings.runs)], {
    ipc: true,
  });
  const taken: number[] = [];
  child.on('message', ({ took }: { took: number }) => taken.push(took));
  await once(child, 'exit');
  return taken;
}

/** Measures checking a training file of 50 MB through HTTP, against a loop that only parses its lines. */
export async function measureValidation(): Promise<{ faults: string[] }> {
  const content = trainingFile();
  const floor = median(await parsedOnly(content));
  const roster = await startRoster(temporaryFolder(), noProvider);
  const headers = await signIn(roster.port, '/api/register', 'validation@example.com');
  const { id: small } = await sendFile(roster.port, headers, 'small.jsonl', 'fine-tune', trainingFile(200_000));
  const { id } = await sendFile(roster.port, headers, 'training.jsonl', 'fine-tune', content);
  const check = (trainingFileId: number) =>
    post<Report>(roster.port, '/api/fine-tuning/validate', headers, { trainingFileId });
  const idle = roster.program.resident();
  // The tokenizer's tables are loaded with the first file, whatever its size.
  await check(small);
  const loaded = roster.program.resident();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, roster.program.resident());
  }, 20);
  const taken: number[] = [];
  let report: Report | undefined;
  for (let run = 0; run < settings.runs; run++) {
    const from = performance.now();
    report = await check(id);
    taken.push(performance.now() - from);
  }
  clearInterval(watch);
  await roster.program.stop();
  const ours = median(taken);
  const lines = report?.training.lines ?? 0;
  const lineRate = (took: number) => `${Math.round((lines / took) * 1000)}`;
  const rate = (took: number) => `${megabytes((content.length / took) * 1000)}/s`;
  printTable(
    `Check of a training file: ${megabytes(content.length)}, ${lines} lines, ${report?.training.tokens} tokens`,
    ['', 'JSON.parse alone', 'Roster', 'ratio'],
    [
      ['time, p50', ms(floor), ms(ours), times(ours / floor)],
      ['lines a second', lineRate(floor), lineRate(ours), ''],
      ['rate', rate(floor), rate(ours), ''],
    ],
  );
  printTable(
    'Memory of the server',
    ['idle', 'after a small file', 'most during 50 MB', 'growth with size'],
    [[megabytes(idle), megabytes(loaded), megabytes(peak), megabytes(peak - loaded)]],
  );
  return { faults: report?.ok ? [] : ['The training file was not found right'] };
}
