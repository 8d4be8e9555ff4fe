import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { askedOf, asksOf, benchText, forgetAsks } from '#server/testing/chat';
import { newConnection, openConnections } from '#server/testing/connections';
import { withDatabase } from '#server/testing/database';
import { conforming } from '#server/testing/openai-schema';
import { until } from '#server/testing/until';
import { loseStore, personWithStore, untilStoreIsBack, whileIndexing } from '#server/testing/vector-stores';

const quick = { pollIntervalMs: 20 };
const tools = [{ type: 'file_search' as const }];
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });

describe.each(engines)('runs with file_search on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, { env: openConnections });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  /** A user with a client, and an assistant that searches a vector store with these files. */
  async function withStore(...names: string[]) {
    const person = await personWithStore(app, ...names);
    const tool_resources = { file_search: { vector_store_ids: [person.storeId] } };
    const { id: assistant_id } = await person.client.beta.assistants.create({ model: 'gpt-4o', tools, tool_resources });
    return { ...person, assistant_id };
  }

  const textOf = (message: OpenAI.Beta.Threads.Message | undefined) => {
    const [part] = message?.content ?? [];
    if (part?.type !== 'text') throw new Error('A message without text');
    return part.text;
  };

  test('refuses a model of another connection before anything is sent to either provider', async () => {
    const { visitor, client, assistant_id } = await withStore('handbook.md');
    const home = await newConnection(app, visitor, 'Home');
    await forgetAsks(app);
    const thread = saying('What?');
    const run = client.beta.threads.createAndRun({ assistant_id, model: `@${home.id}/gpt-4o`, thread });
    const message = expect.stringContaining('gpt-4o is a model of another connection, so it cannot search them.');
    await expect(run).rejects.toMatchObject({ status: 400, param: 'model', message });
    expect(await askedOf(app)).toEqual([]);
  });

  test('cites Roster’s files in messages, events and steps while the files exist', async () => {
    const { client, files, storeId, assistant_id } = await withStore('handbook.md', 'rules.md');
    const thread = saying('[[bench 6]] What?');
    const stream = client.beta.threads.createAndRunStream({ assistant_id, thread });
    let streamedText = '';
    const streamedAnnotations: unknown[] = [];
    for await (const { event, data } of stream) {
      if (event !== 'thread.message.delta') continue;
      conforming('MessageDeltaObject', data);
      for (const part of data.delta.content ?? []) {
        if (part.type !== 'text') continue;
        streamedText += part.text?.value ?? '';
        streamedAnnotations.push(...(part.text?.annotations ?? []));
      }
    }
    const { thread_id, id: runId } = await stream.finalRun();
    const [message] = (await client.beta.threads.messages.list(thread_id)).data;
    const { value, annotations } = textOf(conforming('MessageObject', message));
    const whole = benchText(6);
    const half = benchText(3);
    expect(value).toBe(`${half}【0:0†source】${whole.slice(half.length)}【1:1†source】【2:0†source】`);
    expect(annotations.map(({ text, start_index, end_index }) => [text, start_index, end_index])).toEqual(
      ['【0:0†source】', '【1:1†source】', '【2:0†source】'].map((mark) => [
        mark,
        value.indexOf(mark),
        value.indexOf(mark) + mark.length,
      ]),
    );
    // The provider lists files in the order in which it received them.
    const inOrder = annotations
      .slice(0, 2)
      .flatMap((one) => files.filter(({ id }) => one.type === 'file_citation' && id === one.file_citation.file_id));
    expect(new Set(inOrder)).toEqual(new Set(files));
    const [first, second] = inOrder;
    const cited = [first, second, first].map((file) => ({
      type: 'file_citation',
      file_citation: { file_id: file?.id },
    }));
    expect(annotations).toMatchObject(cited);
    // The deltas add up to the listed text.
    expect(streamedText).toBe(value);
    expect(streamedAnnotations).toEqual(annotations.map((annotation, index) => ({ index, ...annotation })));

    const include: ['step_details.tool_calls[*].file_search.results[*].content'] = [
      'step_details.tool_calls[*].file_search.results[*].content',
    ];
    const stepsOf = async () => {
      const { data } = await client.beta.threads.runs.steps.list(runId, { thread_id, include, order: 'asc' });
      return data.map((step) => conforming('RunStepObject', step).step_details);
    };
    const found = ({ id, filename }: OpenAI.FileObject) => ({
      ...{ file_id: id, file_name: filename, score: expect.any(Number) },
      content: [{ type: 'text', text: expect.stringContaining(filename) }],
    });
    const searched = (...results: object[]) => [
      { type: 'tool_calls', tool_calls: [{ type: 'file_search', file_search: { results } }] },
      { type: 'message_creation' },
    ];
    expect(await stepsOf()).toMatchObject(searched(...inOrder.map(found)));

    // The model reads neither marks nor citations.
    await forgetAsks(app);
    await client.beta.threads.messages.create(thread_id, { role: 'user', content: 'And?' });
    await client.beta.threads.runs.createAndPoll(thread_id, { assistant_id }, quick);
    const [{ body } = { body: {} }] = await asksOf(app);
    expect(body).toMatchObject({ input: [{}, { role: 'assistant', content: whole }, { content: 'And?' }] });

    await client.files.delete(first?.id ?? '');
    const after = textOf(await client.beta.threads.messages.retrieve(message?.id ?? '', { thread_id }));
    expect(after).toMatchObject({ value: `${whole}【0:0†source】`, annotations: [cited[1]] });
    expect(await stepsOf()).toMatchObject(searched(...inOrder.slice(1).map(found)));
    expect((await client.vectorStores.retrieve(storeId)).file_counts.total).toBe(1);

    // Form in which runs of an earlier version are stored.
    const earlier = { file_id: 'file-abc', filename: 'old.md', score: 0.5, text: 'old.md' };
    await withDatabase(app, (db) =>
      db
        .updateTable('tool_calls')
        .set({ output: JSON.stringify([earlier]) })
        .execute(),
    );
    const { file_id: id, filename } = earlier;
    expect(await stepsOf()).toMatchObject(searched({ file_id: id, file_name: filename, score: 0.5 }));
  });

  /** A user with files and a searching assistant, but no vector store. */
  async function withFiles(...names: string[]) {
    const { visitor, key } = await app.someone();
    const { token } = await newToken(visitor);
    const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const files: string[] = [];
    for (const name of names)
      files.push(
        (await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'assistants' })).id,
      );
    const { id: assistant_id } = await client.beta.assistants.create({ model: 'gpt-4o', tools });
    const attached = (...file_ids: (string | undefined)[]) => ({
      role: 'user' as const,
      content: '[[bench 6]] What?',
      attachments: file_ids.map((file_id = '') => ({ file_id, tools })),
    });
    const storesOfThread = async (id: string) =>
      conforming('ThreadObject', await client.beta.threads.retrieve(id)).tool_resources?.file_search?.vector_store_ids;
    const filesOfStore = async (id = '') =>
      (await client.vectorStores.files.list(id)).data.map((file) => file.id).sort();
    const stores = async () => (await client.vectorStores.list()).data.map(({ id }) => id);
    return { visitor, key, token, client, files, assistant_id, attached, storesOfThread, filesOfStore, stores };
  }

  test('searches files that messages attach, in one store per thread, whichever call adds them', async () => {
    const { client, files, assistant_id, attached, storesOfThread, filesOfStore, stores } = await withFiles(
      'a.md',
      'b.md',
      'c.md',
    );
    const [a, b, c] = files;
    const empty = await client.beta.threads.create();
    await client.beta.threads.messages.create(empty.id, { role: 'user', content: 'Hello' });
    expect(await storesOfThread(empty.id)).toBeUndefined();

    const thread = await client.beta.threads.create({ messages: [attached(a), attached(a)] });
    const [store] = (await storesOfThread(thread.id)) ?? [];
    expect(thread.tool_resources?.file_search?.vector_store_ids).toEqual([store]);
    expect(await filesOfStore(store)).toEqual([a]);
    const made = await client.vectorStores.retrieve(store ?? '');
    expect(made.expires_after).toEqual({ anchor: 'last_active_at', days: 7 });
    // Later messages extend the store; a file that is already in it stays unchanged.
    await client.beta.threads.messages.create(thread.id, attached(a, b));
    expect(await filesOfStore(store)).toEqual([a, b].sort());
    const run = await client.beta.threads.runs.createAndPoll(
      thread.id,
      { assistant_id, additional_messages: [attached(c)] },
      quick,
    );
    expect(run.status).toBe('completed');
    expect([await storesOfThread(thread.id), await filesOfStore(store)]).toEqual([[store], [a, b, c].sort()]);

    // Each of these calls makes a store for a thread without one.
    await client.beta.threads.messages.create(empty.id, attached(b));
    expect(await filesOfStore((await storesOfThread(empty.id))?.[0])).toEqual([b]);
    const other = await client.beta.threads.create();
    await client.beta.threads.runs.createAndPoll(other.id, { assistant_id, additional_messages: [attached(c)] }, quick);
    expect(await filesOfStore((await storesOfThread(other.id))?.[0])).toEqual([c]);
    const along = await client.beta.threads.createAndRunPoll(
      { assistant_id, thread: { messages: [attached(b, c)] } },
      quick,
    );
    expect(await filesOfStore((await storesOfThread(along.thread_id))?.[0])).toEqual([b, c].sort());
    expect(await stores()).toHaveLength(4);
  });

  test('cites attached files once they are indexed', async () => {
    const { client, files, assistant_id, attached, storesOfThread } = await withFiles('handbook.md');
    const { id } = await client.beta.threads.create({ messages: [attached(files[0])] });
    const [store] = (await storesOfThread(id)) ?? [];
    await whileIndexing(
      app,
      until(
        'The end of indexing',
        async () => (await client.vectorStores.retrieve(store ?? '')).status === 'completed',
      ),
    );
    await client.beta.threads.runs.createAndPoll(id, { assistant_id }, quick);
    const [message] = (await client.beta.threads.messages.list(id)).data;
    expect(textOf(message).annotations).toContainEqual(
      expect.objectContaining({ file_citation: { file_id: files[0] } }),
    );
  });

  test('leaves no store and no file behind if the message is refused', async () => {
    const { client, files, assistant_id, attached, storesOfThread, filesOfStore, stores } = await withFiles(
      'a.md',
      'b.md',
    );
    const [a, b] = files;
    const { id } = await client.beta.threads.create();
    const noise = await toFile(Buffer.from([0xff, 0xfe, 0, 1]), 'noise.bin');
    const { id: unreadable } = await client.files.create({ file: noise, purpose: 'assistants' });
    await expect(client.beta.threads.messages.create(id, attached(a, unreadable))).rejects.toMatchObject({
      status: 400,
      param: 'attachments',
    });
    await expect(client.beta.threads.create({ messages: [attached(unreadable)] })).rejects.toMatchObject({
      status: 400,
    });
    const wrong = { assistant_id: 'asst_none', additional_messages: [attached(a)] };
    await expect(client.beta.threads.runs.create(id, wrong)).rejects.toMatchObject({ status: 404 });
    expect([await storesOfThread(id), await stores()]).toEqual([undefined, []]);

    await client.beta.threads.messages.create(id, attached(a));
    const [store] = (await storesOfThread(id)) ?? [];
    await expect(
      client.beta.threads.runs.create(id, { ...wrong, additional_messages: [attached(b)] }),
    ).rejects.toMatchObject({ status: 404 });
    expect([await filesOfStore(store), (await client.beta.threads.messages.list(id)).data.length]).toEqual([[a], 1]);
    // A store that the client has deleted is made again.
    await client.vectorStores.delete(store ?? '');
    await client.beta.threads.messages.create(id, attached(b));
    const [next] = (await storesOfThread(id)) ?? [];
    expect([next === store, await filesOfStore(next)]).toEqual([false, [b]]);
    expect((await client.beta.threads.runs.createAndPoll(id, { assistant_id }, quick)).status).toBe('completed');
  });

  test('finds all files of simultaneous messages in one store', async () => {
    const { client, files, attached, storesOfThread, filesOfStore, stores } = await withFiles('a.md', 'b.md', 'c.md');
    const { id } = await client.beta.threads.create();
    await Promise.all(files.map((file) => client.beta.threads.messages.create(id, attached(file))));
    const kept = (await storesOfThread(id)) ?? [];
    expect(await stores()).toEqual(kept);
    expect(await filesOfStore(kept[0])).toEqual(files.toSorted());
  });

  test('fails with a message if the provider has lost the vector store, which is recreated', async () => {
    const { client, key, isDone, assistant_id } = await withStore('handbook.md');
    await loseStore(app, key);
    const request = { assistant_id, thread: saying('[[bench 2]] What?') };
    const lost = await client.beta.threads.createAndRunPoll(request, quick);
    expect(lost).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
    expect(lost.last_error?.message).toContain('being indexed again');
    await untilStoreIsBack(app, key, 1);
    await isDone();
    const { thread_id } = lost;
    const found = await client.beta.threads.runs.createAndPoll(thread_id, { assistant_id }, quick);
    expect(found.status).toBe('completed');
    const [message] = (await client.beta.threads.messages.list(thread_id, { run_id: found.id })).data;
    expect(textOf(message).annotations).toHaveLength(2);
  });
});
