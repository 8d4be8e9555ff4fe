import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { asksOf, forgetAsks } from '#server/testing/chat';
import { withFault } from '#server/testing/faults';
import { atProvider as providersFiles } from '#server/testing/files';
import { atProvider } from '#server/testing/vector-stores';

const running = (...file_ids: string[]): OpenAI.Responses.ResponseCreateParamsNonStreaming => ({
  model: 'gpt-4o',
  input: '[[bench 3]] Count',
  tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids } }],
});

describe.each(engines)('code files of responses on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  async function withClient() {
    const { visitor, key } = await app.someone();
    const { token } = await newToken(visitor);
    const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 });
    const file = async (name: string) =>
      (await client.files.create({ file: await toFile(Buffer.from(name), name), purpose: 'user_data' })).id;
    const theirs = async (name: string) =>
      (await providersFiles(app, key)).find(({ filename }) => filename === name)?.id ?? '';
    const givenTo = async () => (await asksOf(app)).at(-1)?.body.tools[0].container.file_ids;
    await forgetAsks(app);
    return { key, client, file, theirs, givenTo };
  }

  test('uses the provider’s names there, and Roster’s in what is answered', async () => {
    const { client, file, theirs, givenTo } = await withClient();
    const request = running(await file('a.csv'), await file('b.csv'));
    const whole = await client.responses.create(request);
    const names = [await theirs('a.csv'), await theirs('b.csv')];
    expect(await givenTo()).toEqual(names);
    expect(whole.tools).toEqual(request.tools);
    expect((await client.responses.retrieve(whole.id)).tools).toEqual(request.tools);
    const events: string[] = [];
    for await (const event of await client.responses.create({ ...request, stream: true }))
      events.push(JSON.stringify(event));
    for (const name of names) expect(events.join()).not.toContain(name);
    // Clients from before Roster use the provider's names.
    await client.responses.create(running(...names));
    expect(await givenTo()).toEqual(names);
  });

  test('uploads missing files, and again those that the provider has lost', async () => {
    const { client, key, file, theirs, givenTo } = await withClient();
    const request = running(await file('lost.csv'));
    await client.responses.create(request);
    const before = await theirs('lost.csv');
    await atProvider(app, key, `/files/${before}`, 'DELETE');
    expect(await client.responses.create(request)).toMatchObject({ status: 'completed' });
    expect(await givenTo()).toEqual([await theirs('lost.csv')]);
    expect(await theirs('lost.csv')).not.toBe(before);
    await withFault(app, { fail: 'server_error' }, { method: 'POST', path: '/files', key }, async () => {
      await expect(client.responses.create(running(await file('never.csv')))).rejects.toMatchObject({
        status: 502,
        message: expect.stringContaining('The file “never.csv” could not be copied to the provider.'),
      });
    });
    expect(await givenTo()).toEqual([await theirs('lost.csv')]);
  });

  test('requires existing files of the user', async () => {
    const { client, file } = await withClient();
    const { file: another } = await withClient();
    const deletedId = await file('gone.csv');
    await client.files.delete(deletedId);
    for (const id of [deletedId, await another('theirs.csv')])
      await expect(client.responses.create(running(id))).rejects.toMatchObject({ status: 400, code: 'file_not_found' });
    // Unknown ids are for the provider to judge.
    await expect(client.responses.create(running('file-abc'))).rejects.toMatchObject({
      message: expect.stringContaining('file-abc'),
    });
    expect(await asksOf(app)).toHaveLength(1);
  });
});
