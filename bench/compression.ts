import { Agent } from 'node:http';
import { exchange } from './exchange.ts';
import { median, ms, percentile, printTable } from './figures.ts';
import { newThreads, type Person, post, preparePeople, type Roster, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';
import { startSource } from './source-process.ts';
import { messageFor, rosterTarget } from './targets.ts';

const conversations = 50;
const exchanges = 25;
const wordsOfAnswer = 100;

/** The `Accept-Encoding` of browsers and other clients. */
const codings = { 'as it is': 'identity', gzip: 'gzip', brotli: 'gzip, deflate, br, zstd' };
type Coding = keyof typeof codings;
type Measurement = { bytes: number; cpu: number; p50: number };

/** Measures the server's CPU time for each response that it compresses, and for a file, which it never compresses. */
export async function measureCompression(): Promise<{ faults: string[] }> {
  console.log('Compression');
  const source = await startSource();
  const roster = await startRoster(temporaryFolder(), source.port);
  const [person] = await preparePeople(roster.port, 1);
  if (!person) throw new Error('Nobody was registered');
  await fill(roster, person);
  const page = await exchange({ port: roster.port, method: 'GET', path: '/chat', headers: person.headers });
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1];
  const answers: [string, string][] = [
    [`${conversations} conversations`, `/api/threads?limit=${conversations}`],
    [`${2 * exchanges} messages`, `/api/threads/${person.threadId}/messages?limit=${2 * exchanges}`],
    ['the page /chat', '/chat'],
    ...(script ? [['a script, compressed when built', script] satisfies [string, string]] : []),
  ];
  const rows: string[][] = [];
  for (const [what, path] of answers) {
    const runs: Record<Coding, Measurement[]> = { 'as it is': [], gzip: [], brotli: [] };
    for (let run = -1; run < settings.runs; run++)
      for (const coding of Object.keys(codings) as Coding[]) {
        const measurement = await measure(path, coding);
        if (run >= 0) runs[coding].push(measurement);
      }
    for (const [coding, measurements] of Object.entries(runs)) {
      const of = (figure: (one: Measurement) => number) => median(measurements.map(figure));
      rows.push([what, coding, `${of(({ bytes }) => bytes)} B`, ms(of(({ cpu }) => cpu)), ms(of(({ p50 }) => p50))]);
    }
  }
  printTable('Processor of one answer', ['', 'compressed', 'size', 'processor', 'p50'], rows);
  await roster.program.stop();
  await source.program.stop();
  return { faults: [] };

  async function measure(path: string, coding: Coding): Promise<Measurement> {
    const headers = { ...person?.headers, 'accept-encoding': codings[coding] };
    const taken: number[] = [];
    let bytes = 0;
    const before = roster.program.cpuMs();
    const count = 10 * settings.samples;
    for (let sample = 0; sample < count; sample++) {
      const from = performance.now();
      const answer = await exchange({ port: roster.port, method: 'GET', path, headers });
      taken.push(performance.now() - from);
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
      bytes = Number(answer.headers['content-length'] ?? Buffer.byteLength(answer.text));
    }
    return { bytes, cpu: (roster.program.cpuMs() - before) / count, p50: percentile(taken, 50) };
  }
}

async function fill({ port, program }: Roster, person: Person) {
  for (let number = 1; number < conversations; number++)
    await post(port, '/api/threads', person.headers, { title: `What was said of the garden, part ${number}` });
  await newThreads(port, [person]);
  const agent = new Agent({ keepAlive: true });
  const target = rosterTarget(port, program);
  for (let number = 0; number < exchanges; number++)
    await target.stream(person, messageFor(wordsOfAnswer, 0), wordsOfAnswer, agent);
  agent.destroy();
}
