// A data folder with 100,000 messages of one user (or BENCH_MESSAGES) in a tenth as many threads, filled through the
// server's own repositories and cached under .cache/bench while schema and this file are unchanged.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenDatabase, openDatabase } from '../server/src/db/connect.ts';
import { messageRepository } from '../server/src/features/chat/shared/message-repository.ts';
import { searchRepository } from '../server/src/features/chat/shared/search-repository.ts';
import { threadRepository } from '../server/src/features/chat/shared/thread-repository.ts';
import { cachedFolder, registered } from './cached-folder.ts';
import { answer, question, title } from './prose.ts';
import { settings } from './settings.ts';
import { model } from './targets.ts';

const threads = settings.messages / 10;
const pairs = settings.messages / 2;
/** One thread has the maximum length. */
const longPairs = 2_500;
const threadsAtOnce = 100;
const runsAtOnce = 50;

export const email = 'lists@example.com';
export const key = `sk-bench-lists-${'simulated'.repeat(3)}`;

export type Lists = { folder: string; userId: number; longThreadId: number };

/** A writable copy. */
export async function listsFolder(providerPort: number): Promise<Lists> {
  const folder = await cachedFolder(`lists-of-${settings.messages}`, ['lists-data.ts', 'prose.ts'], (half) =>
    fill(half, providerPort),
  );
  const { userId, longThreadId }: Lists = JSON.parse(readFileSync(join(folder, 'lists.json'), 'utf8'));
  return { folder, userId, longThreadId };
}

async function fill(folder: string, providerPort: number) {
  console.log(`Filling a database with ${threads} conversations and ${2 * pairs} messages (once) …`);
  const userId = await registered(folder, providerPort, email, key);
  const database = openDatabase(undefined, folder);
  const longThreadId = await fillThreads(database, userId);
  for (let step = 0; step < 500; step++) await searchRepository(database.db).merge();
  await database.close();
  writeFileSync(join(folder, 'lists.json'), JSON.stringify({ userId, longThreadId }));
}

async function fillThreads({ db }: OpenDatabase, userId: number): Promise<number> {
  const perThread = (thread: number) => {
    const rest = pairs - longPairs;
    return Math.floor(((thread + 1) * rest) / (threads - 1)) - Math.floor((thread * rest) / (threads - 1));
  };
  let longThreadId = 0;
  for (let first = 0; first < threads; first += threadsAtOnce)
    await db.transaction().execute(async (trx) => {
      for (let thread = first; thread < Math.min(first + threadsAtOnce, threads); thread++) {
        const isLong = thread === threads / 2;
        const id = await fillThread(trx, userId, thread, isLong ? longPairs : perThread(thread));
        if (isLong) longThreadId = id;
      }
    });
  return longThreadId;
}

async function fillThread(db: OpenDatabase['db'], userId: number, number: number, count: number): Promise<number> {
  const at = new Date(Date.UTC(2026, 0, 1) + number * 45 * 60_000).toISOString();
  const conversations = threadRepository(db);
  const messages = messageRepository(db);
  const search = searchRepository(db);
  const name = title();
  const thread = { title: name, titleSource: 'chosen', assistantId: null, model: null, at } as const;
  const { id } = await conversations.insert(userId, thread);
  await search.putTitle(userId, id, name);
  const answers: number[] = [];
  let parentId: number | null = null;
  for (let depth = 0; depth < 2 * count; depth++) {
    const role = depth % 2 === 0 ? 'user' : 'assistant';
    const text = role === 'user' ? question() : answer();
    const place = { threadId: id, parentId, depth, position: depth + 1, role } as const;
    const messageId: number | undefined = await messages.insert(userId, { ...place, text, key: null, at });
    if (messageId === undefined) throw new Error('The message is there already');
    await search.putMessage(userId, messageId, text);
    if (role === 'assistant') answers.push(messageId);
    parentId = messageId;
  }
  for (let from = 0; from < answers.length; from += runsAtOnce)
    await addRuns(db, { userId, threadId: id, at }, answers.slice(from, from + runsAtOnce));
  await conversations.takePositions(userId, id, 2 * count);
  if (parentId !== null) await conversations.update(userId, id, { headMessageId: parentId, updatedAt: at });
  return id;
}

/** The finished runs of answers with their costs, as stored at the end of an answer. */
async function addRuns(
  db: OpenDatabase['db'],
  { userId, threadId, at }: { userId: number; threadId: number; at: string },
  answers: number[],
) {
  const run = {
    user_id: userId,
    thread_id: threadId,
    assistant_id: null,
    model,
    state: 'complete',
    instance: 1,
    last_event: 4,
    event_marks: 't5t5u',
    finish_reason: 'complete',
    error: null,
    created_at: at,
    finished_at: at,
  } as const;
  const runs = await db
    .insertInto('runs')
    .values(answers.map((message_id) => ({ ...run, message_id })))
    .returning('id')
    .execute();
  const usage = {
    user_id: userId,
    thread_id: threadId,
    assistant_id: null,
    purpose: 'chat',
    model,
    input_tokens: 400,
    cached_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 120,
    reasoning_tokens: 0,
    cost_usd: 0.0022,
    price_as_of: '2026-11-01',
    estimated: 0,
    day: at.slice(0, 10),
    created_at: at,
  } as const;
  await db
    .insertInto('usage_records')
    .values(runs.map(({ id }) => ({ ...usage, run_id: id })))
    .execute();
}
