import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, forgetAsks } from '#server/testing/chat';
import { withFault } from '#server/testing/faults';
import { atProvider as providersFiles } from '#server/testing/files';
import { conforming } from '#server/testing/openai-schema';
import { until } from '#server/testing/until';
import { atProvider } from '#server/testing/vector-stores';

const quick = { pollIntervalMs: 20 };
const tools = [{ type: 'code_interpreter' as const }];
const saying = (content: string) => ({ messages: [{ role: 'user' as const, content }] });
const bytes = Buffer.from([0xff, 0xfe, 0, 1]);

describe.each(engines)('files of code_interpreter on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  /** A user with an API client. */
  async function withClient() {
    const { visitor, key } = await app.someone();
    const { token } = await newToken(visitor);
    const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const file = async (name: string, content: string | Buffer = name) =>
      (await client.files.create({ file: await toFile(Buffer.from(content), name), purpose: 'assistants' })).id;
    /** The provider's id of a file. */
    const theirs = async (name: string) =>
      (await providersFiles(app, key)).find(({ filename }) => filename === name)?.id;
    const assistant = (...file_ids: string[]) =>
      client.beta.assistants.create({ model: 'gpt-4o', tools, tool_resources: { code_interpreter: { file_ids } } });
    const run = async (assistant_id: string, thread_id?: string) => {
      await forgetAsks(app);
      const ended = await (thread_id === undefined
        ? client.beta.threads.createAndRunPoll({ assistant_id, thread: saying('Count') }, quick)
        : client.beta.threads.runs.createAndPoll(thread_id, { assistant_id }, quick));
      const [{ body } = { body: {} }] = (await asksOf(app)).slice(-1);
      const { tools = [], input } = body;
      return { ended, given: tools[0]?.container.file_ids, input: JSON.stringify(input) };
    };
    return { visitor, key, client, file, theirs, assistant, run };
  }

  test('reads files of the assistant, the thread and its messages, by the provider’s names', async () => {
    const { client, file, theirs, assistant, run } = await withClient();
    const [rates, table, noise] = [await file('rates.csv'), await file('table.csv'), await file('noise.bin', bytes)];
    const made = await assistant(rates);
    expect(conforming('AssistantObject', made).tool_resources).toEqual({ code_interpreter: { file_ids: [rates] } });
    const { id: thread_id } = await client.beta.threads.create({
      ...saying('What do these say?'),
      tool_resources: { code_interpreter: { file_ids: [table] } },
    });
    const message = { role: 'user' as const, content: 'Sum it up' };
    const sent = await client.beta.threads.messages.create(thread_id, {
      ...message,
      attachments: [{ file_id: noise, tools }],
    });
    expect(sent.attachments).toEqual([{ file_id: noise, tools }]);
    const { ended, given, input } = await run(made.id, thread_id);
    expect(ended.status).toBe('completed');
    expect(given).toEqual([await theirs('rates.csv'), await theirs('table.csv'), await theirs('noise.bin')]);
    // The model learns which file came with a message, but does not read it.
    expect(input).toContain('[The attached file “noise.bin” is among the files that your code can read.]');
    const thread = conforming('ThreadObject', await client.beta.threads.retrieve(thread_id));
    expect(thread.tool_resources).toEqual({ code_interpreter: { file_ids: [table, noise] } });

    // A deleted file belongs to nobody.
    await client.files.delete(rates);
    await client.files.delete(noise);
    expect((await run(made.id, thread_id)).given).toEqual([await theirs('table.csv')]);
    expect((await client.beta.assistants.retrieve(made.id)).tool_resources).toEqual({
      code_interpreter: { file_ids: [] },
    });
    expect((await client.beta.threads.retrieve(thread_id)).tool_resources).toEqual({
      code_interpreter: { file_ids: [table] },
    });
  });

  test('takes files with a run: in its thread, in its messages, and instead of the assistant’s', async () => {
    const { client, file, theirs, assistant, run } = await withClient();
    const [own, other, along, late] = [
      await file('own.csv'),
      await file('other.csv'),
      await file('along.csv'),
      await file('late.csv'),
    ];
    const { id: assistant_id } = await assistant(own);
    const attached = (file_id: string) => [{ role: 'user' as const, content: 'x', attachments: [{ file_id, tools }] }];
    await forgetAsks(app);
    const ended = await client.beta.threads.createAndRunPoll(
      {
        assistant_id,
        tool_resources: { code_interpreter: { file_ids: [other] } },
        thread: { messages: attached(along) },
      },
      quick,
    );
    const givenTo = async () => (await asksOf(app)).at(-1)?.body.tools[0].container.file_ids;
    expect(await givenTo()).toEqual([await theirs('other.csv'), await theirs('along.csv')]);
    const { thread_id } = ended;
    const more = { assistant_id, additional_messages: attached(late) };
    await client.beta.threads.runs.createAndPoll(thread_id, more, quick);
    const all = [await theirs('own.csv'), await theirs('along.csv'), await theirs('late.csv')];
    expect(await givenTo()).toEqual(all);
    // A provider id from before Roster is stored as the permanent Roster id.
    const old = await client.beta.assistants.update(assistant_id, {
      tool_resources: { code_interpreter: { file_ids: [String(all[0])] } },
    });
    expect(old.tool_resources).toEqual({ code_interpreter: { file_ids: [own] } });
    expect((await run(assistant_id)).given).toEqual([all[0]]);
  });

  test('allows at most twenty in a thread', async () => {
    const { client, file } = await withClient();
    const ids: string[] = [];
    for (let number = 0; number < 21; number++) ids.push(await file(`${number}.txt`));
    const resources = (file_ids: string[]) => ({ tool_resources: { code_interpreter: { file_ids } } });
    await expect(client.beta.threads.create(resources(ids))).rejects.toMatchObject({ status: 400 });
    const { id } = await client.beta.threads.create(resources(ids.slice(0, 20)));
    const one = (file_id: string) => ({ role: 'user' as const, content: 'x', attachments: [{ file_id, tools }] });
    await client.beta.threads.messages.create(id, one(ids[0] ?? ''));
    await expect(client.beta.threads.messages.create(id, one(ids[20] ?? ''))).rejects.toMatchObject({
      status: 400,
      param: 'attachments',
      message: expect.stringContaining('at most 20 files for code'),
    });
    expect((await client.beta.threads.messages.list(id)).data).toHaveLength(1);
  });

  test('uploads files again when the provider has lost one', async () => {
    const { key, file, theirs, assistant, run } = await withClient();
    const { id } = await assistant(await file('kept.csv'), await file('lost.csv'));
    const { given: before } = await run(id);
    await atProvider(app, key, `/files/${await theirs('lost.csv')}`, 'DELETE');
    const { ended, given } = await run(id);
    expect(ended).toMatchObject({ status: 'completed', last_error: null });
    expect(given).toEqual([before[0], await theirs('lost.csv')]);
    expect(given[1]).not.toBe(before[1]);
  });

  test('fails the run with a message if a file cannot be uploaded, and a later run has it', async () => {
    const { key, file, theirs, assistant, run } = await withClient();
    await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files', key }, async () => {
      const { id } = await assistant(await file('data.csv'));
      const { ended, given } = await run(id);
      expect(ended).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
      expect(ended.last_error?.message).toMatch(/^The file “data\.csv” could not be copied to the provider\. /);
      expect(given).toBeUndefined();
    });
    const { id } = await assistant(await file('more.csv'));
    expect((await run(id)).given).toEqual([await theirs('more.csv')]);
  });

  test('waits until it is cancelled if the provider accepts files without an answer', async () => {
    const { client, key, file, assistant } = await withClient();
    await withFault(app, { hang: true }, { method: 'POST', path: '/files', key }, async () => {
      const { id: assistant_id } = await assistant(await file('slow.csv'));
      const { id, thread_id } = await client.beta.threads.createAndRun({ assistant_id, thread: saying('Count') });
      await client.beta.threads.runs.cancel(id, { thread_id });
      await until('The end of the run', async () => {
        const { status } = await client.beta.threads.runs.retrieve(id, { thread_id });
        return status === 'cancelled';
      });
    });
  });

  test('ends the run if the provider always reports a file as missing', async () => {
    const { key, file, assistant, run } = await withClient();
    const { id } = await assistant(await file('ghost.csv'));
    const lie = { status: 404, error: { message: "File with id 'file-x' not found.", param: 'tools', code: null } };
    await withFault(app, lie, { method: 'POST', path: '/responses', key }, async () => {
      const { ended } = await run(id);
      expect(ended).toMatchObject({ status: 'failed', last_error: { code: 'server_error' } });
      expect(ended.last_error?.message).toContain('not found');
      expect(await asksOf(app)).toHaveLength(2);
    });
  });
});
