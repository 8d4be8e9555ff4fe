import type { AssistantFile } from '@roster/contracts/assistants/assistants';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, newThread, regenerated, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { withFault } from '#server/testing/faults';
import { fileOf, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { filesIn, makeDue, stateOf, storesOf, untilIndexed, untilKnown } from '#server/testing/knowledge';

describe.each(engines)('files of assistants on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const keyOf = (number: number) => `sk-knows-${engine}-${number}-${'k'.repeat(32)}`;
  const save = (visitor: HttpClient, apiKey: string) => visitor.post('/api/settings/apikey', { apiKey });
  /** Every user has their own account at the provider. */
  async function someone() {
    const visitor = await app.as(`person${++people}`);
    const key = keyOf(people);
    await save(visitor, key);
    return { visitor, key, assistantId: await createAssistant(visitor) };
  }
  const addTo = (visitor: HttpClient, assistantId: number, ...fileIds: number[]) =>
    visitor.post(`/api/assistants/${assistantId}/files`, { fileIds });
  const put = async (visitor: HttpClient, ...names: string[]) => {
    const ids: number[] = [];
    for (const filename of names) ids.push((await uploaded(app, visitor, { filename, content: filename })).id);
    return ids;
  };
  const callsTo = async (path: string, method = 'POST') => {
    const answer = await request(`${app.provider.origin}/__simulator/requests`);
    const { requests } = JSON.parse(await answer.body.text());
    return requests.filter((one: { method: string; path: string }) => one.method === method && one.path === path);
  };

  test('indexes files in one store of the assistant, and answers search and cite them', async () => {
    const { visitor, key, assistantId } = await someone();
    const ids = await put(visitor, 'handbook.pdf', 'say %22hi%22.md');
    const { status, body } = await addTo(visitor, assistantId, ...ids);
    expect(status).toBe(200);
    expect(body.map(({ filename }: AssistantFile) => filename)).toEqual(['handbook.pdf', 'say "hi".md']);
    for (const { state } of body) expect(['waiting', 'indexing']).toContain(state);
    await untilKnown(app, visitor, assistantId, ['indexing', 'indexing']);
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);

    const [store, ...others] = await storesOf(app, key);
    expect(others).toEqual([]);
    expect((await visitor.get('/api/assistants')).body[0].files).toBe(2);
    expect((await fileOf(visitor, ids[0] ?? 0))?.usedBy).toBe(1);
    expect((await visitor.get('/api/files/summary')).body.filesUsedByAi).toBe(2);

    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const { events, answer } = await ask(app, visitor, threadId, 'What do the files say?');
    const last = (await asksOf(app)).at(-1);
    expect(last?.body.tools).toEqual([{ type: 'file_search', vector_store_ids: [store?.id] }]);
    const sources = events.flatMap(({ event }) => (event.type === 'source' ? [event.text] : []));
    expect(sources.toSorted()).toEqual(['handbook.pdf', 'say "hi".md']);
    expect(answer.sources).toEqual(sources);
    expect(answer.notes).toEqual([]);
    const again = await visitor.get(`/api/threads/${threadId}/export?format=json`);
    expect(again.body.messages[1].sources).toEqual(sources);
    const text = (await visitor.get(`/api/threads/${threadId}/export?format=md`)).body;
    expect(String(text)).toContain(`*(sources: ${sources.join(', ')})*`);

    const { run } = await regenerated(app, visitor, answer.id);
    const { body: page } = await visitor.get(`/api/threads/${threadId}/messages`);
    const redone = page.items.find(({ id }: { id: number }) => id === run.messageId);
    expect(redone.sources).toEqual(sources);
    expect((await visitor.get('/api/assistants/export')).body.assistants[0].files).toEqual([
      'handbook.pdf',
      'say "hi".md',
    ]);
  });

  test('reports unsearchable files before anything is sent, with what to do instead', async () => {
    const { visitor, key, assistantId } = await someone();
    const ids = await put(visitor, 'prices.csv', 'photo.png');
    const { body } = await addTo(visitor, assistantId, ...ids);
    expect(body).toMatchObject([
      {
        state: 'failed',
        error: 'Tables and data files (.csv) cannot be searched. Attach it to a message instead.',
      },
      {
        state: 'failed',
        error: expect.stringMatching(/^Files of this kind cannot be searched: PDF, .* message instead\.$/),
      },
    ]);
    const again = await visitor.post(`/api/assistants/${assistantId}/files/${ids[0]}/retry`);
    expect([again.status, again.body.code]).toEqual([415, 'unsupported_media_type']);
    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const { answer } = await ask(app, visitor, threadId, 'Hello');
    expect(answer.notes).toEqual([
      'The assistant’s files could not be searched: see its files in Settings for the reason.',
    ]);
    expect(await storesOf(app, key)).toEqual([]);
  });

  test('creates one store for concurrent additions, with each file once', async () => {
    const { visitor, key, assistantId } = await someone();
    const ids = await put(visitor, 'a.md', 'b.md', 'c.md');
    const answers = await Promise.all([
      ...ids.map((id) => addTo(visitor, assistantId, id)),
      addTo(visitor, assistantId, ...ids),
      addTo(visitor, assistantId, ...ids),
    ]);
    for (const { status } of answers) expect(status).toBe(200);
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready', 'ready']);
    const stores = await storesOf(app, key);
    expect(stores).toHaveLength(1);
    expect(await filesIn(app, key, stores[0]?.id ?? '')).toHaveLength(3);
  });

  test('does not search files that are being indexed, and says so', async () => {
    const { visitor, assistantId } = await someone();
    const ids = await put(visitor, 'a.md', 'b.md');
    await addTo(visitor, assistantId, ...ids);
    await untilKnown(app, visitor, assistantId, ['indexing', 'indexing']);
    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const { answer } = await ask(app, visitor, threadId, 'Hello');
    expect(answer.notes).toEqual(['2 files of this assistant are still being indexed and were not searched.']);
    expect((await asksOf(app)).at(-1)?.body.tools).toBeUndefined();
  });

  test('accepts at most 50 files, only the user’s own', async () => {
    const { visitor, assistantId } = await someone();
    const other = await someone();
    const [theirs] = await put(other.visitor, 'theirs.md');
    const [mine] = await put(visitor, 'mine.md');
    const foreign = await addTo(visitor, assistantId, Number(mine), Number(theirs));
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
    expect((await addTo(other.visitor, assistantId, Number(theirs))).status).toBe(404);
    expect((await visitor.get(`/api/assistants/${assistantId}/files`)).body).toEqual([]);
    expect((await other.visitor.get(`/api/assistants/${assistantId}/files`)).status).toBe(404);
    expect((await addTo(visitor, assistantId)).body.fields.fileIds).toBe('Please select at least one file');
    const userId = (await visitor.get('/api/user')).body.id;
    const at = new Date().toISOString();
    await withDatabase(app, async (db) => {
      for (let number = 0; number < 50; number++) {
        const name = `many ${number}.md`;
        const { id } = await db
          .insertInto('files')
          .values({
            user_id: userId,
            filename: name,
            name_key: name,
            type: 'text/plain',
            size: 1,
            sha256: '',
            storage_key: `none-${engine}-${number}`,
            purpose: 'assistants',
            created_at: at,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await db
          .insertInto('assistant_files')
          .values({
            assistant_id: assistantId,
            file_id: id,
            user_id: userId,
            state: 'failed',
            error: null,
            indexed_file_id: 'x',
            added_at: at,
            changed_at: at,
          })
          .execute();
      }
    });
    const { status, body } = await addTo(visitor, assistantId, Number(mine));
    expect([status, body.fields]).toEqual([400, { fileIds: 'An assistant can have at most 50 files' }]);
  });

  test('removes files from the store, and the store with the last one', async () => {
    const { visitor, key, assistantId } = await someone();
    const [first, second] = await put(visitor, 'a.md', 'b.md');
    await addTo(visitor, assistantId, Number(first), Number(second));
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);
    const [store] = await storesOf(app, key);
    expect((await visitor.delete(`/api/assistants/${assistantId}/files/${first}`)).status).toBe(204);
    expect((await visitor.delete(`/api/assistants/${assistantId}/files/${first}`)).status).toBe(404);
    expect((await fileOf(visitor, Number(first)))?.usedBy).toBe(0);
    await until('The taking out', async () => (await filesIn(app, key, store?.id ?? '')).length === 1);
    await withFault(app, { fail: 'server_error' }, { method: 'DELETE' }, async () => {
      await visitor.delete(`/api/assistants/${assistantId}/files/${second}`);
      await until('A try', async () => (await callsTo(`/vector_stores/${store?.id}`, 'DELETE')).length > 0);
    });
    await until('The removal', async () => {
      await makeDue(app);
      return (await storesOf(app, key)).length === 0;
    });
    // The next file gets a new store.
    await addTo(visitor, assistantId, Number(first));
    await untilIndexed(app, visitor, assistantId, ['ready']);
    expect(await storesOf(app, key)).toHaveLength(1);
  });

  test('deletes knowledge with the assistant but keeps files; deleted files leave the assistant', async () => {
    const { visitor, key, assistantId } = await someone();
    const [first, second] = await put(visitor, 'a.md', 'b.md');
    await addTo(visitor, assistantId, Number(first), Number(second));
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);
    await visitor.delete(`/api/files/${first}`);
    expect((await stateOf(visitor, assistantId)).map(({ fileId }) => fileId)).toEqual([second]);
    expect((await visitor.delete(`/api/assistants/${assistantId}`)).status).toBe(204);
    await until('The removal of the store', async () => (await storesOf(app, key)).length === 0);
    expect((await visitor.get('/api/files')).body).toMatchObject([{ id: second, usedBy: 0 }]);
    await until('Its row’s end', () =>
      withDatabase(app, async (db) => {
        const rows = await db.selectFrom('vector_stores').select('id').where('state', '=', 'removing').execute();
        return rows.length === 0;
      }),
    );
  });

  test('waits for a key, and for one that works', async () => {
    const visitor = await app.as(`person${++people}`);
    const assistantId = await createAssistant(visitor);
    const [id] = await put(visitor, 'a.md');
    await addTo(visitor, assistantId, Number(id));
    expect(await stateOf(visitor, assistantId)).toMatchObject([
      { state: 'waiting', error: 'It will be indexed once you add your API key in Settings.' },
    ]);
    await withFault(app, { fail: 'invalid_api_key' }, { path: '/vector_stores*' }, async () => {
      await save(visitor, keyOf(people));
      await until('The words', async () =>
        /rejected the API key/.test((await stateOf(visitor, assistantId))[0]?.error ?? ''),
      );
      expect((await stateOf(visitor, assistantId))[0]?.state).toBe('waiting');
    });
    expect((await visitor.get('/api/user/config')).body.apiKeyVerified).toBe(false);
    await save(visitor, keyOf(people));
    await untilIndexed(app, visitor, assistantId, ['ready']);
    expect(await stateOf(visitor, assistantId)).toMatchObject([{ state: 'ready', error: null }]);
  });

  test('follows a key to another account of the provider, with a new store', async () => {
    const { visitor, key, assistantId } = await someone();
    const ids = await put(visitor, 'a.md', 'b.md');
    await addTo(visitor, assistantId, ...ids);
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);
    const elsewhere = keyOf(8_000 + people);
    await save(visitor, elsewhere);
    await until('The files in the other account', async () => {
      await makeDue(app);
      const [store] = await storesOf(app, elsewhere);
      return store && (await filesIn(app, elsewhere, store.id)).length === 2;
    });
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);
    expect(await storesOf(app, elsewhere)).toHaveLength(1);
    expect(await storesOf(app, key)).toHaveLength(1);
    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const { answer } = await ask(app, visitor, threadId, 'What do the files say?');
    expect(answer.sources.toSorted()).toEqual(['a.md', 'b.md']);
  });

  test('answers without a store that the provider has lost, says so, and creates it again', async () => {
    const { visitor, key, assistantId } = await someone();
    await addTo(visitor, assistantId, ...(await put(visitor, 'a.md')));
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const [store] = await storesOf(app, key);
    const headers = { authorization: `Bearer ${key}` };
    await request(`${app.provider.url}/vector_stores/${store?.id}`, { method: 'DELETE', headers });
    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const { answer } = await ask(app, visitor, threadId, 'What do the files say?');
    expect([answer.state, answer.sources]).toEqual(['complete', []]);
    expect(answer.notes).toEqual([
      'The assistant’s files could not be searched: the provider no longer has them. They are being indexed again.',
    ]);
    await until('A new store', async () => (await storesOf(app, key)).length === 1);
    await untilIndexed(app, visitor, assistantId, ['ready']);
    expect((await ask(app, visitor, threadId, 'And now?')).answer.sources).toEqual(['a.md']);
  });

  test('omits files if the model cannot search, says so and remembers it', async () => {
    const { visitor, assistantId } = await someone();
    await addTo(visitor, assistantId, ...(await put(visitor, 'a.md')));
    await untilIndexed(app, visitor, assistantId, ['ready']);
    await visitor.patch(`/api/assistants/${assistantId}`, { model: 'gpt-4.1-mini' });
    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const error = { message: "Hosted tool 'file_search' is not supported with gpt-4.1-mini.", param: 'tools' };
    const refusing = { path: '/responses', key: keyOf(people) };
    const { answer } = await withFault(app, { status: 400, error }, refusing, async () => {
      const { run } = (
        await visitor.post(`/api/threads/${threadId}/messages`, { message: 'Hi', clientId: `c-${engine}-1` })
      ).body;
      // The failure affects every request: the retry fails too, and the message ends with the first error.
      return until('The end', async () => {
        const { body } = await visitor.get(`/api/threads/${threadId}/messages`);
        const found = body.items.find(({ id }: { id: number }) => id === run.messageId);
        return found.state === 'failed' && { answer: found };
      });
    });
    const note = 'The assistant’s files could not be searched: gpt-4.1-mini does not support file search.';
    expect(answer.notes).toEqual([note]);
    const { answer: next } = await ask(app, visitor, threadId, 'Again');
    expect([next.state, next.notes]).toEqual(['complete', [note]]);
    expect((await asksOf(app)).at(-1)?.body.tools).toBeUndefined();
  });

  test('fails with the provider’s message, and retries on request', async () => {
    const { visitor, assistantId } = await someone();
    const [id] = await put(visitor, 'a.md');
    const error = { message: 'This file holds no text.' };
    await withFault(app, { status: 400, error }, { path: '/vector_stores/*' }, async () => {
      await addTo(visitor, assistantId, Number(id));
      await untilKnown(app, visitor, assistantId, ['failed']);
    });
    expect((await stateOf(visitor, assistantId))[0]?.error).toMatch(/This file holds no text\.$/);
    const { status, body } = await visitor.post(`/api/assistants/${assistantId}/files/${id}/retry`);
    // The old error is cleared at once.
    expect([status, body[0].error]).toEqual([200, null]);
    await untilIndexed(app, visitor, assistantId, ['ready']);
  });

  test('fails without retrying if the account has no credit left', async () => {
    const { visitor, key, assistantId } = await someone();
    const [id] = await put(visitor, 'a.md');
    await withFault(app, { fail: 'insufficient_quota' }, { path: '/vector_stores*', key }, async () => {
      await addTo(visitor, assistantId, Number(id));
      await until('The words', async () => {
        const [file] = await stateOf(visitor, assistantId);
        return file?.state === 'failed' && /no credit left/.test(file.error ?? '');
      });
    });
    await visitor.post(`/api/assistants/${assistantId}/files/${id}/retry`);
    await untilIndexed(app, visitor, assistantId, ['ready']);
  });

  test('indexes after trouble at the provider, without a second store', async () => {
    const { visitor, key, assistantId } = await someone();
    const ids = await put(visitor, 'a.md');
    await withFault(app, { disconnect: true }, { path: '/vector_stores', method: 'POST' }, async () => {
      await addTo(visitor, assistantId, ...ids);
      await until('The words', async () =>
        /could not be reached/.test((await stateOf(visitor, assistantId))[0]?.error ?? ''),
      );
    });
    await until('A store', async () => {
      await makeDue(app);
      return (await storesOf(app, key)).length > 0;
    });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    expect(await storesOf(app, key)).toHaveLength(1);
  });

  test('uses a store whose creation got no response', async () => {
    const { visitor, key, assistantId } = await someone();
    await addTo(visitor, assistantId, ...(await put(visitor, 'a.md')));
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const before = await storesOf(app, key);
    // The state after a process is killed between the creation of the store and the provider’s response.
    await withDatabase(app, (db) =>
      db
        .updateTable('vector_stores')
        .set({ state: 'creating', provider_store_id: null, instance: 0 })
        .where('assistant_id', '=', assistantId)
        .execute(),
    );
    await addTo(visitor, assistantId, ...(await put(visitor, 'b.md')));
    await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);
    expect((await storesOf(app, key)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});

test.each([['vector_stores'], ['files']] as const)(
  'answers without search at a provider without %s, and says so',
  async (part) => {
    const app = await startApp('sqlite', { simulator: { without: [part] } });
    try {
      const visitor = await app.withKey('ada');
      const assistantId = await createAssistant(visitor);
      const { id } = await uploaded(app, visitor, { filename: 'a.md' });
      await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [id] });
      await untilKnown(app, visitor, assistantId, ['not_served']);
      const words = 'OpenAI has no file search. The file stays with the assistant, which answers without it.';
      expect(await stateOf(visitor, assistantId)).toMatchObject([{ error: words }]);
      const threadId = await newThread(visitor, { title: 'Named', assistantId });
      const { answer } = await ask(app, visitor, threadId, 'Hello');
      expect(answer.state).toBe('complete');
      if (part === 'vector_stores')
        expect(answer.notes).toEqual(['The assistant’s files could not be searched: OpenAI has no file search.']);
      expect((await visitor.delete(`/api/assistants/${assistantId}`)).status).toBe(204);
    } finally {
      await app.stop();
    }
  },
);

test('detects with the first answer that a provider has no Responses API', async () => {
  const app = await startApp('sqlite', { simulator: { without: ['responses'] } });
  try {
    const visitor = await app.withKey('ada');
    const assistantId = await createAssistant(visitor);
    const { id } = await uploaded(app, visitor, { filename: 'a.md' });
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [id] });
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const threadId = await newThread(visitor, { title: 'Named', assistantId });
    const note = 'The assistant’s files could not be searched: OpenAI has no file search.';
    expect((await ask(app, visitor, threadId, 'Hello')).answer).toMatchObject({ state: 'complete', notes: [note] });
    await visitor.post('/api/settings/apikey', { apiKey: goodKey });
    await untilKnown(app, visitor, assistantId, ['not_served']);
    expect((await ask(app, visitor, threadId, 'Again')).answer.notes).toEqual([note]);
  } finally {
    await app.stop();
  }
});
