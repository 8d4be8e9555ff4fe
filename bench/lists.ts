import { join } from 'node:path';
import { branchRepository } from '../server/src/features/chat/messages/branch-repository.ts';
import { messagePages } from '../server/src/features/chat/messages/pages.ts';
import { messageRepository } from '../server/src/features/chat/messages/repository.ts';
import { findThreads } from '../server/src/features/chat/search/threads-repository.ts';
import { threadRepository } from '../server/src/features/chat/threads/repository.ts';
import { queriesOf } from './captured-queries.ts';
import { exchange } from './exchange.ts';
import { ms, printTable } from './figures.ts';
import { email, key, type Lists, listsFolder } from './lists-data.ts';
import { type Paced, runPaced } from './paced.ts';
import { commonWord, rareWord } from './prose.ts';
import { askAll, type Place, type Question } from './questions.ts';
import { get, newThreads, type Person, post, signIn, startRoster } from './roster.ts';
import { settings } from './settings.ts';
import { type Source, startSource } from './source-process.ts';
import { model, rosterTarget } from './targets.ts';

const pageOf = 50;
const deepPages = 150;

/** Pages and searches of a large account through HTTP, and whether a stream notices them. */
export async function measureLists(): Promise<{ faults: string[] }> {
  const source = await startSource();
  const lists = await listsFolder(source.port);
  const roster = await startRoster(lists.folder, source.port);
  const place = { roster, headers: await signIn(roster.port, '/api/login', email) };
  const questions = await questionsTo(lists, place);
  await askAll(
    `Lists: ${settings.messages / 10} threads, ${settings.messages} messages, pages of 50`,
    place,
    questions,
    join(lists.folder, 'roster.db'),
  );
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
    capture((db) => threadRepository(db).list(userId, { archived: false, limit: pageOf, after }));
  const search = async (what: string, word: string): Promise<Question> => ({
    what: `search, ${what}`,
    path: `/api/threads?q=${word}&limit=${pageOf}`,
    queries: await capture((db) =>
      findThreads(db, userId, word, { archived: undefined, limit: pageOf, after: undefined }),
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
        messagePages(
          threadRepository(db),
          messageRepository(db),
          branchRepository(db),
          nothingUnderWay,
        )(userId, longThreadId, {
          limit: pageOf,
        }),
      ),
    },
    await search('a word in 1 of 5,000 messages', rareWord),
    await search('a word in 1 of 3 messages', commonWord),
    await search('one letter, in every message', 'b'),
  ];
}

/** No answer is being written to the measured conversations. */
const nothingUnderWay: Parameters<typeof messagePages>[3] = { withWords: async (_userId, list) => list };

async function deepCursor({ roster, headers }: Place): Promise<string> {
  let cursor = '';
  for (let page = 0; page < deepPages; page++) {
    const path = `/api/threads?limit=${pageOf}${cursor && `&cursor=${cursor}`}`;
    cursor = (await get<{ nextCursor: string }>(roster.port, path, headers)).nextCursor;
  }
  return cursor;
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
