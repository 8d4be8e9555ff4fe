import type { ThreadListItem } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, messagesOf, newThread, sendMessage, until } from '#server/testing/chat';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';

async function found(visitor: HttpClient, q: string, more = ''): Promise<ThreadListItem[]> {
  const { status, body } = await visitor.get(`/api/threads?q=${encodeURIComponent(q)}${more}`);
  expect([q, status]).toEqual([q, 200]);
  return body.items;
}
const idsFor = async (visitor: HttpClient, q: string, more = '') =>
  (await found(visitor, q, more)).map(({ id }) => id).toSorted((a, b) => a - b);

describe.each(engines)('searching on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let glacier: number;
  let orchard: number;
  let messageId: number;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    glacier = await newThread(ada, { title: 'Glaciers of the north' });
    orchard = await newThread(ada, { title: 'Orchard plans' });
    const sent = await ask(
      app,
      ada,
      orchard,
      'Where do pomegranates ripen beside a Gletscher-Café in src/alps/hut.ts?',
    );
    messageId = sent.message.id;
    const bob = await app.withKey('bob');
    await ask(app, bob, await newThread(bob, { title: 'Bob on glaciers' }), 'pomegranates for Bob');
  });
  afterAll(() => app.stop());

  test('finds words of titles and messages by prefix, ignoring case', async () => {
    expect(await idsFor(ada, 'glac')).toEqual([glacier]);
    expect(await idsFor(ada, 'NORTH gla')).toEqual([glacier]);
    expect(await idsFor(ada, 'pomegran')).toEqual([orchard]);
    expect(await idsFor(ada, 'pomegranates glaciers')).toEqual([]);
    expect(await idsFor(ada, 'omegranates')).toEqual([]);
  });

  test('finds parts of joined words, paths and addresses, with and without accents', async () => {
    for (const q of ['gletscher', 'café', 'cafe', 'Gletscher-Café', 'alps', 'hut.ts', 'src/alps', 'hut ts'])
      expect([q, await idsFor(ada, q)]).toEqual([q, [orchard]]);
  });

  test('finds C++, C#, .NET, node.js and the like literally', async () => {
    const dan = await app.withKey('dan');
    const threads: [string, number][] = [];
    for (const words of [
      'Templates in C++ and their cost',
      'Is C# like Java?',
      'Which .NET runtime?',
      'Streams in node.js',
      'A node of the tree, drawn with js',
      'Version 3.14 of résumé.pdf',
      'Learn C, a calm course about networks',
      '100% sure_of a+b',
    ]) {
      const id = await newThread(dan, { title: 'Named' });
      await ask(app, dan, id, `${words} [[bench 2]]`);
      threads.push([words, id]);
    }
    const titled = await newThread(dan, { title: 'C++ course' });
    const idOf = (beginning: string) => threads.find(([words]) => words.startsWith(beginning))?.[1];
    for (const q of ['C++', 'c++', 'c+', 'C++ cost'])
      expect([q, await idsFor(dan, q)]).toEqual([q, q.includes('cost') ? [idOf('Temp')] : [idOf('Temp'), titled]]);
    expect(await idsFor(dan, 'C#')).toEqual([idOf('Is C#')]);
    expect(await idsFor(dan, '.net')).toEqual([idOf('Which')]);
    for (const q of ['node.js', 'Node.JS', 'node.j', 'streams node.js?', '"node.js"', '(node.js)'])
      expect([q, await idsFor(dan, q)]).toEqual([q, [idOf('Streams')]]);
    // A trailing dot may end a sentence.
    expect(await idsFor(dan, 'node.')).toEqual([idOf('Streams'), idOf('A node')]);
    expect(await idsFor(dan, '3.14')).toEqual([idOf('Version')]);
    expect(await idsFor(dan, '3.1 14')).toEqual([idOf('Version')]);
    expect(await idsFor(dan, '4.3')).toEqual([]);
    expect(await idsFor(dan, 'résumé.pdf')).toEqual([idOf('Version')]);
    const title = await newThread(dan, { title: 'Ask deno.com' });
    expect([await idsFor(dan, 'deno.com'), await idsFor(dan, 'deno.co.m')]).toEqual([[title], []]);
    expect(await idsFor(dan, 'a+b')).toEqual([idOf('100%')]);
    expect(await idsFor(dan, 'a+_')).toEqual([]);
    expect(await idsFor(dan, 'java c#')).toEqual([idOf('Is C#')]);
    expect((await found(dan, 'C++ templates'))[0]?.match?.snippet).toContain('C++');
  });

  test('finds parts of Chinese, Japanese and Korean text, and emoji', async () => {
    const carol = await app.withKey('carol');
    const threads: [string, number][] = [];
    for (const words of [
      'GPT模型的数据库设计',
      'ﾄｳｷｮｳの東京タワーに行く',
      '한국어교육은 재미있다',
      'Well done 👍🏽 by 👨‍👩‍👧 in 🇩🇪',
    ])
      threads.push([
        words,
        (await ask(app, carol, await newThread(carol, { title: 'Named' }), words)).message.threadId,
      ]);
    const looked: [string, number][] = [
      ['数据库', 0],
      ['库', 0],
      ['模型 设计', 0],
      ['gpt', 0],
      ['タワー', 1],
      ['京', 1],
      ['トウキョウ', 1],
      ['교육', 2],
      ['👍', 3],
      ['👍🏽', 3],
      ['👨‍👩‍👧 done', 3],
      ['🇩🇪', 3],
    ];
    for (const [q, at] of looked) expect([q, await idsFor(carol, q)]).toEqual([q, [threads[at]?.[1]]]);
    for (const q of ['库数', '京東', '👎', '🇫🇷']) expect([q, await idsFor(carol, q)]).toEqual([q, []]);
    expect((await found(carol, '数据库'))[0]?.match?.snippet).toContain('数据库');
    expect((await found(carol, '👍'))[0]?.match?.snippet).toContain('👍🏽');
  });

  test('finds exact words, leaves out excluded ones, and looks for words in titles', async () => {
    const erin = await app.withKey('erin');
    const threads: number[] = [];
    for (const [title, text] of [
      ['Garden', 'The red apple falls'],
      ['Kitchen apple', 'An apple, red and sweet'],
      ['Draft garden', 'The red apples of C++'],
      ['Thai', 'สวัสดีครับ'],
      ['Chinese', 'GPT模型的数据库设计'],
    ] as const) {
      const id = await newThread(erin, { title });
      await ask(app, erin, id, `${text} [[bench 2]]`);
      threads.push(id);
    }
    const looked: [string, number[]][] = [
      ['"red apple"', [0]],
      ['“red apple” garden', []],
      ['"red apple" falls', [0]],
      ['"red app', [0, 1, 2]],
      ['red apple -sweet', [0, 2]],
      ['red -"red apple"', [1, 2]],
      ['red -c++', [0, 1]],
      ['apple -kitchen', [0, 2]],
      ['apple -title:draft -title:kitchen', [0]],
      ['title:garden', [0, 2]],
      ['title:gard falls', [0]],
      ['title:"draft garden"', [2]],
      ['title:"garden draft"', []],
      ['title:red', []],
      ['title:garden -draft', [0]],
      ['-apple', [2, 3, 4]],
      ['-apple -title:draft', [3, 4]],
      ['-title:garden', [1, 3, 4]],
      ['-"red apple" -thai', [1, 2, 4]],
      ['-c++', [0, 1, 3, 4]],
      ['-数据库', [0, 1, 2, 3]],
      ['-?!', []],
      ['- apple', [0, 1, 2]],
      ['"สวัสดี"', [3]],
      ['สวัสดี -ขอบคุณ', [3]],
      ['สวัสดี -สวัสดี', []],
      ['"数据库"', [4]],
      ['"模型的数据库"', [4]],
      ['"数据模型"', []],
      ['模型 -数据库', []],
      ['""', []],
    ];
    for (const [q, at] of looked) expect([q, await idsFor(erin, q)]).toEqual([q, at.map((index) => threads[index])]);
    expect((await found(erin, 'title:garden falls'))[0]?.match?.snippet).toContain('falls');
    expect(await idsFor(ada, '"red apple"')).toEqual([]);
  });

  test('leaves out an answer with an excluded word while it is written, and pages through the rest', async () => {
    const fay = await app.withKey('fay');
    const threads: number[] = [];
    for (const title of ['One', 'Two', 'Three']) threads.push(await newThread(fay, { title }));
    const [one = 0, two = 0, three = 0] = threads;
    await ask(app, fay, two, 'Something else [[bench 2]]');
    const first = await fay.get('/api/threads?q=-one&limit=1');
    const next = await fay.get(`/api/threads?q=-one&limit=1&cursor=${first.body.nextCursor}`);
    // In whichever order: both may be of one millisecond.
    const pages: { id: number; match: unknown }[] = [...first.body.items, ...next.body.items];
    expect(pages.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([two, three]);
    expect(pages.map(({ match }) => match)).toEqual([null, null]);
    const { run } = await sendMessage(fay, one, '[[bench 40]] [[hang 30]]');
    await until('The last word', async () => (await messagesOf(fay, one))[1]?.text.includes('t0029'));
    expect(await idsFor(fay, '-t0028')).toEqual([two, three]);
    expect(await idsFor(fay, '-t0039')).toEqual([one, two, three]);
    await fay.post(`/api/runs/${run.id}/stop`);
    expect(await idsFor(fay, '-t0028')).toEqual([two, three]);
  });

  test('finds a thread by the name of an attached file', async () => {
    const carol = await app.withKey('carol');
    const file = await uploaded(app, carol, { filename: 'Quarterly_Kürbis-2024.txt', purpose: 'user_data' });
    const threadId = await newThread(carol, { title: 'Named' });
    await ask(app, carol, threadId, 'What does it say?', { fileIds: [file.id] });
    for (const q of ['quarterly', 'kurbis 2024', 'kürbis say'])
      expect([q, await idsFor(carol, q)]).toEqual([q, [threadId]]);
    expect((await found(carol, 'kürbis'))[0]?.match?.snippet).toContain('Quarterly_Kürbis-2024.txt');
  });

  test('finds an answer while it is being written', async () => {
    const carol = await app.withKey('carol');
    const threadId = await newThread(carol, { title: 'Named' });
    const { run } = await sendMessage(carol, threadId, '[[bench 40]] [[hang 30]]');
    await until('The last word', async () => (await messagesOf(carol, threadId))[1]?.text.includes('t0029'));
    const [item] = await found(carol, 't0028 t0029');
    expect(item).toMatchObject({ id: threadId, match: { messageId: run.messageId } });
    expect(await idsFor(carol, 't0028', '&archived=true')).toEqual([]);
    await carol.post(`/api/runs/${run.id}/stop`);
    expect(await idsFor(carol, 't0028 t0029')).toEqual([threadId]);
  });

  test('returns an excerpt around the match', async () => {
    const [item] = await found(ada, 'ripen');
    expect(item?.match?.messageId).toBeGreaterThanOrEqual(messageId);
    expect(item?.match?.snippet.toLowerCase()).toContain('ripen');
    expect(item?.match?.snippet.length).toBeLessThanOrEqual(150);
    const [cut] = await found(ada, 'hut');
    expect(cut?.match?.snippet).toMatch(/^… ripen beside a Gletscher-Café in src\/alps\/hut\.ts\?/);
    const [byTitle] = await found(ada, 'north');
    expect(byTitle).toMatchObject({ id: glacier, match: null });
  });

  test('returns the excerpt as one line without Markdown', async () => {
    await ask(app, ada, orchard, '# Pergola\n\n- Put the **old wisteria** beside `gate 2 * 3`');
    const [item] = await found(ada, 'wisteria');
    expect(item?.match?.snippet).toContain('Put the old wisteria beside gate 2 * 3');
  });

  test('finds the words of answers', async () => {
    expect(await idsFor(ada, 'simulated model')).toEqual([orchard]);
  });

  test('finds nothing of other users', async () => {
    const bob = await app.withKey('bob');
    const bobs = await idsFor(bob, 'pomegranates');
    expect(bobs).toHaveLength(1);
    expect(bobs).not.toContain(orchard);
    expect(await idsFor(bob, 'orchard')).toEqual([]);
    for (const q of ['u1', 'owner u1', 'owner:u1', 'u1 pomegranates', 'user_id 1'])
      expect(await idsFor(bob, q)).toEqual([]);
  });

  test('treats operators, quotes and syntax characters as plain text', async () => {
    const bob = await app.withKey('bob');
    const own = await idsFor(bob, 'pomegranates');
    const harmless = [
      '" OR owner:u1 *',
      'owner:u1 OR words:pomegranates',
      '") OR (owner:u1',
      "' OR 1=1 --",
      'pomegranates) OR owner : (u1',
      'a & b | !c <-> d',
      'NEAR(pomegranates orchard, 5)',
      '{words}:x ^y -z',
      ':* & !!! | ()',
      '\\" \\\' \\',
      '%_',
      '💥 𝒳 ﷽',
      '𞤀𞤣𞤤𞤢𞤥',
      'हिन्दी',
      '①② Ⅳ ½',
      'NOT pomegranates',
      '*',
      '"',
      'a'.repeat(200),
      Array.from({ length: 50 }, (_, index) => `w${index}`).join(' '),
    ];
    for (const q of harmless) for (const id of await idsFor(bob, q)) expect(own).toContain(id);
    expect(await idsFor(bob, '"pomegranates"*')).toEqual(own);
    expect((await bob.get('/api/threads?q=a%00b')).status).toBe(400);
  });

  test('ignores a blank query, and finds nothing for one without words', async () => {
    expect(await idsFor(ada, '   ')).toEqual([glacier, orchard]);
    expect(await idsFor(ada, '?!')).toEqual([]);
  });

  test('follows renames, keeps edited messages, and drops deleted ones', async () => {
    const carol = await app.withKey('carol');
    const threadId = await newThread(carol, { title: 'Cormorants' });
    await carol.patch(`/api/threads/${threadId}`, { title: 'Herons' });
    expect(await idsFor(carol, 'cormorants')).toEqual([]);
    expect(await idsFor(carol, 'herons')).toEqual([threadId]);
    await ask(app, carol, threadId, 'First draft about kingfishers');
    await ask(app, carol, threadId, 'Second draft about bitterns', { parentId: null });
    expect(await idsFor(carol, 'kingfishers')).toEqual([threadId]);
    expect(await idsFor(carol, 'bitterns')).toEqual([threadId]);
    await carol.delete(`/api/threads/${threadId}`);
    for (const q of ['herons', 'kingfishers', 'bitterns']) expect(await idsFor(carol, q)).toEqual([]);
  });

  test('includes archived threads unless filtered, and returns pages', async () => {
    const dave = await app.as('dave');
    const ids = [];
    for (let number = 0; number < 7; number++) ids.push(await newThread(dave, { title: `Lighthouse ${number}` }));
    await dave.patch(`/api/threads/${ids[0]}`, { archived: true });
    await dave.patch(`/api/threads/${ids[3]}`, { pinned: true });
    expect(await idsFor(dave, 'lighthouse')).toEqual(ids);
    expect(await idsFor(dave, 'lighthouse', '&archived=true')).toEqual([ids[0]]);
    expect(await idsFor(dave, 'lighthouse', '&archived=false')).toEqual(ids.slice(1));
    const listed: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await dave.get(`/api/threads?q=light&limit=2${cursor && `&cursor=${cursor}`}`);
      listed.push(...body.items.map(({ id }: ThreadListItem) => id));
      cursor = body.nextCursor;
    }
    expect(listed[0]).toBe(ids[3]);
    expect(listed.toSorted((a, b) => a - b)).toEqual(ids);
  });
});
