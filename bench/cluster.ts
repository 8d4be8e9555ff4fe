import { setTimeout as wait } from 'node:timers/promises';
import { hasPgBouncer, startPgBouncer } from '../server/src/testing/pgbouncer.ts';
import { startPostgres } from '../server/src/testing/postgres.ts';
import { signInMany } from './cluster-people.ts';
import { exchange } from './exchange.ts';
import { megabytes, ms, percentile, printTable } from './figures.ts';
import { copied } from './lists.ts';
import { email, key, listsFolder } from './lists-data.ts';
import { endedAlso } from './processes.ts';
import { commonWord, rareWord } from './prose.ts';
import { type Roster, signIn, startRoster } from './roster.ts';
import { settings } from './settings.ts';
import { startSource } from './source-process.ts';
import { messageFor, model } from './targets.ts';

const processes = 3;
const people = 10_000;
/** The users who write; each has a thread. */
const writers = 200;
const atOnce = 8;
const sampleEveryMs = 5_000;

type Caller = { headers: Record<string, string> };
type Place = { rosters: Roster[]; owner: Caller; others: Caller[]; authors: (Caller & { threadId: number })[] };
type Question = { what: string; ask: (place: Place) => Promise<void> };

/** Measures three processes on one PostgreSQL through PgBouncer: how long users wait, and whether memory stays flat. */
export async function measureCluster(): Promise<{ faults: string[] }> {
  if (!hasPgBouncer)
    return { faults: ['PgBouncer is not installed (apt-get install pgbouncer): the cluster was not measured'] };
  const source = await startSource();
  const lists = await listsFolder(source.port);
  const postgres = await startPostgres();
  endedAlso.add(postgres.stop);
  const url = await copied(lists, postgres.url);
  const pooler = await startPgBouncer(new URL(url), { poolSize: 20 });
  endedAlso.add(pooler.stop);
  const env = { DATABASE_URL: pooler.by(new URL(url)).href, DATABASE_DIRECT_URL: url };
  const rosters: Roster[] = [];
  try {
    for (let number = 0; number < processes; number++)
      rosters.push(await startRoster(lists.folder, source.port, { env }));
    const place = await prepared(rosters, url, lists.folder);
    return { faults: await measure(place) };
  } finally {
    for (const { program } of rosters) await program.stop();
    for (const end of [pooler.stop, postgres.stop]) {
      await end();
      endedAlso.delete(end);
    }
    await source.program.stop();
  }
}

async function prepared(rosters: Roster[], url: string, folder: string): Promise<Place> {
  const port = rosters[0]?.port ?? 0;
  const headers = await signIn(port, '/api/login', email);
  const [cookie = ''] = headers.cookie.split('=');
  console.log(`Cluster: ${people.toLocaleString('en')} people sign in …`);
  const tokens = await signInMany(url, folder, people);
  const others = tokens.map((token) => ({ headers: { ...headers, cookie: `${cookie}=${token}` } }));
  const authors: Place['authors'] = [];
  for (const caller of others.slice(0, writers)) {
    await call(port, 'POST', '/api/settings/apikey', caller, { apiKey: key });
    const { id } = await call<{ id: number }>(port, 'POST', '/api/threads', caller, { title: 'Measured', model });
    authors.push({ ...caller, threadId: id });
  }
  return { rosters, owner: { headers }, others, authors };
}

async function call<T>(
  port: number,
  method: 'GET' | 'POST',
  path: string,
  { headers }: Caller,
  body?: unknown,
): Promise<T> {
  const { status, text } = await exchange({ port, method, path, headers, ...(body !== undefined && { body }) });
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  return text === '' ? (undefined as T) : JSON.parse(text);
}

const any = <T>(list: readonly T[]): T => {
  const found = list[Math.floor(Math.random() * list.length)];
  if (found === undefined) throw new Error('There is nobody');
  return found;
};
const portOf = ({ rosters }: Place) => any(rosters).port;

const questions: Question[] = [
  {
    what: 'list, who owns all messages',
    ask: (place) => call(portOf(place), 'GET', '/api/threads?limit=50', place.owner),
  },
  {
    what: 'list, one of the others',
    ask: (place) => call(portOf(place), 'GET', '/api/threads?limit=50', any(place.others)),
  },
  {
    what: 'search, a rare word in all messages',
    ask: (place) => call(portOf(place), 'GET', `/api/threads?q=${rareWord}&limit=50`, place.owner),
  },
  {
    what: 'search, a common word in all messages',
    ask: (place) => call(portOf(place), 'GET', `/api/threads?q=${commonWord}&limit=50`, place.owner),
  },
];

/** Stores a message without waiting for the answer. Skips authors whose answer is still being generated. */
async function sendMessage(place: Place, free: Place['authors']): Promise<number> {
  const author = free.shift();
  if (!author) return Number.NaN;
  const port = portOf(place);
  const started = performance.now();
  const draft = { message: messageFor(30, 5), clientId: `bench-${crypto.randomUUID()}` };
  const { run } = await call<{ run: { id: number } }>(
    port,
    'POST',
    `/api/threads/${author.threadId}/messages`,
    author,
    draft,
  );
  const took = performance.now() - started;
  // To the end, on any process.
  await exchange({ port: portOf(place), method: 'GET', path: `/api/runs/${run.id}/events`, headers: author.headers });
  free.push(author);
  return took;
}

async function measure(place: Place): Promise<string[]> {
  const taken = new Map<string, number[]>([
    ...questions.map(({ what }) => [what, []] as [string, number[]]),
    ['send, until stored', []],
  ]);
  const memory: { at: number; bytes: number[] }[] = [];
  const faults: string[] = [];
  const endsAt = performance.now() + settings.minutes * 60_000;
  const free = [...place.authors];
  console.log(`Cluster: ${atOnce} at once on ${processes} processes for ${settings.minutes} minutes …`);
  async function work(turn: number) {
    for (let number = turn; performance.now() < endsAt; number++) {
      const question = questions[number % (questions.length + 1)];
      if (question) {
        const started = performance.now();
        await question.ask(place);
        taken.get(question.what)?.push(performance.now() - started);
      } else taken.get('send, until stored')?.push(await sendMessage(place, free));
    }
  }
  async function sample() {
    while (performance.now() < endsAt) {
      memory.push({ at: performance.now(), bytes: place.rosters.map(({ program }) => program.resident()) });
      await wait(sampleEveryMs);
    }
  }
  const all = Array.from({ length: atOnce }, (_, index) => work(index));
  await Promise.all([sample(), ...all.map((one) => one.catch((error: unknown) => void faults.push(String(error))))]);
  report(taken, memory);
  return faults;
}

function report(taken: Map<string, number[]>, memory: { at: number; bytes: number[] }[]) {
  printTable(
    `${processes} processes through PgBouncer: ${people} people signed in, ${settings.messages} messages, ${atOnce} at once`,
    ['', 'asked', 'p50', 'p95'],
    [...taken].map(([what, figures]) => {
      const measured = figures.filter(Number.isFinite);
      return [what, `${measured.length}`, ms(percentile(measured, 50)), ms(percentile(measured, 95))];
    }),
  );
  // The first fifth is warm-up.
  const steady = memory.slice(Math.ceil(memory.length / 5));
  printTable(
    `Memory of a process in ${settings.minutes} minutes of it`,
    ['', 'after warming up', 'halfway from there', 'at the end', 'slope'],
    Array.from({ length: processes }, (_, index) => {
      const series = steady.map(({ at, bytes }) => ({ at, bytes: bytes[index] ?? Number.NaN }));
      return [
        `process ${index + 1}`,
        megabytes(series[0]?.bytes),
        megabytes(series[Math.floor(series.length / 2)]?.bytes),
        megabytes(series.at(-1)?.bytes),
        `${slopePerHour(series).toFixed(0)} MB an hour`,
      ];
    }),
  );
}

/** The slope of the best-fitting line. */
function slopePerHour(series: readonly { at: number; bytes: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(series.map(({ at }) => at)), mean(series.map(({ bytes }) => bytes))];
  const above = series.reduce((sum, { at, bytes }) => sum + (at - x) * (bytes - y), 0);
  const below = series.reduce((sum, { at }) => sum + (at - x) ** 2, 0);
  return ((above / below) * 3_600_000) / 1024 ** 2;
}
