import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, benchText, forgetAsks } from '#server/testing/chat';
import { beside } from '#server/testing/database';
import { conforming } from '#server/testing/openai-schema';
import { loseStore, personWithStore, untilStoreIsBack } from '#server/testing/vector-stores';

const quick = { pollIntervalMs: 20 };
const tools = [{ type: 'file_search' as const }];
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });

describe.each(engines)('runs with file_search on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  /** A person with a program, and an assistant that searches a vector store with these files in it. */
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

  test('cite Roster’s files in messages, their events and their steps, as long as the files are there', async () => {
    const { client, files, storeId, assistant_id } = await withStore('handbook.md', 'rules.md');
    const thread = saying('[[bench 6]] What?');
    const stream = client.beta.threads.createAndRunStream({ assistant_id, thread });
    let said = '';
    const told: unknown[] = [];
    for await (const { event, data } of stream) {
      if (event !== 'thread.message.delta') continue;
      conforming('MessageDeltaObject', data);
      for (const part of data.delta.content ?? []) {
        if (part.type !== 'text') continue;
        said += part.text?.value ?? '';
        told.push(...(part.text?.annotations ?? []));
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
    // The provider has them in the order in which it got them.
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
    // What came in pieces is what is listed.
    expect(said).toBe(value);
    expect(told).toEqual(annotations.map((annotation, index) => ({ index, ...annotation })));

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

    // Neither the marks nor the citations are part of what the model reads.
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

    // As runs of an earlier version have kept it.
    const earlier = { file_id: 'file-abc', filename: 'old.md', score: 0.5, text: 'old.md' };
    await beside(app, (db) =>
      db
        .updateTable('tool_calls')
        .set({ output: JSON.stringify([earlier]) })
        .execute(),
    );
    const { file_id: id, filename } = earlier;
    expect(await stepsOf()).toMatchObject(searched({ file_id: id, file_name: filename, score: 0.5 }));
  });

  test('fail in words where the provider has lost the vector store, which is then made again', async () => {
    const { client, key, isDone, assistant_id } = await withStore('handbook.md');
    await loseStore(app, key);
    const asked = { assistant_id, thread: saying('[[bench 2]] What?') };
    const lost = await client.beta.threads.createAndRunPoll(asked, quick);
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
