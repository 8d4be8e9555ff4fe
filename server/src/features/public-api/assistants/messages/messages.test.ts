import OpenAI from 'openai';
import type { MessageCreateParams } from 'openai/resources/beta/threads/messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, forgetAsks, messagesOf, post, regenerated, sendMessage } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { conforming } from '#server/testing/openai-schema';

const beta = { 'openai-beta': 'assistants=v2' };
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.each(engines)('messages of threads on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let client: OpenAI;
  let token: string;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    ({ token } = await newToken(ada, { name: 'Helpdesk' }));
    client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => app.stop());

  const create = (id: string, body: unknown) =>
    callApi(app, token, `/v1/threads/${id}/messages`, { method: 'POST', body, headers: beta });
  /** Creates a thread of messages with these words; returns its id and its number on the pages. */
  async function thread(...words: string[]) {
    const messages = words.map((content) => ({ role: 'user' as const, content }));
    const { id } = await client.beta.threads.create({ messages });
    const { body } = await ada.get('/api/threads?programs=true&limit=1');
    return { id, threadId: Number(body.items[0].id) };
  }
  const listed = async (id: string, query: Record<string, unknown> = {}) => {
    const page = await client.beta.threads.messages.list(id, query);
    return page.data;
  };
  const words = async (id: string, query: Record<string, unknown> = {}) =>
    (await listed(id, query)).map(({ content: [part] }) => (part?.type === 'text' ? part.text.value : part?.type));
  /** Uploads a file and returns its public id. */
  async function file(filename: string, content: Buffer | string): Promise<string> {
    await uploaded(app, ada, { filename, content });
    return (await callApi(app, token, '/v1/files')).body.data[0].id;
  }

  test('adds messages of either role at the end, and changes and deletes them', async () => {
    const { id, threadId } = await thread('First');
    const made = conforming(
      'MessageObject',
      await client.beta.threads.messages.create(id, { role: 'assistant', content: 'Second', metadata: { by: 'us' } }),
    );
    expect(made).toEqual({
      id: expect.stringMatching(/^msg_\w{24}$/),
      object: 'thread.message',
      created_at: expect.any(Number),
      thread_id: id,
      status: 'completed',
      incomplete_details: null,
      completed_at: expect.any(Number),
      incomplete_at: null,
      role: 'assistant',
      content: [{ type: 'text', text: { value: 'Second', annotations: [] } }],
      assistant_id: null,
      run_id: null,
      attachments: [],
      metadata: { by: 'us' },
    });
    expect(await client.beta.threads.messages.retrieve(made.id, { thread_id: id })).toEqual(made);
    const changed = await client.beta.threads.messages.update(made.id, { thread_id: id, metadata: { by: 'you' } });
    expect(conforming('MessageObject', changed)).toEqual({ ...made, metadata: { by: 'you' } });
    expect(await client.beta.threads.messages.update(made.id, { thread_id: id })).toEqual(changed);
    expect((await messagesOf(ada, threadId)).map(({ role, text, state }) => [role, text, state])).toEqual([
      ['user', 'First', 'complete'],
      ['assistant', 'Second', 'complete'],
    ]);
    const deleted = await client.beta.threads.messages.delete(made.id, { thread_id: id });
    expect(conforming('DeleteMessageResponse', deleted)).toEqual({
      id: made.id,
      object: 'thread.message.deleted',
      deleted: true,
    });
    await expect(client.beta.threads.messages.retrieve(made.id, { thread_id: id })).rejects.toThrow(
      `No message found with id '${made.id}'.`,
    );
    expect(await words(id)).toEqual(['First']);
  });

  test('lists from either end, in either order, by the ids at the ends of a page', async () => {
    const { id } = await thread('1', '2', '3', '4', '5', '6', '7');
    const page = await callApi(app, token, `/v1/threads/${id}/messages?limit=3`, { headers: beta });
    conforming('ListMessagesResponse', page.body);
    const ids = (await listed(id, { order: 'asc' })).map((message) => message.id);
    expect(page.body).toMatchObject({ object: 'list', first_id: ids[6], last_id: ids[4], has_more: true });
    const pages: [Record<string, unknown>, string[]][] = [
      [{}, ['7', '6', '5', '4', '3', '2', '1']],
      [{ order: 'asc', limit: 2 }, ['1', '2']],
      [{ order: 'asc', limit: 2, after: ids[1] }, ['3', '4']],
      [{ order: 'desc', limit: 2, after: ids[5] }, ['5', '4']],
      [{ order: 'asc', before: ids[2] }, ['1', '2']],
      [{ order: 'desc', before: ids[4] }, ['7', '6']],
      [{ order: 'asc', after: ids[1], before: ids[4] }, ['3', '4']],
      [{ order: 'desc', limit: 100, after: ids[0] }, []],
    ];
    for (const [query, expected] of pages) expect(await words(id, query), JSON.stringify(query)).toEqual(expected);
    const all = [];
    for await (const message of client.beta.threads.messages.list(id, { limit: 2 })) all.push(message.id);
    expect(all).toEqual(ids.toReversed());
    // A deleted id still has its place.
    await client.beta.threads.messages.delete(String(ids[3]), { thread_id: id });
    expect(await words(id, { order: 'asc', after: ids[3] })).toEqual(['5', '6', '7']);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['order=up', 'order'],
  ])('refuses a list by %s', async (query, param) => {
    const { id } = await thread('x');
    const { status, body } = await callApi(app, token, `/v1/threads/${id}/messages?${query}`, { headers: beta });
    expect([status, body.error.param]).toEqual([400, param]);
  });

  test('rejects a cursor that is no id', async () => {
    const { id } = await thread('x');
    for (const query of [{ after: 'msg_abc' }, { before: id }, { run_id: 'run_abc' }])
      await expect(listed(id, query)).rejects.toMatchObject({ status: 404 });
  });

  test('rejects a cursor from another thread, whoever owns it', async () => {
    const { id } = await thread('Here');
    const [own] = await listed((await thread('Elsewhere')).id);
    const bob = new OpenAI({
      apiKey: (await newToken(await app.withKey('bob'))).token,
      baseURL: `${app.url}/v1`,
      maxRetries: 0,
    });
    const { id: bobs } = await bob.beta.threads.create({ messages: [{ role: 'user', content: 'Bob’s' }] });
    const [foreign] = (await bob.beta.threads.messages.list(bobs)).data;
    for (const message of [own, foreign])
      for (const end of ['after', 'before'])
        await expect(listed(id, { [end]: message?.id })).rejects.toMatchObject({
          status: 404,
          error: { message: `No message found with id '${message?.id}'.` },
        });
    // Another user's thread reveals nothing more.
    await expect(listed(bobs, { after: own?.id })).rejects.toThrow(`No thread found with id '${bobs}'.`);
  });

  test('accepts images and files: sends Roster’s with the next answer, others by URL', async () => {
    const [image, table] = [await file('dot.png', pixel), await file('table.csv', 'a,b\n1,2\n')];
    const { id, threadId } = await thread('Look at these');
    const content: MessageCreateParams['content'] = [
      { type: 'text', text: 'Before' },
      { type: 'image_file', image_file: { file_id: image, detail: 'low' } },
      { type: 'text', text: 'Between' },
      { type: 'image_url', image_url: { url: 'https://images.example.org/cat.png' } },
    ];
    const attachments = [{ file_id: table, tools: [{ type: 'code_interpreter' as const }] }];
    const made = conforming(
      'MessageObject',
      await client.beta.threads.messages.create(id, { role: 'user', content, attachments }),
    );
    expect([made.content, made.attachments]).toEqual([
      [
        { type: 'text', text: { value: 'Before', annotations: [] } },
        { type: 'image_file', image_file: { file_id: image, detail: 'low' } },
        { type: 'text', text: { value: 'Between', annotations: [] } },
        { type: 'image_url', image_url: { url: 'https://images.example.org/cat.png', detail: 'auto' } },
      ],
      attachments,
    ]);
    expect((await messagesOf(ada, threadId)).at(-1)).toMatchObject({
      text: 'Before\n\nBetween',
      files: [{ filename: 'dot.png' }, { filename: 'table.csv' }],
      imageUrls: ['https://images.example.org/cat.png'],
    });
    await forgetAsks(app);
    await ask(app, ada, threadId, 'What do you see?');
    const [request] = await asksOf(app);
    expect(request?.body.input).toEqual([
      { role: 'user', content: 'Look at these' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: expect.stringContaining('a,b\n1,2') },
          { type: 'input_text', text: 'Before' },
          { type: 'input_image', image_url: `data:image/png;base64,${pixel.toString('base64')}`, detail: 'low' },
          { type: 'input_text', text: 'Between' },
          { type: 'input_image', image_url: 'https://images.example.org/cat.png', detail: 'auto' },
        ],
      },
      { role: 'user', content: 'What do you see?' },
    ]);
    // A deleted file keeps its place and its id.
    await callApi(app, token, `/v1/files/${image}`, { method: 'DELETE' });
    expect(await client.beta.threads.messages.retrieve(made.id, { thread_id: id })).toEqual(made);
  });

  test('accepts messages with only an image', async () => {
    const { id, threadId } = await thread('Now');
    const image = {
      type: 'image_url' as const,
      image_url: { url: 'http://example.org/a.png', detail: 'high' as const },
    };
    const made = await client.beta.threads.messages.create(id, { role: 'user', content: [image] });
    expect(made.content).toEqual([image]);
    await forgetAsks(app);
    await ask(app, ada, threadId, 'And?');
    expect((await asksOf(app))[0]?.body.input[1].content).toEqual([
      { type: 'input_image', image_url: 'http://example.org/a.png', detail: 'high' },
    ]);
  });

  const text = (length: number) => 'x'.repeat(length);
  test('accepts messages up to their limits', async () => {
    const { id } = await thread('x');
    const long = await client.beta.threads.messages.create(id, { role: 'user', content: text(256_000) });
    expect(long.content).toEqual([{ type: 'text', text: { value: text(256_000), annotations: [] } }]);
    const part = (url: string) => ({ type: 'image_url' as const, image_url: { url } });
    const images = Array.from({ length: 20 }, (_, index) => part(`https://example.org/${index}`));
    const many = Array.from({ length: 80 }, (_, index) => ({ type: 'text' as const, text: String(index) }));
    const full = await client.beta.threads.messages.create(id, { role: 'user', content: [...images, ...many] });
    expect(full.content).toHaveLength(100);
  });

  const url = (given: string) => [{ type: 'image_url', image_url: { url: given } }];
  test.each<[string, unknown, string]>([
    ['no role', { content: 'x' }, 'role'],
    ['another role', { role: 'tool', content: 'x' }, 'role'],
    ['no words', { role: 'user', content: '' }, 'content.0.text'],
    ['blank words', { role: 'user', content: ' \n' }, 'content.0.text'],
    ['no parts', { role: 'user', content: [] }, 'content'],
    ['no content', { role: 'user' }, 'content'],
    ['too many words', { role: 'user', content: text(256_001) }, 'content.0.text'],
    [
      'too many words in parts',
      { role: 'user', content: Array(2).fill({ type: 'text', text: text(128_001) }) },
      'content',
    ],
    ['too many parts', { role: 'user', content: Array(101).fill({ type: 'text', text: 'x' }) }, 'content'],
    ['too many images', { role: 'user', content: Array(21).fill(url('https://example.org/')[0]) }, 'content'],
    ['a part of no kind', { role: 'user', content: [{ type: 'audio' }] }, 'content.0.type'],
    ['bytes for an address', { role: 'user', content: url('data:image/png;base64,AAAA') }, 'content.0.image_url.url'],
    ['a script for an address', { role: 'user', content: url('javascript:alert(1)') }, 'content.0.image_url.url'],
    ['an address that is none', { role: 'user', content: url('https://') }, 'content.0.image_url.url'],
    [
      'a detail that is none',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.b', detail: 'x' } }] },
      'content.0.image_url.detail',
    ],
    ['an image of the assistant', { role: 'assistant', content: url('https://example.org/') }, 'content'],
    ['a field that is none', { role: 'user', content: 'x', file_ids: [] }, 'file_ids'],
    [
      'an attachment for nothing',
      { role: 'user', content: 'x', attachments: [{ file_id: 'file-1', tools: [] }] },
      'attachments.0.tools',
    ],
    ['metadata that is too long', { role: 'user', content: 'x', metadata: { a: text(513) } }, 'metadata.a'],
  ])('refuses one with %s, and stores nothing', async (_, body, param) => {
    const { id } = await thread('x');
    const { status, body: answer } = await create(id, body);
    expect([status, answer.error.type, answer.error.param]).toEqual([400, 'invalid_request_error', param]);
    expect(await words(id)).toEqual(['x']);
  });

  test('requires files that exist, belong to the user and are readable for a model', async () => {
    const { id } = await thread('x');
    const bob = await app.withKey('bob');
    await uploaded(app, bob, { filename: 'secret.txt', content: 'secret' });
    const { token: bobs } = await newToken(bob);
    const foreign = (await callApi(app, bobs, '/v1/files')).body.data[0].id;
    for (const file_id of [foreign, `file-${'0'.repeat(24)}`, 'file-abc']) {
      const attached = await create(id, {
        role: 'user',
        content: 'x',
        attachments: [{ file_id, tools: [{ type: 'file_search' }] }],
      });
      expect([attached.status, attached.body.error.message]).toEqual([404, `No file found with id '${file_id}'.`]);
      const shown = await create(id, { role: 'user', content: [{ type: 'image_file', image_file: { file_id } }] });
      expect(shown.status).toBe(404);
    }
    const unreadable = await file('noise.bin', Buffer.from([0xff, 0xfe, 0, 1]));
    const refused = await create(id, {
      role: 'user',
      content: 'x',
      attachments: [{ file_id: unreadable, tools: [{ type: 'file_search' }] }],
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'attachments']);
    const notAnImage = await create(id, {
      role: 'user',
      content: [{ type: 'image_file', image_file: { file_id: await file('words.txt', 'words') } }],
    });
    expect([notAnImage.status, notAnImage.body.error.param]).toEqual([400, 'content']);
    expect(await words(id)).toEqual(['x']);
  });

  test('joins messages of one role in pages, the next request, further answers and the export', async () => {
    const { id, threadId } = await thread('One', 'Two');
    await client.beta.threads.messages.create(id, { role: 'user', content: 'Three' });
    await forgetAsks(app);
    const { answer, message } = await ask(app, ada, threadId, 'Four');
    const input = (await asksOf(app))[0]?.body.input;
    expect(input.map(({ content }: { content: string }) => content)).toEqual(['One', 'Two', 'Three', 'Four']);
    expect((await messagesOf(ada, threadId)).map(({ text }) => text)).toEqual([
      'One',
      'Two',
      'Three',
      'Four',
      answer.text,
    ]);
    // A further answer, and one to a message that others follow, which is a branch of its own.
    await regenerated(app, ada, answer.id);
    expect((await ada.get(`/api/messages/${answer.id}/answers`)).body.items).toHaveLength(2);
    const [, two] = await messagesOf(ada, threadId);
    expect((await ada.get(`/api/messages/${two?.id}/answers`)).body.items).toEqual([]);
    await regenerated(app, ada, Number(two?.id));
    expect((await messagesOf(ada, threadId)).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
    expect((await ada.get(`/api/messages/${two?.id}/answers`)).body.items).toHaveLength(1);
    // Editing a message in the middle on the page starts a branch next to what follows.
    const anew = await ask(app, ada, threadId, 'Two, better', { parentId: two?.parentId });
    expect((await messagesOf(ada, threadId)).map(({ text }) => text)).toEqual(['One', 'Two, better', anew.answer.text]);
    // An answered message is followed through its answer.
    expect((await post(ada, threadId, 'Aside', { parentId: message.id })).body.fields).toEqual({
      parentId: 'A message can only follow an answer.',
    });
    await ada.patch(`/api/threads/${threadId}`, { shownMessageId: answer.id });
    expect(await words(id, { order: 'asc' })).toEqual(['One', 'Two', 'Three', 'Four', answer.text]);
    const { body: exported } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(exported.messages).toHaveLength(9);
    const { body: markdown } = await ada.get(`/api/threads/${threadId}/export?format=md`);
    expect(markdown).toMatch(/One[\s\S]*Two[\s\S]*Three[\s\S]*Four/);
    expect((await ada.post(`/api/messages/${answer.id}/rating`, { value: 'good' })).status).toBe(200);
  });

  test('names run and assistant, and lists by run', async () => {
    const { id, threadId } = await thread('Hello');
    const { body: assistant } = await ada.post('/api/assistants', { name: 'Old', model: 'gpt-4o' });
    const old = `asst_old${engine}`;
    await withDatabase(app, (db) =>
      db.updateTable('assistants').set({ provider_assistant_id: old }).where('id', '=', assistant.id).execute(),
    );
    await ada.patch(`/api/threads/${threadId}`, { assistantId: assistant.id });
    const { answer } = await ask(app, ada, threadId, 'And you?');
    const [last] = await listed(id, { limit: 1 });
    expect(conforming('MessageObject', last)).toMatchObject({
      role: 'assistant',
      status: 'completed',
      assistant_id: old,
      run_id: expect.stringMatching(/^run_\w{24}$/),
      content: [{ text: { value: answer.text } }],
    });
    expect((await listed(id, { run_id: last?.run_id })).map((message) => message.id)).toEqual([last?.id]);
    const { id: other } = await thread('Elsewhere');
    expect(await listed(other, { run_id: last?.run_id })).toEqual([]);
  });

  test('rejects adding and deleting while a run is active', async () => {
    const { id, threadId } = await thread('Hello');
    await withFault(app, { hangAfter: 2 }, { path: '/responses' }, async () => {
      const { run } = await sendMessage(ada, threadId, '[[bench 20]]');
      const [message] = await listed(id, { order: 'asc' });
      const refused = await create(id, { role: 'user', content: 'Late' });
      expect([refused.status, refused.body.error.message]).toEqual([
        400,
        expect.stringMatching(`^Can't add messages to ${id} while a run run_\\w{24} is active\\.$`),
      ]);
      const kept = await callApi(app, token, `/v1/threads/${id}/messages/${message?.id}`, {
        method: 'DELETE',
        headers: beta,
      });
      expect([kept.status, kept.body.error.message]).toEqual([
        400,
        expect.stringContaining("Can't delete messages from"),
      ]);
      await ada.post(`/api/runs/${run.id}/stop`);
    });
    expect((await create(id, { role: 'user', content: 'Now' })).status).toBe(200);
  });

  describe('deleting messages', () => {
    const remove = async (id: string, messageId: string | undefined) =>
      client.beta.threads.messages.delete(String(messageId), { thread_id: id });

    test('keeps the others in order, over whole pages, and the visible branch', async () => {
      const { id, threadId } = await thread('1', '2', '3', '4', '5', '6');
      const ids = (await listed(id, { order: 'asc' })).map((message) => message.id);
      for (const messageId of [ids[1], ids[0], ids[3], ids[5]]) await remove(id, messageId);
      expect(await words(id, { order: 'asc' })).toEqual(['3', '5']);
      const { body } = await ada.get(`/api/threads/${threadId}/messages?limit=2`);
      expect([body.items.map(({ text }: { text: string }) => text), body.nextCursor, body.newerCursor]).toEqual([
        ['3', '5'],
        null,
        null,
      ]);
      // The title does not reveal deleted text either.
      for (const word of ['1', '2', '4', '6'])
        expect(
          (await ada.get(`/api/threads?q=${word}`)).body.items.map((found: { id: number }) => found.id),
        ).not.toContain(threadId);
      expect((await ada.get(`/api/threads/${threadId}`)).body.title).toBe('3');
      await remove(id, ids[2]);
      await remove(id, ids[4]);
      expect([await words(id), (await messagesOf(ada, threadId)).length]).toEqual([[], 0]);
      // A message after all are deleted is at the start again.
      await client.beta.threads.messages.create(id, { role: 'user', content: 'Anew' });
      expect((await messagesOf(ada, threadId)).map(({ text, parentId }) => [text, parentId])).toEqual([['Anew', null]]);
      expect((await ada.get(`/api/threads/${threadId}`)).body.title).toBe('Anew');
    });

    test('keeps the other answers when the visible one is deleted', async () => {
      const { id, threadId } = await thread('Opening');
      const { answer } = await ask(app, ada, threadId, 'Question');
      await regenerated(app, ada, answer.id);
      const [shown] = await listed(id, { limit: 1 });
      await remove(id, shown?.id);
      expect((await messagesOf(ada, threadId)).map(({ id: one }) => one).at(-1)).toBe(answer.id);
      // The answers of a deleted question follow its predecessor, and can be regenerated.
      const [, question] = (await listed(id, { order: 'asc' })).map((message) => message.id);
      await remove(id, question);
      expect((await messagesOf(ada, threadId)).map(({ text }) => text)).toEqual(['Opening', answer.text]);
      await regenerated(app, ada, answer.id);
      expect((await messagesOf(ada, threadId)).at(-1)?.siblings).toHaveLength(2);
    });

    test('leaves behind no file use, no search words and no answer without a question', async () => {
      const { id, threadId } = await thread('Keep this');
      const image = await file('gone.png', pixel);
      const made = await client.beta.threads.messages.create(id, {
        role: 'user',
        content: [
          { type: 'text', text: 'Unfindable aardvark' },
          { type: 'image_file', image_file: { file_id: image } },
        ],
      });
      const uses = () =>
        withDatabase(app, (db) => db.selectFrom('file_uses').selectAll().where('used_by', '=', 'message').execute());
      const before = (await uses()).length;
      await remove(id, made.id);
      expect((await uses()).length).toBe(before - 1);
      expect((await ada.get('/api/threads?q=aardvark')).body.items).toEqual([]);
      // An answer that follows nothing cannot be regenerated.
      const [opening] = await listed(id);
      const { answer, message } = await ask(app, ada, threadId, 'Say so');
      const ids = (await listed(id, { order: 'asc' })).map((one) => one.id);
      await remove(id, opening?.id);
      await remove(id, ids[1]);
      expect((await messagesOf(ada, threadId)).map(({ id: one, parentId }) => [one, parentId])).toEqual([
        [answer.id, null],
      ]);
      expect((await ada.post(`/api/messages/${answer.id}/regenerate`)).status).toBe(404);
      expect((await ada.post(`/api/messages/${message.id}/regenerate`)).status).toBe(404);
    });
  });

  test('requires the chat permission and a valid token', async () => {
    const { id } = await thread('x');
    const { token: files, id: filesId } = await newToken(ada, { name: 'Gone', rights: ['chat'] });
    expect(filesId).toBeGreaterThan(0);
    const { token: other } = await newToken(ada, { rights: ['files'] });
    expect((await callApi(app, other, `/v1/threads/${id}/messages`, { headers: beta })).status).toBe(403);
    await ada.delete(`/api/access-tokens/${filesId}`);
    const { status } = await callApi(app, files, `/v1/threads/${id}/messages`, {
      headers: { ...beta, ...bearer(files) },
    });
    expect(status).toBe(401);
  });
});
