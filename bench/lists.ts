import { join } from 'node:path';
import { messageRepository } from '../server/src/features/chat/message-repository.ts';
import { messagePages } from '../server/src/features/chat/pages.ts';
import { threadRepository } from '../server/src/features/chat/thread-repository.ts';
import { type Query, queriesOf, timeAlone } from './captured-queries.ts';
import { exchange } from './exchange.ts';
import { added, median, ms, percentile, printTable, times } from './figures.ts';
import { email, key, type Lists, listsFolder } from './lists-data.ts';
import { type Paced, runPaced } from './paced.ts';
import { commonWord, rareWord } from './prose.ts';
import { newThreads, type Person, post, type Roster, signIn, startRoster } from './roster.ts';
import { settings } from './settings.ts';
import { type Source, startSource } from './source-process.ts';
import { model, rosterTarget } from './targets.ts';

type Question = { what: string; path: string; queries: Query[] };
type Timed = { p50: number; p95: number; alone: number };
type Place = { roster: Roster; headers: Record<string, string> };

const pageOf = 50;
const deepPages = 150;

/** Pages and searches of a large account through HTTP, and whether a stream notices them. */
export async function measureLists(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const lists = await listsFolder(source.port);
  const roster = await startRoster(lists.folder, source.port);
  const place = { roster, headers: await signIn(roster.port, '/api/login', email) };
  const questions = await questionsTo(lists, place);
  const timed = new Map<Question, Timed[]>(questions.map((question) => [question, []]));
  const file = join(lists.folder, 'roster.db');
  for (let run = 1; run <= settings.runs; run++) {
    console.log(`Lists, run ${run} of ${settings.runs}`);
    for (const [question, runs] of timed) runs.push(await ask(place, question, file));
  }
  report(timed);
  const faults = await measureStutter(place, source);
  await roster.program.stop();
  await source.program.stop();
  return { faults };
}

async function questionsTo({ folder, userId, longThreadId }: Lists, place: Place): Promise<Question[]> {
  const capture = (work: Parameters<typeof queriesOf>[1]) => queriesOf(join(folder, 'roster.db'), work);
  const cursor = await deepCursor(place);
  const [pinned, updatedAt, id]: [boolean, string, number] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const list = (after?: { pinned: boolean; updatedAt: string; id: number }) =>
    capture((db) => threadRepository(db, 'sqlite').list(userId, { archived: false, limit: pageOf, after }));
  const search = async (what: string, word: string): Promise<Question> => ({
    what: `search, ${what}`,
    path: `/api/threads?q=${word}&limit=${pageOf}`,
    queries: await capture((db) =>
      threadRepository(db, 'sqlite').search(userId, word, { archived: undefined, limit: pageOf, after: undefined }),
    ),
  });
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
        messagePages(threadRepository(db, 'sqlite'), messageRepository(db))(userId, longThreadId, { limit: pageOf }),
      ),
    },
    await search('a word in 1 of 5,000 messages', rareWord),
    await search('a word in 1 of 3 messages', commonWord),
    await search('one letter, in every message', 'b'),
  ];
}

async function deepCursor({ roster, headers }: Place): Promise<string> {
  let cursor = '';
  for (let page = 0; page < deepPages; page++) {
    const path = `/api/threads?limit=${pageOf}${cursor && `&cursor=${cursor}`}`;
    const { text } = await exchange({ port: roster.port, method: 'GET', path, headers });
    const { nextCursor }: { nextCursor: string } = JSON.parse(text);
    cursor = nextCursor;
  }
  return cursor;
}

async function ask({ roster, headers }: Place, { what, path, queries }: Question, file: string): Promise<Timed> {
  const taken: number[] = [];
  for (let sample = -5; sample < settings.samples; sample++) {
    const from = performance.now();
    const { status, text } = await exchange({ port: roster.port, method: 'GET', path, headers });
    if (sample >= 0) taken.push(performance.now() - from);
    if (status !== 200) throw new Error(`${what}: answered ${status}: ${text}`);
  }
  const alone = percentile(timeAlone(file, queries, settings.samples), 50);
  return { p50: percentile(taken, 50), p95: percentile(taken, 95), alone };
}

function report(timed: Map<Question, Timed[]>) {
  const rows = [...timed].map(([{ what }, runs]) => {
    const of = (figure: (run: Timed) => number) => median(runs.map(figure));
    const [alone, p50] = [of((run) => run.alone), of((run) => run.p50)];
    return [what, ms(alone), ms(p50), ms(of((run) => run.p95)), added(p50 - alone), times(p50 / alone)];
  });
  const head = ['', 'queries alone, p50', 'through HTTP, p50', 'p95', 'added', 'ratio'];
  printTable('Lists: 10,000 threads, 100,000 messages, pages of 50', head, rows);
}

/** The delays of one stream's tokens, first alone, then while the most expensive search is asked without a pause. */
async function measureStutter({ roster, headers }: Place, source: Source): Promise<string[]> {
  const { id } = await post<{ id: number }>(roster.port, '/api/assistants', headers, { name: 'Measured', model });
  const person: Person = { key, headers, assistantId: id, threadId: 0 };
  const target = rosterTarget(roster.port, roster.program);
  const runs: { what: string; result: Paced }[] = [];
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
