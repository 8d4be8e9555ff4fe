import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, messagesOf } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { exchange, exportedChat, zipped } from '#server/testing/exports';
import { inStore } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { imported, readImport, untilImport, uploadExport } from '#server/testing/imports';
import { until } from '#server/testing/until';

const threadsOf = async (visitor: HttpClient, query = '') => (await visitor.get(`/api/threads${query}`)).body.items;
const titlesOf = async (visitor: HttpClient, query = '') =>
  (await threadsOf(visitor, query)).map(({ title }: { title: string }) => title);

describe.each(engines)('imports on %s', (engine) => {
  let app: TestApp;
  let now = Date.now();
  beforeAll(async () => {
    app = await startApp(engine, { now: () => now });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const newcomer = async () => (await app.someone('newcomer')).visitor;

  test('shows what an export contains before anything is imported', async () => {
    const ada = await newcomer();
    const content = await zipped({
      'conversations.json': [
        exportedChat('1', 'Oslo', exchange('fjords')),
        exportedChat('2', null, [{ id: 's', parent: null, role: 'system', text: 'Be kind' }, ...exchange('trains')]),
        exportedChat('3', 'Empty', []),
        'nonsense',
      ],
    });
    const found = await readImport(app, ada, content, '../me/chatgpt.zip');
    expect(found).toMatchObject({
      source: 'chatgpt',
      state: 'ready',
      size: content.length,
      conversations: 2,
      messages: 4,
      known: 0,
      from: '2023-11-14T22:13:20.000Z',
      to: '2023-11-14T22:21:40.000Z',
      importedConversations: 0,
      error: null,
      undoUntil: null,
    });
    expect(found.leftOut).toEqual([
      { reason: 'system_messages', count: 1, names: [] },
      { reason: 'empty_conversations', count: 1, names: [] },
      { reason: 'unreadable_conversations', count: 1, names: [] },
    ]);
    expect(await titlesOf(ada)).toEqual([]);
  });

  test('imports dates, titles, models, branches and ratings, charges nothing, and is searchable', async () => {
    const ada = await newcomer();
    const before = inStore(app).length;
    const turns = [
      ...exchange('mushrooms'),
      { id: 'b', parent: 'q', role: 'assistant', text: 'Another answer', model: 'o3', at: 1_700_000_001 },
    ];
    const done = await imported(
      app,
      ada,
      await zipped({
        'conversations.json': [
          exportedChat('1', 'Forest', turns, { current_node: 'a', is_archived: true }),
          exportedChat('2', null, exchange('rivers')),
        ],
        'message_feedback.json': [{ id: 'a', rating: 'thumbs_up' }],
      }),
    );
    expect(done).toMatchObject({ state: 'done', processed: 2, importedConversations: 2, importedMessages: 5 });
    expect(Date.parse(done.undoUntil ?? '')).toBeGreaterThan(now + 29 * 24 * 60 * 60_000);
    expect(await titlesOf(ada)).toEqual(['Question about rivers']);
    const [forest] = await threadsOf(ada, '?archived=true');
    expect(forest).toMatchObject({
      title: 'Forest',
      model: null,
      createdAt: '2023-11-14T22:13:20.000Z',
      updatedAt: '2023-11-14T22:21:40.000Z',
    });
    const messages = await messagesOf(ada, forest.id);
    expect(messages).toMatchObject([
      { role: 'user', text: 'Question about mushrooms', model: null, createdAt: '2023-11-14T22:13:20.000Z' },
      {
        text: 'Answer about mushrooms',
        model: 'gpt-4o',
        state: 'complete',
        rating: { value: 'good', correction: null },
        usage: null,
        together: [],
      },
    ]);
    expect(messages[1]?.siblings).toHaveLength(2);
    expect(await titlesOf(ada, '?q=mushrooms')).toEqual(['Forest']);
    await withDatabase(app, async (db) => {
      const usage = await db.selectFrom('usage_records').select('id').where('thread_id', '=', forest.id).execute();
      expect(usage).toEqual([]);
    });
    await until('The removal of the uploaded bytes', async () => inStore(app).length <= before);
  });

  test('finds messages by their time that are older than their conversation', async () => {
    const ada = await newcomer();
    const messages = exchange('sails').map((one) => ({ ...one, at: 1_600_000_000 }));
    await imported(app, ada, JSON.stringify([exportedChat('1', 'Boats', messages)]));
    expect(await titlesOf(ada, '?from=2020-09-01T00:00:00Z&to=2020-10-01T00:00:00Z')).toEqual(['Boats']);
    expect(await titlesOf(ada, '?from=2020-10-01T00:00:00Z&to=2020-11-01T00:00:00Z')).toEqual([]);
  });

  test('lets an imported conversation go on with any model', async () => {
    const ada = await newcomer();
    await imported(app, ada, JSON.stringify([exportedChat('1', 'Boats', exchange('sails'))]));
    const [{ id }] = await threadsOf(ada);
    const { answer } = await ask(app, ada, id, 'And masts?');
    expect(answer).toMatchObject({ state: 'complete' });
    expect((await messagesOf(ada, id)).map(({ text }) => text)).toEqual([
      'Question about sails',
      'Answer about sails',
      'And masts?',
      answer.text,
    ]);
  });

  test('imports only what is new when it is repeated', async () => {
    const ada = await newcomer();
    const first = exportedChat('1', 'Bread', exchange('flour'));
    await imported(app, ada, JSON.stringify([first]));
    const more = [
      ...exchange('flour'),
      { id: 'q2', parent: 'a', role: 'user', text: 'And yeast?' },
      { id: 'a2', parent: 'q2', role: 'assistant', text: 'A little' },
    ];
    const again = JSON.stringify([exportedChat('1', 'Bread', more), exportedChat('2', 'Salt', exchange('sea'))]);
    expect(await readImport(app, ada, again)).toMatchObject({ conversations: 2, known: 1 });
    expect(await imported(app, ada, again)).toMatchObject({ importedConversations: 1, importedMessages: 4 });
    expect((await titlesOf(ada)).toSorted()).toEqual(['Bread', 'Salt']);
    const [{ id }] = await threadsOf(ada, '?q=Bread');
    expect((await messagesOf(ada, id)).map(({ text }) => text)).toEqual([
      'Question about flour',
      'Answer about flour',
      'And yeast?',
      'A little',
    ]);
    const none = await imported(app, ada, again);
    expect(none).toMatchObject({ importedConversations: 0, importedMessages: 0, undoUntil: null });
  });

  test('leaves a conversation in the trash as it is', async () => {
    const ada = await newcomer();
    await imported(app, ada, JSON.stringify([exportedChat('1', 'Gone', exchange('smoke'))]));
    const [{ id }] = await threadsOf(ada);
    expect((await ada.delete(`/api/threads/${id}`)).status).toBe(204);
    const longer = [...exchange('smoke'), { id: 'q2', parent: 'a', role: 'user', text: 'More' }];
    const again = await imported(app, ada, JSON.stringify([exportedChat('1', 'Gone', longer)]));
    expect(again).toMatchObject({ state: 'done', importedConversations: 0, importedMessages: 0 });
    expect(await titlesOf(ada)).toEqual([]);
  });

  test('undoes an import as a whole, apart from what was continued', async () => {
    const ada = await newcomer();
    const chats = Array.from({ length: 25 }, (_, at) => exportedChat(`${at}`, `Tea ${at}`, exchange(`leaf${at}`)));
    const { id } = await imported(app, ada, JSON.stringify(chats));
    const [{ id: continued }] = await threadsOf(ada, '?q=leaf7');
    await ask(app, ada, continued, 'More');
    const longer = [...exchange('leaf8'), { id: 'q2', parent: 'a', role: 'user', text: 'Later' }];
    const { id: second } = await imported(app, ada, JSON.stringify([exportedChat('8', 'Tea 8', longer)]));
    expect((await ada.post(`/api/imports/${second}/undo`)).status).toBe(202);
    await untilImport(ada, second, ['undone']);
    const [{ id: eighth }] = await threadsOf(ada, '?q=leaf8');
    expect((await messagesOf(ada, eighth)).map(({ text }) => text)).toEqual([
      'Question about leaf8',
      'Answer about leaf8',
    ]);

    expect((await ada.post(`/api/imports/${id}/undo`)).status).toBe(202);
    const undone = await untilImport(ada, id, ['undone']);
    expect(undone).toMatchObject({ kept: 1, undoUntil: null });
    expect(await titlesOf(ada)).toEqual(['Tea 7']);
    expect(await titlesOf(ada, '?q=leaf3')).toEqual([]);
    const afterwards = await imported(app, ada, JSON.stringify(chats));
    expect(afterwards.importedConversations).toBe(24);
  });

  test('refuses to undo after 30 days', async () => {
    const ada = await newcomer();
    const { id } = await imported(app, ada, JSON.stringify([exportedChat('1', 'Old', exchange('dust'))]));
    now += 31 * 24 * 60 * 60_000;
    const { status, body } = await ada.post(`/api/imports/${id}/undo`);
    now = Date.now();
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(await titlesOf(ada)).toEqual(['Old']);
  });

  test('cancels an import that was not started, and deletes its file', async () => {
    const ada = await newcomer();
    const before = inStore(app).length;
    const { id } = await readImport(app, ada, JSON.stringify([exportedChat('1', 'Never', exchange('air'))]));
    expect((await ada.post(`/api/imports/${id}/cancel`)).body).toMatchObject({ state: 'canceled', undoUntil: null });
    await until('The removal of the uploaded bytes', async () => inStore(app).length <= before);
    const started = await ada.post(`/api/imports/${id}/start`);
    expect([started.status, started.body.code]).toEqual([409, 'conflict']);
    expect((await ada.post(`/api/imports/${id}/undo`)).status).toBe(409);
  });

  test.each([
    ['a file that is no export', 'Hello', 'not an export'],
    ['a file without its end', '[{"mapping":{}', 'incomplete'],
  ])('says what is wrong with %s', async (_what, content, message) => {
    const failed = await readImport(app, await newcomer(), content);
    expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining(message) });
  });

  test('refuses empty files and a fourth import at once', async () => {
    const ada = await newcomer();
    expect((await uploadExport(app, ada, '')).body).toMatchObject({ code: 'invalid_input' });
    const content = JSON.stringify([exportedChat('1', 'One', exchange('one'))]);
    for (let count = 0; count < 3; count++) await readImport(app, ada, content);
    expect(await uploadExport(app, ada, content)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  test('lists imports in pages, the newest first', async () => {
    const ada = await newcomer();
    const content = (word: string) => JSON.stringify([exportedChat(word, word, exchange(word))]);
    const ids = [];
    for (const word of ['a', 'b', 'c']) ids.unshift((await imported(app, ada, content(word))).id);
    const first = (await ada.get('/api/imports?limit=2')).body;
    const second = (await ada.get(`/api/imports?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  test('imports an account export of Roster with its branches and ratings', async () => {
    const ada = await newcomer();
    await imported(app, ada, JSON.stringify([exportedChat('1', 'Moon', exchange('craters'), { is_starred: true })]));
    const [moon] = await threadsOf(ada);
    const original = await messagesOf(ada, moon.id);
    await ada.post(`/api/messages/${original[1]?.id}/rating`, { value: 'bad', correction: 'Better' });
    const { body: exported } = await ada.get(`/api/threads/${moon.id}/export?format=json`);
    const eve = await newcomer();
    expect(await imported(app, eve, JSON.stringify(exported))).toMatchObject({ source: 'roster', importedMessages: 2 });
    const [copy] = await threadsOf(eve);
    expect({ ...copy, id: moon.id }).toEqual(moon);
    expect(await messagesOf(eve, copy.id)).toMatchObject(
      (await messagesOf(ada, moon.id)).map(({ role, text: words, model, createdAt, rating, state }) => ({
        role,
        text: words,
        model,
        createdAt,
        rating,
        state,
      })),
    );
  });
});
