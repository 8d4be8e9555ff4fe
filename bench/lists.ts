import { Agent } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { migrateTo } from '../server/src/cli/migrate-to.ts';
import { messagePages } from '../server/src/features/chat/messages/pages.ts';
import { branchRepository } from '../server/src/features/chat/shared/branch-repository.ts';
import { messageRepository } from '../server/src/features/chat/shared/message-repository.ts';
import { threadRepository } from '../server/src/features/chat/shared/thread-repository.ts';
import { startPostgres } from '../server/src/testing/postgres.ts';
import { type Floor, postgresFloor, sqliteFloor } from './captured-queries.ts';
import { exchange } from './exchange.ts';
import { ms, percentile, printTable } from './figures.ts';
import { email, key, type Lists, listsFolder } from './lists-data.ts';
import { type PacedResult, runPaced } from './paced.ts';
import { endedAlso } from './processes.ts';
import { commonWord } from './prose.ts';
import { askAll, type Place, type Question } from './questions.ts';
import { get, newThreads, type Person, post, signIn, startRoster } from './roster.ts';
import { searchQuestions } from './searches.ts';
import { settings } from './settings.ts';
import { type Source, startSource } from './source-process.ts';
import { messageFor, model, rosterTarget } from './targets.ts';

const pageOf = 50;
const deepPages = 150;

type Engine = { name: string; env: Record<string, string>; floor: Floor };

/** Measures pages and searches of a large account through HTTP on both databases, and whether they disturb a stream. */
export async function measureLists(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const lists = await listsFolder(source.port);
  const sqlite = { name: 'SQLite', env: {}, floor: sqliteFloor(join(lists.folder, 'roster.db')) };
  const faults = await measureOn(sqlite, lists, source);
  const postgres = await startPostgres();
  endedAlso.add(postgres.stop);
  try {
    const url = await copied(lists, postgres.url);
    const floor = postgresFloor(url, lists.folder);
    faults.push(...(await measureOn({ name: 'PostgreSQL', env: { DATABASE_URL: url }, floor }, lists, source)));
  } finally {
    await postgres.stop();
    endedAlso.delete(postgres.stop);
  }
  await source.program.stop();
  return { faults };
}

/** The same rows, copied by the operator's command. */
export async function copied({ folder }: Lists, server: string): Promise<string> {
  console.log('Lists: copying all into PostgreSQL …');
  const url = server.replace(/\/\w+$/, '/lists');
  await tell(server, 'create database lists');
  await migrateTo({ databaseUrl: undefined, dataDir: folder }, url);
  // As autovacuum has done on a server that has run for a while.
  await tell(url, 'vacuum analyze');
  return url;
}

export async function tell(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function measureOn({ name, env, floor }: Engine, lists: Lists, source: Source): Promise<string[]> {
  const roster = await startRoster(lists.folder, source.port, { env });
  const place = { roster, headers: await signIn(roster.port, '/api/login', email) };
  const size = `${settings.messages / 10} threads, ${settings.messages} messages`;
  await askAll(`Lists on ${name}: ${size}, pages of 50`, place, await questionsTo(lists, place, floor), floor);
  const searches = await searchQuestions(lists.userId, pageOf, floor);
  await askAll(`Searches on ${name}: ${size}, pages of 50`, place, searches, floor);
  const person = await newPerson(place);
  const faults = await measureStutter(place, person, source);
  await measureFirstMessages(place, person);
  await roster.program.stop();
  return faults;
}

/** The owner of all listed objects, with an assistant that answers. */
async function newPerson({ roster, headers }: Place): Promise<Person> {
  const { id } = await post<{ id: number }>(roster.port, '/api/assistants', headers, { name: 'Measured', model });
  return { key, headers, assistantId: id, threadId: 0 };
}

/** The first message of a new thread next to all the others. */
async function measureFirstMessages({ roster }: Place, person: Person) {
  const target = rosterTarget(roster.port, roster.program);
  const agent = new Agent({ keepAlive: true });
  const heard: { accepted: number; firstToken: number }[] = [];
  for (let sample = -5; sample < settings.samples; sample++) {
    await newThreads(roster.port, [person]);
    const answer = await target.stream(person, messageFor(2, 0), 2, agent);
    if (sample >= 0) heard.push(answer);
  }
  agent.destroy();
  const row = (what: string, figures: number[]) => [what, ms(percentile(figures, 50)), ms(percentile(figures, 95))];
  printTable(
    'The first message of a new conversation',
    ['', 'p50', 'p95'],
    [
      row(
        'stored',
        heard.map(({ accepted }) => accepted),
      ),
      row(
        'first word of the answer',
        heard.map(({ firstToken }) => firstToken),
      ),
    ],
  );
}

async function questionsTo(
  { userId, longThreadId }: Lists,
  place: Place,
  { queriesOf: capture }: Floor,
): Promise<Question[]> {
  const cursor = await deepCursor(place);
  const [pinned, updatedAt, id]: [boolean, string, number] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const list = (after?: { pinned: boolean; updatedAt: string; id: number }) =>
    capture((db) => threadRepository(db).list(userId, { archived: false, programs: false, limit: pageOf, after }));
  return [
    { what: 'threads, first page', path: `/api/threads?limit=${pageOf}`, queries: await list() },
    {
      what: `threads, page ${deepPages + 1}`,
      path: `/api/threads?limit=${pageOf}&cursor=${cursor}`,
      queries: await list({ pinned, updatedAt, id }),
    },
    {
      what: 'messages, end of 5,000',
      path: `/api/threads/${longThreadId}/messages?limit=${pageOf}`,
      queries: await capture((db) =>
        messagePages(
          threadRepository(db),
          messageRepository(db),
          branchRepository(db),
          noActiveRuns,
        )(userId, longThreadId, {
          limit: pageOf,
        }),
      ),
    },
  ];
}

/** No answer is being generated in the measured threads. */
const noActiveRuns: Parameters<typeof messagePages>[3] = { withWords: async (_userId, list) => list };

async function deepCursor({ roster, headers }: Place): Promise<string> {
  let cursor = '';
  for (let page = 0; page < deepPages; page++) {
    const path = `/api/threads?limit=${pageOf}${cursor && `&cursor=${cursor}`}`;
    cursor = (await get<{ nextCursor: string }>(roster.port, path, headers)).nextCursor;
  }
  return cursor;
}

/** The token delays of one stream, first alone, then while the most expensive search runs continuously. */
async function measureStutter({ roster, headers }: Place, person: Person, source: Source): Promise<string[]> {
  const target = rosterTarget(roster.port, roster.program);
  const runs: { what: string; result: PacedResult }[] = [];
  for (const [what, word] of [
    ['nothing else', ''],
    ['searching, 1 of 3 messages', commonWord],
    ['searching, every message', 'b'],
  ] as const) {
    await newThreads(roster.port, [person]);
    const ended = new AbortController();
    const searching = word === '' ? undefined : searchUntil(ended.signal, word);
    const result = await runPaced(target, source, [person], settings.seconds / 2).finally(() => ended.abort());
    await searching;
    runs.push({ what, result });
  }
  printTable(
    'One stream of 20 tokens a second meanwhile: delay of a token',
    ['', 'p50', 'p95', 'p99', 'longest'],
    runs.map(({ what, result: { delay } }) => [what, ms(delay.p50), ms(delay.p95), ms(delay.p99), ms(delay.max)]),
  );
  return runs.flatMap(({ what, result }) =>
    Object.values(result.faults).some((count) => count > 0) ? [`Roster, ${what}: tokens went wrong`] : [],
  );

  async function searchUntil(signal: AbortSignal, word: string) {
    const path = `/api/threads?q=${word}&limit=${pageOf}`;
    while (!signal.aborted) await exchange({ port: roster.port, method: 'GET', path, headers });
  }
}
