import type { ThreadListItem } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import type { Visitor } from '#server/testing/visitor';

async function found(visitor: Visitor, q: string, more = ''): Promise<ThreadListItem[]> {
  const { status, body } = await visitor.get(`/api/threads?q=${encodeURIComponent(q)}${more}`);
  expect([q, status]).toEqual([q, 200]);
  return body.items;
}
const idsFor = async (visitor: Visitor, q: string, more = '') =>
  (await found(visitor, q, more)).map(({ id }) => id).toSorted((a, b) => a - b);

describe.each(engines)('searching on %s', (engine) => {
  let app: TestApp;
  let ada: Visitor;
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

  test('finds words of titles and messages by their beginning, in any case', async () => {
    expect(await idsFor(ada, 'glac')).toEqual([glacier]);
    expect(await idsFor(ada, 'NORTH gla')).toEqual([glacier]);
    expect(await idsFor(ada, 'pomegran')).toEqual([orchard]);
    expect(await idsFor(ada, 'pomegranates glaciers')).toEqual([]);
    expect(await idsFor(ada, 'omegranates')).toEqual([]);
  });

  test('finds parts of joined words, paths and addresses, with and without their accents', async () => {
    for (const q of ['gletscher', 'café', 'cafe', 'Gletscher-Café', 'alps', 'hut.ts', 'src/alps', 'hut ts'])
      expect([q, await idsFor(ada, q)]).toEqual([q, [orchard]]);
  });

  test('says where it found them', async () => {
    const [item] = await found(ada, 'ripen');
    expect(item?.match?.messageId).toBeGreaterThanOrEqual(messageId);
    expect(item?.match?.snippet.toLowerCase()).toContain('ripen');
    expect(item?.match?.snippet.length).toBeLessThanOrEqual(150);
    const [cut] = await found(ada, 'hut');
    expect(cut?.match?.snippet).toMatch(/^… ripen beside a Gletscher-Café in src\/alps\/hut\.ts\?/);
    const [byTitle] = await found(ada, 'north');
    expect(byTitle).toMatchObject({ id: glacier, match: null });
  });

  test('says it in one line, without the marks of Markdown', async () => {
    await ask(app, ada, orchard, '# Pergola\n\n- Put the **old wisteria** beside `gate 2 * 3`');
    const [item] = await found(ada, 'wisteria');
    expect(item?.match?.snippet).toContain('Put the old wisteria beside gate 2 * 3');
  });

  test('finds the words of answers', async () => {
    expect(await idsFor(ada, 'simulated model')).toEqual([orchard]);
  });

  test('finds nothing of anybody else', async () => {
    const bob = await app.withKey('bob');
    const bobs = await idsFor(bob, 'pomegranates');
    expect(bobs).toHaveLength(1);
    expect(bobs).not.toContain(orchard);
    expect(await idsFor(bob, 'orchard')).toEqual([]);
    for (const q of ['u1', 'owner u1', 'owner:u1', 'u1 pomegranates', 'user_id 1'])
      expect(await idsFor(bob, q)).toEqual([]);
  });

  test('takes operators, quotes and syntax characters as nothing but characters', async () => {
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

  test('a query of spaces is none, and one without a word finds nothing', async () => {
    expect(await idsFor(ada, '   ')).toEqual([glacier, orchard]);
    expect(await idsFor(ada, '?!')).toEqual([]);
  });

  test('follows new names, keeps what was edited, and forgets what was deleted', async () => {
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

  test('looks at archived conversations too, unless told otherwise, and comes in pages', async () => {
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
