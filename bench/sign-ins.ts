import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createPasswordHashing } from '../server/src/security/password-hashing.ts';
import { exchange } from './exchange.ts';
import { median, megabytes, ms, percentile, printTable, times } from './figures.ts';
import { password, signIn, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';

const people = 50;
const probeEveryMs = 5;
/** The provider is never called. */
const noProvider = 9;
const email = 'someone@example.com';

type Flood = { tookMs: number; signedIn: number; refused: number; peak: number; probes: number[]; files: number[] };

/** Measures fifty sign-ins at once: duration, memory, and the effect on others. */
export async function measureSignIns(): Promise<{ faults: string[] }> {
  console.log('Sign-ins');
  const oneHash = await hashAlone();
  const { port, program } = await startRoster(temporaryFolder(), noProvider);
  await signIn(port, '/api/register', email);
  const asset = await anAsset(port);
  const calm = await probed(port, asset, () => wait(1_000));
  const before = program.resident();
  const floods: Flood[] = [];
  for (let run = 0; run < settings.runs; run++) floods.push(await flood(port, asset, program.resident));
  await program.stop();

  const of = (figure: (flood: Flood) => number) => median(floods.map(figure));
  printTable(
    `${people} sign-ins at once`,
    ['', 'signed in', 'asked to come back (503)', 'until the last answer', 'per sign-in', 'one hash alone', 'ratio'],
    [
      [
        'Roster',
        of(({ signedIn }) => signedIn).toFixed(0),
        of(({ refused }) => refused).toFixed(0),
        ms(of(({ tookMs }) => tookMs)),
        ms(of(({ tookMs, signedIn }) => tookMs / signedIn)),
        ms(oneHash),
        times(of(({ tookMs, signedIn }) => tookMs / signedIn) / oneHash),
      ],
    ],
  );
  const row = (what: string, calmly: number[], meanwhile: (flood: Flood) => number[]) => [
    what,
    ms(percentile(calmly, 50)),
    ms(percentile(calmly, 99)),
    ms(of((flood) => percentile(meanwhile(flood), 50))),
    ms(of((flood) => percentile(meanwhile(flood), 99))),
    ms(of((flood) => Math.max(...meanwhile(flood)))),
  ];
  printTable(
    'What others notice meanwhile',
    ['', 'calm, p50', 'calm, p99', 'meanwhile, p50', 'p99', 'longest'],
    [
      row('a call that needs nothing (the event loop)', calm.probes, ({ probes }) => probes),
      row('a file of the page (the threads that hash)', calm.files, ({ files }) => files),
    ],
  );
  const peak = of((flood) => flood.peak);
  printTable(
    'Memory',
    ['', 'before', 'highest', 'grown'],
    [['resident', megabytes(before), megabytes(peak), megabytes(peak - before)]],
  );
  const wrong = floods.filter(({ signedIn, refused }) => signedIn + refused !== people);
  return { faults: wrong.map(() => 'A sign-in was answered neither with success nor with 503') };
}

async function hashAlone(): Promise<number> {
  const hashing = createPasswordHashing();
  const stored = await hashing.hash(password);
  const taken: number[] = [];
  for (let sample = 0; sample < 10; sample++) {
    const from = performance.now();
    await hashing.verify(stored, password);
    taken.push(performance.now() - from);
  }
  return median(taken);
}

async function anAsset(port: number): Promise<string> {
  const { text } = await exchange({ port, method: 'GET', path: '/' });
  const [, path] = /src="(\/assets\/[^"]+)"/.exec(text) ?? [];
  if (!path) throw new Error('The browser application is not built');
  return path;
}

async function flood(port: number, asset: string, resident: () => number): Promise<Flood> {
  let peak = 0;
  const watching = setInterval(() => {
    peak = Math.max(peak, resident());
  }, 20);
  const agent = new Agent({ keepAlive: false, maxSockets: people });
  const statuses: number[] = [];
  const from = performance.now();
  let tookMs = 0;
  const { probes, files } = await probed(port, asset, async () => {
    await Promise.all(
      Array.from({ length: people }, async () => {
        const headers = { 'sec-fetch-site': 'same-origin' };
        const body = { email, password };
        statuses.push((await exchange({ port, agent, method: 'POST', path: '/api/login', headers, body })).status);
      }),
    );
    tookMs = performance.now() - from;
  });
  clearInterval(watching);
  const count = (status: number) => statuses.filter((each) => each === status).length;
  return { tookMs, signedIn: count(200), refused: count(503), peak, probes, files };
}

/** The duration of two small calls, repeated while something happens. */
async function probed(port: number, asset: string, work: () => Promise<unknown>) {
  const ended = new AbortController();
  const ask = async (path: string) => {
    const taken: number[] = [];
    while (!ended.signal.aborted) {
      const from = performance.now();
      await exchange({ port, method: 'GET', path });
      taken.push(performance.now() - from);
      await wait(probeEveryMs);
    }
    return taken;
  };
  const asking = Promise.all([ask('/healthz'), ask(asset)]);
  await work().finally(() => ended.abort());
  const [probes, files] = await asking;
  return { probes, files };
}
