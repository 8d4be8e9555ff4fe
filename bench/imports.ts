import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Import } from '../contracts/src/imports.ts';
import { startPostgres } from '../server/src/testing/postgres.ts';
import { exchange } from './exchange.ts';
import { megabytes, ms, percentile, printTable } from './figures.ts';
import { type ExportFile, writeExport } from './imports-data.ts';
import { importKilled, kills, storedWrongly } from './imports-killed.ts';
import { tell } from './lists.ts';
import { endedAlso, type Program } from './processes.ts';
import {
  get,
  newThreads,
  type Person,
  post,
  preparePeople,
  type Roster,
  startRoster,
  temporaryFolder,
} from './roster.ts';
import { uploadExport } from './send-file.ts';
import { type Engine, settings } from './settings.ts';
import { type Source, startSource } from './source-process.ts';
import { messageFor, rosterTarget } from './targets.ts';

/** Others, who chat while one imports. */
const others = 5;
const calmMs = 10_000;
const probeEveryMs = 5;
const lookEveryMs = 100;
/** One second of an answer. */
const tokens = 20;
const tokenEveryMs = 50;
/** Until a refused message is sent again, as pages do. */
const refusedForMs = 500;

/** Durations in milliseconds while something happened, and the highest memory in bytes. */
type Meanwhile = {
  tookMs: number;
  peak: number;
  loop: number[];
  lists: number[];
  accepted: number[];
  firsts: number[];
  /** Messages that were refused. */
  failed: number;
};

/** Measures an empty call, the list of others, their messages and the answers while something happens. */
async function noticed({ port, program }: Roster, people: Person[], work: () => Promise<unknown>): Promise<Meanwhile> {
  const seen: Meanwhile = { tookMs: 0, peak: 0, loop: [], lists: [], accepted: [], firsts: [], failed: 0 };
  const ended = new AbortController();
  const timed = async (path: string, headers: Record<string, string>, taken: number[]) => {
    const from = performance.now();
    await exchange({ port, method: 'GET', path, headers });
    taken.push(performance.now() - from);
  };
  async function probe() {
    while (!ended.signal.aborted) {
      await timed('/healthz', {}, seen.loop);
      await wait(probeEveryMs);
    }
  }
  const target = rosterTarget(port, program);
  async function chat(person: Person) {
    const agent = new Agent({ keepAlive: true });
    while (!ended.signal.aborted) {
      await timed('/api/threads?limit=50', person.headers, seen.lists);
      const heard = await target.stream(person, messageFor(tokens, tokenEveryMs), tokens, agent).catch(() => undefined);
      if (!heard) {
        seen.failed++;
        await wait(refusedForMs);
        continue;
      }
      seen.accepted.push(heard.accepted);
      seen.firsts.push(heard.firstToken);
    }
    agent.destroy();
  }
  const watching = setInterval(() => {
    seen.peak = Math.max(seen.peak, program.resident());
  }, lookEveryMs);
  const from = performance.now();
  const all = Promise.all([probe(), ...people.map(chat)]);
  await work().finally(() => ended.abort());
  seen.tookMs = performance.now() - from;
  clearInterval(watching);
  await all;
  return seen;
}

async function untilImport(port: number, headers: Record<string, string>, id: number, state: Import['state']) {
  for (;;) {
    // A 503 is repeated, as pages do: on a busy machine the database may be late.
    const found = await get<Import>(port, `/api/imports/${id}`, headers).catch(() => undefined);
    if (found?.state === state) return found;
    if (found?.state === 'failed') throw new Error(`The import failed: ${found.error}`);
    await wait(250);
  }
}

/** The least over two seconds: memory that was collected by then was not kept. */
async function settled(program: Program) {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 20; look++) {
    await wait(100);
    least = Math.min(least, program.resident());
  }
  return least;
}

async function measured(name: string, url: string | undefined, file: ExportFile, source: Source) {
  const env = { ...(url !== undefined && { DATABASE_URL: url }) };
  const folder = temporaryFolder();
  const preparing = await startRoster(folder, source.port, { env });
  const all = await preparePeople(preparing.port, others + 1);
  await newThreads(preparing.port, all);
  // Restarted, because hashing passwords took memory that does not belong to the import.
  await preparing.program.stop();
  const roster = await startRoster(folder, source.port, { env });
  const { port, program } = roster;
  const [owner, ...people] = all;
  if (!owner) throw new Error('There is nobody who imports');
  const { headers } = owner;

  console.log(`Imports on ${name}: others chat alone …`);
  const calm = await noticed(roster, people, () => wait(calmMs));
  const before = await settled(program);
  console.log(`Imports on ${name}: reading and importing ${file.messages} messages …`);
  let id = 0;
  const uploading = await noticed(roster, people, async () => {
    id = (await uploadExport(port, headers, file.path)).id;
  });
  const reading = await noticed(roster, people, () => untilImport(port, headers, id, 'ready'));
  await post(port, `/api/imports/${id}/start`, headers, {});
  const importing = await noticed(roster, people, () => untilImport(port, headers, id, 'done'));
  const after = await settled(program);
  await post(port, `/api/imports/${id}/undo`, headers, {});
  const undoing = await noticed(roster, people, () => untilImport(port, headers, id, 'undone'));
  await program.stop();
  report(name, file, { before, after }, { calm, uploading, reading, importing, undoing });
}

const minutes = (tookMs: number) => `${(tookMs / 60_000).toFixed(1)} min`;

function report(
  name: string,
  file: ExportFile,
  { before, after }: { before: number; after: number },
  parts: Record<'calm' | 'uploading' | 'reading' | 'importing' | 'undoing', Meanwhile>,
) {
  const size = `${file.conversations} conversations, ${file.messages} messages, ${megabytes(file.bytes)}`;
  printTable(
    `Import on ${name}: ${size}; others chat meanwhile (p50 / p95 / longest)`,
    ['', 'took', 'highest memory', 'an empty call', 'their list', 'sent, until stored', 'first word', 'refused'],
    Object.entries(parts).map(([what, { tookMs, peak, loop, lists, accepted, firsts, failed }]) => [
      what,
      minutes(tookMs),
      megabytes(peak),
      ...[loop, lists, accepted, firsts].map((taken) =>
        [percentile(taken, 50), percentile(taken, 95), percentile(taken, 100)].map(ms).join(' / '),
      ),
      String(failed),
    ]),
  );
  console.log(`Memory: ${megabytes(before)} before, ${megabytes(after)} after.`);
}

async function killed(
  name: string,
  place: { folder: string; url: string | undefined },
  file: ExportFile,
  source: Source,
) {
  console.log(`Imports on ${name}: importing, and killing the server ${kills} times …`);
  const tookMs = await importKilled({ ...place, providerPort: source.port }, file);
  const wrong = await storedWrongly(place, file);
  console.log(`Killed ${kills} times: ${minutes(tookMs)}, ${wrong.join('; ') || 'nothing lost, nothing doubled'}.`);
  return wrong.map((fault) => `An import on ${name} was killed: ${fault}`);
}

type OnEngine = (name: Engine, url: string | undefined, file: ExportFile, source: Source) => Promise<string[]>;

/** An import of real size on both databases, and what others notice meanwhile. */
export const measureImports = () =>
  onEngines('imports', async (name, url, file, source) => {
    await measured(name, url, file, source);
    return [];
  });

/** The same import on both databases while the server is killed again and again. */
export const measureKilledImports = () =>
  onEngines('imports_killed', (name, url, file, source) =>
    killed(name, { folder: temporaryFolder(), url }, file, source),
  );

async function onEngines(database: string, measure: OnEngine): Promise<{ faults: string[] }> {
  const file = await writeExport();
  const source = await startSource();
  const postgres = await startPostgres();
  endedAlso.add(postgres.stop);
  const faults: string[] = [];
  try {
    for (const name of settings.engines) {
      let url: string | undefined;
      if (name === 'PostgreSQL') {
        await tell(postgres.url, `create database ${database}`);
        url = postgres.url.replace(/\/\w+$/, `/${database}`);
      }
      faults.push(...(await measure(name, url, file, source)));
    }
  } finally {
    await postgres.stop();
    endedAlso.delete(postgres.stop);
    await source.program.stop();
  }
  return { faults };
}
