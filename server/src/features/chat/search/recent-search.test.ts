import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { openReader } from '#server/db/read-connection';
import type { Database } from '#server/db/schema';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { hasManyHits, isLarge, recentPage, recentPageWithout } from './recent-search-repository.ts';
import type { SearchOptions } from './result-page-repository.ts';
import { findThreads } from './threads-repository.ts';
import { excludedQueries, searchQueryOf } from './tokenize.ts';

describe.each(engines)('search in the newest threads on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let userId: number;
  let reader: Kysely<Database>;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    userId = (await ada.get('/api/user')).body.id;
    reader = app.databaseUrl
      ? openDatabase(app.databaseUrl, app.dataDir).db
      : openReader(join(app.dataDir, 'roster.db'));
    const bob = await app.withKey('bob');
    await ask(app, bob, await newThread(bob, { title: 'Heron' }), 'A heron and a bittern of Bob');
    const file = await uploaded(app, ada, { filename: 'heron-2024.txt', purpose: 'user_data' });
    const threads: number[] = [];
    for (const [title, text, fileIds] of [
      ['One', 'A heron: what does it say?', [file.id]],
      ['Herons', 'Nothing of them'],
      ['Three', 'A heron by the lake'],
      ['Four', 'Nothing'],
      ['Five', 'The héron again', undefined],
      ['Six', 'A bittern'],
      ['Seven', '東京のHERON; a second one'],
    ] as const) {
      const id = await newThread(ada, { title });
      await ask(app, ada, id, text, { fileIds });
      threads.push(id);
    }
    await ask(app, ada, threads[6] ?? 0, 'One more heron, no bittern');
    await ada.patch(`/api/threads/${threads[0]}`, { pinned: true });
    await ada.patch(`/api/threads/${threads[2]}`, { archived: true });
  });
  afterAll(async () => {
    await reader.destroy();
    await app.stop();
  });

  const all: SearchOptions = { archived: undefined, programs: undefined, limit: 2, after: undefined };
  function among(query: string, options: Partial<SearchOptions> = {}) {
    const { anywhere } = searchQueryOf(query);
    const chosen = { ...all, ...options };
    if (anywhere.phrases.length > 0) return recentPage(reader, userId, anywhere, chosen);
    const excluded = excludedQueries(query).flatMap((one) => one.anywhere.phrases);
    return recentPageWithout(reader, userId, excluded, chosen);
  }

  /** The result from the index of all messages. */
  async function ofAll(query: string, options: Partial<SearchOptions> = {}) {
    const found = await findThreads(reader, userId, query, { ...all, ...options });
    return found.map(({ thread, match }) => ({ id: thread.id, match_id: match?.messageId ?? null }));
  }

  test('returns the same page as the index of all messages', async () => {
    const pages: [string, Partial<SearchOptions>][] = [
      ['heron', {}],
      ['h', { limit: 4 }],
      ['HER', { limit: 5 }],
      ['heron', { archived: false }],
      ['heron', { limit: 1, archived: false, programs: false }],
      ['東', { limit: 0 }],
      ['simulated', { limit: 1, archived: true, programs: false }],
      ['2024', { limit: 0 }],
      ['"héron a second"', { limit: 0 }],
      ['"a heron"', {}],
      ['heron -lake', { limit: 2 }],
      ['heron -herons', { limit: 2 }],
      ['heron -bittern -nothing', { limit: 1 }],
      ['simulated -two', { limit: 3 }],
      ['-heron', { limit: 1 }],
      ['-nothing -lake', { limit: 2 }],
      ['-simulated', { limit: 0 }],
      ['-2024', { limit: 3, archived: false }],
    ];
    for (const [query, options] of pages) {
      const page = await ofAll(query, options);
      const isFull = page.length > (options.limit ?? all.limit);
      const found = await among(query, options);
      expect([query, found ?? page]).toEqual([query, page]);
      if (isFull) expect([query, found]).not.toEqual([query, undefined]);
    }
    const [, second] = await findThreads(reader, userId, 'heron', all);
    const { pinned = false, updatedAt = '', id = 0 } = second?.thread ?? {};
    const after = { pinned, updatedAt, id };
    expect(await among('heron', { after, limit: 1 })).toEqual(await ofAll('heron', { after, limit: 1 }));
  });

  test("returns no page if the user's newest threads cannot fill it", async () => {
    expect(await among('lake', { limit: 0 })).toBeUndefined();
    expect(await among('bob', { limit: 0 })).toBeUndefined();
  });

  test('returns a shorter page if it has looked through all threads that are listed', async () => {
    for (const query of ['heron', '-bittern'])
      expect(await among(query, { limit: 8 })).toEqual(await ofAll(query, { limit: 8 }));
    expect(await among('heron', { limit: 0, filters: { rating: 'good' } })).toEqual([]);
    const lately = { from: '2099-01-01T00:00:00.000Z' };
    expect(await among('heron', { limit: 0, filters: lately })).toEqual([]);
  });

  test('estimates whether a word is common from words that are quick to count', async () => {
    expect(await isLarge(reader)).toBe(false);
    expect(await hasManyHits(reader, userId, searchQueryOf('heron').anywhere)).toBe(false);
    expect(await hasManyHits(reader, userId, searchQueryOf('h heron').anywhere)).toBe(false);
    expect(await hasManyHits(reader, userId, searchQueryOf('he').anywhere)).toBe(true);
  });
});

test('reserves the reading connection for several statements in a row', async () => {
  const app = await startApp('sqlite');
  const reader = openReader(join(app.dataDir, 'roster.db'));
  const order: string[] = [];
  const asking = (...names: string[]) =>
    reader.connection().execute(async (db) => {
      for (const name of names) {
        await sql`select 1`.execute(db);
        order.push(name);
      }
    });
  await Promise.all([asking('first', 'its second'), asking('another')]);
  expect(order).toEqual(['first', 'its second', 'another']);
  await reader.destroy();
  await app.stop();
});
