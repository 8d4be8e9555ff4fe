import { type AssistantVersion, retainedVersionCount } from '@roster/contracts/assistants/versions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant, draft } from '#server/testing/assistants';
import { ask, messagesOf, newThread, post, regenerated, until } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { startToolServer } from '#server/testing/tool-peer';
import { addToolServer, chooseAll } from '#server/testing/tool-servers';

const beta = { 'openai-beta': 'assistants=v2' };

describe.each(engines)('versions of assistants on %s', (engine) => {
  let app: TestApp;
  let peer: Awaited<ReturnType<typeof startToolServer>>;
  let ada: HttpClient;
  beforeAll(async () => {
    peer = await startToolServer();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
    ada = await app.withKey('ada');
  });
  afterAll(async () => {
    await app.stop();
    await peer.close();
  });

  const pathOf = (id: number, number?: number) =>
    `/api/assistants/${id}/versions${number === undefined ? '' : `/${number}`}`;
  const versionsOf = async (visitor: HttpClient, id: number): Promise<AssistantVersion[]> =>
    (await visitor.get(pathOf(id))).body;
  const restore = (visitor: HttpClient, id: number, number: number) => visitor.post(`${pathOf(id, number)}/restore`);
  const change = (visitor: HttpClient, id: number, changes: object) => visitor.patch(`/api/assistants/${id}`, changes);

  test('records each save that changes something, with what has changed', async () => {
    const id = await createAssistant(ada, { instructions: 'Be patient.' });
    expect((await change(ada, id, { instructions: 'Be brief.', temperature: 0.2 })).body.version).toBe(2);
    expect((await change(ada, id, { temperature: 0.2, tools: {} })).body.version).toBe(2);
    expect((await change(ada, id, { tools: { webSearch: {} } })).body.version).toBe(3);
    const at = expect.stringMatching(/Z$/);
    expect(await versionsOf(ada, id)).toEqual([
      { number: 3, origin: { kind: 'person' }, changed: ['tools'], createdAt: at },
      { number: 2, origin: { kind: 'person' }, changed: ['temperature', 'instructions'], createdAt: at },
      { number: 1, origin: { kind: 'person' }, changed: [], createdAt: at },
    ]);
    const { body } = await ada.get(pathOf(id, 1));
    expect(body.settings).toMatchObject({ name: 'Tutor', instructions: 'Be patient.', temperature: 0.7, tools: {} });
    expect(body).toMatchObject({ number: 1, files: [], chosenTools: [], programFields: null });
  });

  test('lists pages, newest first', async () => {
    const id = await createAssistant(ada);
    for (const name of ['B', 'C', 'D']) await change(ada, id, { name });
    const first = await ada.get(`${pathOf(id)}?limit=3`);
    expect(first.body.map(({ number }: AssistantVersion) => number)).toEqual([4, 3, 2]);
    expect(first.headers.link).toBe(`<${pathOf(id)}?limit=3&cursor=2>; rel="next"`);
    const second = await ada.get(`${pathOf(id)}?limit=3&cursor=2`);
    expect(second.body.map(({ number }: AssistantVersion) => number)).toEqual([1]);
    expect(second.headers.link).toBeUndefined();
  });

  test('numbers concurrent saves differently', async () => {
    const id = await createAssistant(ada);
    const saved = await Promise.all([1, 2, 3, 4, 5].map((count) => change(ada, id, { name: `Tutor ${count}` })));
    expect(saved.map(({ body }) => body.version).sort()).toEqual([2, 3, 4, 5, 6]);
    const versions = await versionsOf(ada, id);
    expect(versions.map(({ number }) => number)).toEqual([6, 5, 4, 3, 2, 1]);
    const { name } = (await ada.get('/api/assistants')).body.find((one: { id: number }) => one.id === id);
    expect((await ada.get(pathOf(id, 6))).body.settings.name).toBe(name);
  });

  test('records changes to files and tools', async () => {
    const id = await createAssistant(ada);
    const file = await uploaded(app, ada, { filename: 'notes.txt', content: 'Notes' });
    await ada.post(`/api/assistants/${id}/files`, { fileIds: [file.id] });
    await ada.post(`/api/assistants/${id}/files`, { fileIds: [file.id] });
    const server = await addToolServer(ada, peer.url, { name: 'Wiki' });
    await chooseAll(ada, id, server.id);
    await chooseAll(ada, id, server.id);
    await ada.delete(`/api/assistants/${id}/files/${file.id}`);
    const versions = await versionsOf(ada, id);
    expect(versions.map(({ changed }) => changed)).toEqual([['files'], ['chosenTools'], ['files'], []]);
    expect((await ada.get(pathOf(id, 3))).body).toMatchObject({
      files: [{ fileId: file.id, filename: 'notes.txt', isThere: true }],
      chosenTools: [
        { serverId: server.id, serverName: 'Wiki', name: 'read_note', approval: 'always', isThere: true },
        { serverName: 'Wiki', name: 'write_note' },
      ],
    });
  });

  test('records changes by API clients under their token’s name, and imports', async () => {
    const { token } = await newToken(ada, { name: 'Nightly' });
    const as = (path: string, body: object) => callApi(app, token, path, { method: 'POST', body, headers: beta });
    const { id: name } = (await as('/v1/assistants', { model: 'gpt-4o', name: 'Made', metadata: { a: 'b' } })).body;
    await as(`/v1/assistants/${name}`, { metadata: { a: 'c' } });
    await as(`/v1/assistants/${name}`, { metadata: { a: 'c' } });
    await as(`/v1/assistants/${name}`, { instructions: 'Be brief.' });
    const [made] = (await ada.get('/api/assistants')).body;
    const origin = { kind: 'program', name: 'Nightly' };
    expect(await versionsOf(ada, made.id)).toMatchObject([
      { number: 3, origin, changed: ['instructions'] },
      { number: 2, origin, changed: ['programFields'] },
      { number: 1, origin, changed: [] },
    ]);
    expect((await ada.get(pathOf(made.id, 1))).body.programFields.metadata).toEqual({ a: 'b' });
    const { body } = await restore(ada, made.id, 1);
    expect(body).toMatchObject({ notes: [], assistant: { version: 4, instructions: '' } });
    const { body: read } = await callApi(app, token, `/v1/assistants/${name}`, { headers: beta });
    expect(read).toMatchObject({ metadata: { a: 'b' }, instructions: null });

    const { body: result } = await ada.post('/api/assistants/import-file', draft({ name: 'Brought along' }));
    expect(await versionsOf(ada, result.imported[0].id)).toMatchObject([
      { number: 1, origin: { kind: 'import' }, changed: [] },
    ]);
  });

  test('restores what still exists, as a new version', async () => {
    const id = await createAssistant(ada, { instructions: 'Be patient.', description: 'Explains' });
    const [kept, lost] = [
      await uploaded(app, ada, { filename: 'kept.txt', content: 'Kept' }),
      await uploaded(app, ada, { filename: 'lost.txt', content: 'Lost' }),
    ];
    await ada.post(`/api/assistants/${id}/files`, { fileIds: [kept.id, lost.id] });
    const server = await addToolServer(ada, peer.url, { name: 'Wiki' });
    await chooseAll(ada, id, server.id, 'once');
    const other = await addToolServer(ada, peer.url, { name: 'Gone' });
    const { body: before } = await ada.get(`/api/assistants/${id}/tools`);
    const { body: ofOther } = await ada.get(`/api/tool-servers/${other.id}/tools`);
    const chosen = before.map(({ serverId, name, digest, approval }: Record<string, unknown>) => ({
      ...{ serverId, name, digest, approval },
    }));
    const { name, digest } = ofOther.tools[0];
    await ada.post(`/api/assistants/${id}/tools`, {
      tools: [...chosen, { serverId: other.id, name, digest, approval: 'never' }],
    });
    await change(ada, id, { instructions: 'Be brief.', description: '', model: 'gpt-4o-mini' });
    await ada.post(`/api/assistants/${id}/tools`, { tools: [] });
    await ada.delete(`/api/assistants/${id}/files/${kept.id}`);
    expect((await ada.delete(`/api/tool-servers/${other.id}`)).status).toBe(204);
    await ada.delete(`/api/assistants/${id}/files/${lost.id}`);
    expect((await ada.delete(`/api/files/${lost.id}`)).status).toBeLessThan(300);

    // After its files and twice its tools.
    const number = 4;
    const { status, body } = await restore(ada, id, number);
    expect([status, body.notes]).toEqual([
      200,
      ['The file lost.txt was deleted.', `The tool ${name} is no longer available.`],
    ]);
    expect(body.assistant).toMatchObject({ instructions: 'Be patient.', description: 'Explains', model: 'gpt-4o' });
    expect((await ada.get(`/api/assistants/${id}/files`)).body).toMatchObject([{ filename: 'kept.txt' }]);
    expect((await ada.get(`/api/assistants/${id}/tools`)).body).toMatchObject([
      { serverId: server.id, name: 'read_note', approval: 'once', state: 'ready' },
      { serverId: server.id, name: 'write_note', approval: 'once', state: 'ready' },
    ]);
    expect((await versionsOf(ada, id))[0]).toMatchObject({
      number: body.assistant.version,
      origin: { kind: 'restore', number },
      changed: ['description', 'model', 'instructions', 'files', 'chosenTools'],
    });
    const { body: old } = await ada.get(pathOf(id, number));
    expect(old.files.map((file: { isThere: boolean }) => file.isThere)).toEqual([true, false]);
    expect(old.chosenTools.map((tool: { isThere: boolean }) => tool.isThere)).toEqual([true, true, false]);
    const again = await restore(ada, id, body.assistant.version);
    expect(again.body.assistant.version).toBe(body.assistant.version);
  });

  test('keeps the current model if the old one cannot be used any more', async () => {
    const id = await createAssistant(ada, { name: 'Old' });
    await withDatabase(app, (db) =>
      db.updateTable('assistant_versions').set({ model: 'gpt-3-gone' }).where('assistant_id', '=', id).execute(),
    );
    await change(ada, id, { name: 'New' });
    const { body } = await restore(ada, id, 1);
    expect(body).toMatchObject({
      assistant: { name: 'Old', model: 'gpt-4o' },
      notes: ['Your API key cannot use the model gpt-3-gone; gpt-4o stays.'],
    });
  });

  test('names the version in answers', async () => {
    const id = await createAssistant(ada);
    const threadId = await newThread(ada, { assistantId: id });
    const { answer } = await ask(app, ada, threadId, 'One');
    expect(answer.answeredBy).toEqual({ assistantId: id, version: 1 });
    await change(ada, id, { instructions: 'Be brief.' });
    await regenerated(app, ada, answer.id);
    expect((await messagesOf(ada, threadId)).at(-1)?.answeredBy).toEqual({ assistantId: id, version: 2 });
    const { status, body } = await post(ada, threadId, 'Two', { models: ['gpt-4o', 'gpt-4o-mini'] });
    expect(status).toBe(202);
    for (const { messageId } of body.runs)
      await until('The answer', async () => {
        const { body: page } = await ada.get(`/api/threads/${threadId}/messages?limit=1&around=${messageId}`);
        const [one] = page.items;
        return one.state === 'complete' ? one.answeredBy : undefined;
      }).then((answeredBy) => expect(answeredBy).toEqual({ assistantId: id, version: 2 }));
    const alone = await ask(app, ada, await newThread(ada), 'One');
    expect(alone.answer.answeredBy).toBeUndefined();
    await ada.delete(`/api/assistants/${id}`);
    expect((await messagesOf(ada, threadId)).at(-1)?.answeredBy).toEqual({ assistantId: id, version: 2 });
  });

  test('names the version in answers to API clients', async () => {
    const { token } = await newToken(ada);
    const as = (path: string, body: object) => callApi(app, token, path, { method: 'POST', body, headers: beta });
    const { id: name } = (await as('/v1/assistants', { model: 'gpt-4o' })).body;
    await as(`/v1/assistants/${name}`, { instructions: 'Be brief.' });
    const thread = { messages: [{ role: 'user', content: 'One' }] };
    expect((await as('/v1/threads/runs', { assistant_id: name, thread })).status).toBe(200);
    const [made] = (await ada.get('/api/assistants')).body;
    const { items } = (await ada.get('/api/threads?programs=true')).body;
    const messages = await messagesOf(ada, items[0].id);
    expect(messages.at(-1)?.answeredBy).toEqual({ assistantId: made.id, version: 2 });
  });

  test('prunes old ones, except the newest and those that answers came from', async () => {
    const id = await createAssistant(ada);
    await change(ada, id, { name: 'Answering' });
    const threadId = await newThread(ada, { assistantId: id });
    await ask(app, ada, threadId, 'One');
    const last = retainedVersionCount + 59;
    await withDatabase(app, async (db) => {
      const { number: _, ...like } = await db
        .selectFrom('assistant_versions')
        .selectAll()
        .where('assistant_id', '=', id)
        .where('number', '=', 2)
        .executeTakeFirstOrThrow();
      for (let from = 3; from <= last; from += 500) {
        const numbers = Array.from({ length: Math.min(500, last + 1 - from) }, (_, index) => from + index);
        await db
          .insertInto('assistant_versions')
          .values(numbers.map((number) => ({ ...like, number })))
          .execute();
      }
      await db.updateTable('assistants').set({ version: last }).where('id', '=', id).execute();
    });
    expect((await change(ada, id, { name: 'One more' })).body.version).toBe(last + 1);
    const numbers = await withDatabase(app, (db) =>
      db.selectFrom('assistant_versions').select('number').where('assistant_id', '=', id).orderBy('number').execute(),
    );
    expect(numbers.slice(0, 2)).toEqual([{ number: 2 }, { number: last + 2 - retainedVersionCount }]);
    expect(numbers).toHaveLength(retainedVersionCount + 1);
    const { status, body } = await ada.get(pathOf(id, 1));
    expect([status, body.message]).toEqual([404, 'This version of the assistant is no longer stored.']);
  });

  test('lets Viewers read but not restore or duplicate, and hides other users’ versions', async () => {
    const vic = await app.as('vic');
    const id = await createAssistant(vic);
    await setUser(app, 'vic@example.com', { role: 'Viewer' });
    expect(await versionsOf(vic, id)).toHaveLength(1);
    expect((await vic.get(pathOf(id, 1))).status).toBe(200);
    expect((await restore(vic, id, 1)).status).toBe(403);
    expect((await vic.post(`/api/assistants/${id}/duplicate`)).status).toBe(403);
    for (const answer of [
      await ada.get(pathOf(id)),
      await ada.get(pathOf(id, 1)),
      await restore(ada, id, 1),
      await ada.post(`/api/assistants/${id}/duplicate`),
    ])
      expect([answer.status, answer.body.message]).toEqual([404, 'Assistant not found.']);
  });

  test('starts over in a duplicate, which copies everything of the assistant', async () => {
    const look = { starters: ['What is a fraction?'], icon: 'book', color: 'teal' };
    const settings = {
      ...look,
      instructions: 'Be patient.',
      temperature: 0.3,
      tools: { webSearch: {} },
      description: 'Of all',
    };
    const id = await createAssistant(ada, { name: 'T'.repeat(100), ...settings });
    const file = await uploaded(app, ada, { filename: 'notes.txt', content: 'Notes' });
    await ada.post(`/api/assistants/${id}/files`, { fileIds: [file.id] });
    const server = await addToolServer(ada, peer.url, { name: 'Wiki' });
    await chooseAll(ada, id, server.id, 'never');
    const { status, body } = await ada.post(`/api/assistants/${id}/duplicate`);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...settings, name: `Copy of ${'T'.repeat(92)}`, files: 1, version: 1 });
    expect([body.isDefault, body.openaiAssistantId]).toEqual([false, null]);
    expect((await ada.get(`/api/assistants/${body.id}/files`)).body).toMatchObject([{ filename: 'notes.txt' }]);
    expect((await ada.get(`/api/assistants/${body.id}/tools`)).body).toMatchObject([
      { name: 'read_note', approval: 'never', state: 'ready' },
      { name: 'write_note', approval: 'never', state: 'ready' },
    ]);
    expect(await versionsOf(ada, body.id)).toMatchObject([
      { number: 1, origin: { kind: 'duplicate', name: 'T'.repeat(100) }, changed: [] },
    ]);
    expect((await ada.get(pathOf(body.id, 1))).body.files).toMatchObject([{ filename: 'notes.txt', isThere: true }]);
    await ada.delete(`/api/assistants/${id}`);
    expect((await ada.get(pathOf(body.id, 1))).status).toBe(200);
    expect((await ada.get(pathOf(id))).status).toBe(404);
  });
});
