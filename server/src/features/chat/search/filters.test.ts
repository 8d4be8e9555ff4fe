import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messagesOf, newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';

describe.each(engines)('filtering conversations on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let assistantId: number;
  const threads: Record<'plain' | 'assisted' | 'filed' | 'old', number> = { plain: 0, assisted: 0, filed: 0, old: 0 };
  const idsFor = async (query: string, visitor = ada) => {
    const { status, body } = await visitor.get(`/api/threads?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body.items.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b);
  };
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    assistantId = await createAssistant(ada);
    const file = await uploaded(app, ada, { filename: 'apples.txt', purpose: 'user_data' });
    threads.old = await newThread(ada, { title: 'Apple of old' });
    await ask(app, ada, threads.old, 'An apple');
    threads.plain = await newThread(ada, { title: 'Pears', model: 'gpt-4o-mini' });
    const { answer } = await ask(app, ada, threads.plain, 'An apple');
    await ada.post(`/api/messages/${answer.id}/rating`, { value: 'good' });
    threads.assisted = await newThread(ada, { title: 'Apple', assistantId });
    const pear = await ask(app, ada, threads.assisted, 'A pear');
    await ada.post(`/api/messages/${pear.answer.id}/rating`, { value: 'bad' });
    threads.filed = await newThread(ada, { title: 'Files' });
    await ask(app, ada, threads.filed, 'An apple in a file', { fileIds: [file.id] });
    await withDatabase(app, async (db) => {
      const created_at = '2026-01-10T12:00:00.000Z';
      await db.updateTable('messages').set({ created_at }).where('thread_id', '=', threads.old).execute();
      await db.updateTable('threads').set({ created_at }).where('id', '=', threads.old).execute();
    });
  });
  afterAll(() => app.stop());

  test('keeps the conversations that fulfill all filters, with and without words', async () => {
    const { plain, assisted, filed, old } = threads;
    const looked: [string, number[]][] = [
      [`assistant=${assistantId}`, [assisted]],
      [`q=apple&assistant=${assistantId}`, [assisted]],
      ['model=gpt-4o-mini', [plain]],
      ['q=apple&model=gpt-4o-mini', [plain]],
      ['files=true', [filed]],
      ['q=apple&files=false', [old, plain, assisted]],
      ['q=-pear&files=false', [old, plain]],
      ['q=-apple&rating=bad', []],
      ['q=-apple&from=2026-02-01T00:00:00.000Z', []],
      ['rating=good', [plain]],
      ['q=pear&rating=bad', [assisted]],
      ['q=apple&rating=bad&files=true', []],
      ['to=2026-02-01T00:00:00Z', [old]],
      ['q=apple&from=2026-01-10T12:00:00.000Z&to=2026-01-10T12:00:01.000Z', [old]],
      ['q=apple&to=2026-01-10T12:00:00.000Z', []],
      ['q=apple&from=2026-02-01T00:00:00.000Z', [plain, assisted, filed]],
    ];
    for (const [query, ids] of looked)
      expect([query, await idsFor(query)]).toEqual([query, ids.toSorted((a, b) => a - b)]);
  });

  test('finds an assistant that has answered before another was chosen', async () => {
    await ada.patch(`/api/threads/${threads.assisted}`, { model: 'gpt-4o' });
    expect(await idsFor(`assistant=${assistantId}`)).toEqual([threads.assisted]);
    await ada.patch(`/api/threads/${threads.assisted}`, { assistantId });
  });

  test('applies to an answer that is being written', async () => {
    const carol = await app.withKey('carol');
    const threadId = await newThread(carol, { title: 'Named', model: 'gpt-4o-mini' });
    const { run } = await sendMessage(carol, threadId, '[[bench 40]] [[hang 30]]');
    await until('The last word', async () => (await messagesOf(carol, threadId))[1]?.text.includes('t0029'));
    expect(await idsFor('q=t0029&model=gpt-4o-mini', carol)).toEqual([threadId]);
    expect(await idsFor('q=t0029&model=gpt-4o', carol)).toEqual([]);
    await carol.post(`/api/runs/${run.id}/stop`);
  });

  test('returns pages', async () => {
    const listed: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await ada.get(`/api/threads?q=apple&files=false&limit=1${cursor && `&cursor=${cursor}`}`);
      listed.push(...body.items.map(({ id }: { id: number }) => id));
      cursor = body.nextCursor;
    }
    expect(listed.toSorted((a, b) => a - b)).toEqual([threads.old, threads.plain, threads.assisted]);
  });

  test("finds nothing by another user's assistant, and refuses unknown values", async () => {
    const bob = await app.withKey('bob');
    await ask(app, bob, await newThread(bob), 'An apple of Bob');
    expect(await idsFor(`assistant=${assistantId}`, bob)).toEqual([]);
    for (const query of [
      'assistant=0',
      'assistant=x',
      'from=yesterday',
      'files=some',
      'rating=fair',
      'model=',
      'model=a%00b',
      'from=-000001-01-01T00:00:00Z',
    ])
      expect([query, (await ada.get(`/api/threads?${query}`)).status]).toEqual([query, 400]);
  });
});
