import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { newConnection } from '#server/testing/connections';
import type { HttpClient } from '#server/testing/http-client';
import { recorded } from '#server/testing/responses';

const embedding = 'text-embedding-3-small';
const instruct = 'gpt-3.5-turbo-instruct';

describe.each(engines)('relayed calls on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let home: { id: number };
  beforeAll(async () => {
    app = await startApp(engine, { env: { CONNECTIONS: 'open', PROVIDER_HOSTS_ALLOWED: '127.0.0.1' } });
    ada = await app.withKey('ada');
    home = await newConnection(app, ada, 'Home');
  });
  afterAll(() => app.stop());

  /** The official client with a token of its own, and what is recorded under it. */
  async function client(person = ada, draft: Parameters<typeof newToken>[1] = { rights: ['chat'] }) {
    const { id, token } = await newToken(person, draft);
    const openai = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 });
    return { openai, token, records: () => recorded(app, id) };
  }
  const recording = () => toFile(Buffer.alloc(3_000, 7), 'talk.mp3', { type: 'audio/mpeg' });

  test('embeds texts, and records the stated tokens at the price of the catalog', async () => {
    const { openai, records } = await client();
    const { data, usage } = await openai.embeddings.create({ model: embedding, input: ['One two', 'Three'] });
    expect([data.length, data[0]?.embedding.length]).toEqual([2, 1_536]);
    expect(await records()).toMatchObject([
      { model: embedding, input_tokens: usage.prompt_tokens, output_tokens: 0, estimated: 0, purpose: 'chat' },
    ]);
    expect((await records())[0]?.cost_usd).toBeCloseTo((usage.prompt_tokens * 0.02) / 1_000_000, 12);
  });

  test('moderates without a model, and records the model that answered, which is free', async () => {
    const { openai, records } = await client();
    const { results } = await openai.moderations.create({ input: 'I attack you' });
    expect(results.map(({ flagged }) => flagged)).toEqual([true]);
    expect(await records()).toMatchObject([{ model: 'omni-moderation-2024-09-26', cost_usd: 0, estimated: 1 }]);
  });

  test('generates images, whole and in events, and records their tokens', async () => {
    const { openai, records } = await client();
    const { data = [] } = await openai.images.generate({ prompt: 'A cat', n: 2 });
    expect(
      data.map(({ b64_json }) =>
        Buffer.from(b64_json ?? '', 'base64')
          .subarray(1, 4)
          .toString(),
      ),
    ).toEqual(['PNG', 'PNG']);
    const types: string[] = [];
    const stream = await openai.images.generate({ model: 'gpt-image-2', prompt: 'A cat', stream: true });
    for await (const { type } of stream) types.push(type);
    expect(types).toEqual(['image_generation.completed']);
    expect(await records()).toMatchObject([
      { model: 'default-image-model', output_tokens: 2_112, estimated: 0, cost_usd: null },
      { model: 'gpt-image-2', output_tokens: 1_056, estimated: 0, cost_usd: null },
    ]);
  });

  test('speaks: the bytes of the sound without a known price, or events with tokens', async () => {
    const { openai, token, records } = await client();
    const request = { model: 'tts-1-hd', voice: 'alloy', input: 'Hello there' } as const;
    const sound = await openai.audio.speech.create({ ...request, response_format: 'wav' });
    expect(sound.headers.get('content-type')).toBe('audio/wav');
    expect((await sound.arrayBuffer()).byteLength).toBe(4_096);
    const body = { ...request, stream_format: 'sse' };
    const { text } = await callApi(app, token, '/v1/audio/speech', { method: 'POST', body });
    expect(text).toContain('"type":"speech.audio.done"');
    expect(await records()).toMatchObject([
      { model: 'tts-1-hd', input_tokens: 0, output_tokens: 0, cost_usd: null, estimated: 1 },
      { model: 'tts-1-hd', input_tokens: 4, output_tokens: 4, cost_usd: null, estimated: 0 },
    ]);
  });

  test('transcribes a recording, whichever comes first in the form, as JSON, text or events', async () => {
    const { openai, records } = await client();
    const { transcriptions } = openai.audio;
    const heard = await transcriptions.create({ file: await recording(), model: 'gpt-4o-transcribe' });
    expect(heard.text).toBe('I heard 3000 bytes of talk.mp3.');
    const second = await transcriptions.create({
      ...{ file: await recording(), model: 'whisper-1', response_format: 'text' as const },
      timestamp_granularities: ['word' as const, 'segment' as const],
    });
    expect(second).toBe('I heard 3000 bytes of talk.mp3.\n');
    let text = '';
    for await (const event of await transcriptions.create({
      ...{ file: await recording(), model: 'gpt-4o-transcribe', stream: true },
    }))
      if (event.type === 'transcript.text.done') text = event.text;
    expect(text).toBe(heard.text);
    expect(await records()).toMatchObject([
      { model: 'gpt-4o-transcribe', input_tokens: 30, estimated: 0, cost_usd: null },
      { model: 'whisper-1', input_tokens: 0, output_tokens: 0, estimated: 1, cost_usd: null },
      { model: 'gpt-4o-transcribe', input_tokens: 30, estimated: 0, cost_usd: null },
    ]);
  });

  test('continues a text, whole and as a stream whose usage only Roster asked for', async () => {
    const { openai, records } = await client();
    const request = { model: instruct, prompt: 'Once upon a time', max_tokens: 4 } as const;
    const whole = await openai.completions.create(request);
    let text = '';
    for await (const { choices, usage } of await openai.completions.create({ ...request, stream: true })) {
      text += choices[0]?.text ?? '';
      expect(usage ?? null).toBeNull();
    }
    expect(text).toBe(whole.choices[0]?.text);
    const one = { model: instruct, input_tokens: whole.usage?.prompt_tokens, output_tokens: 4, estimated: 0 };
    expect(await records()).toMatchObject([one, one]);
  });

  test('sends each call to the named connection, with the provider’s own id', async () => {
    const { openai, records } = await client();
    const { model } = await openai.embeddings.create({ model: `Home/${embedding}`, input: 'A' });
    await openai.moderations.create({ model: 'Home/omni-moderation-latest', input: 'A' });
    await openai.completions.create({ model: `Home/${instruct}`, prompt: 'A' });
    await openai.audio.transcriptions.create({ file: await recording(), model: 'Home/whisper-1' });
    const speech = { voice: 'alloy', input: 'A' } as const;
    expect((await openai.audio.speech.create({ ...speech, model: 'Home/tts-1-hd' })).status).toBe(200);
    await openai.images.generate({ model: 'Home/gpt-image-2', prompt: 'A' });
    expect(model).toBe(embedding);
    const names = (await records()).map(({ model: named }) => named);
    expect(names).toEqual(
      [embedding, 'omni-moderation-latest', instruct, 'whisper-1', 'tts-1-hd', 'gpt-image-2'].map((id) =>
        expect.stringMatching(new RegExp(`^@\\d+/${id}$`)),
      ),
    );
  });

  test('does not reach another person’s connection, and says that there is none of this name', async () => {
    const bob = await app.withKey('bob');
    const { token, records } = await client(bob);
    for (const [path, body] of [
      ['/v1/embeddings', { input: 'A' }],
      ['/v1/completions', { prompt: 'A' }],
    ] as const) {
      const { status, body: answer } = await callApi(app, token, path, {
        method: 'POST',
        body: { ...body, model: `Home/${embedding}` },
      });
      expect([status, answer.error.code, answer.error.message]).toEqual([
        404,
        'model_not_found',
        expect.stringContaining('None of your connections is called ‘Home’.'),
      ]);
    }
    const own = await client(ada);
    const missing = await callApi(app, own.token, '/v1/embeddings', {
      method: 'POST',
      body: { model: 'Home/no-such-model', input: 'A' },
    });
    expect(missing.body.error).toMatchObject({
      code: 'model_not_found',
      message: expect.not.stringContaining('None of'),
    });
    const guessed = await callApi(app, token, '/v1/embeddings', {
      method: 'POST',
      body: { model: `@${home.id}/${embedding}`, input: 'A' },
    });
    expect([guessed.status, guessed.body.error.code]).toEqual([400, 'no_provider_key']);
    expect(await records()).toEqual([]);
  });

  test('refuses assistants, used up budgets, and what the provider refuses, which costs nothing', async () => {
    await createAssistant(ada, { name: 'Tutor', model: 'gpt-4o' });
    const { openai, records } = await client();
    await expect(openai.embeddings.create({ model: 'Tutor@roster', input: 'A' })).rejects.toMatchObject({
      status: 400,
      param: 'model',
      message: expect.stringContaining('is an assistant'),
    });
    await expect(openai.embeddings.create({ model: 'gpt-4o', input: 'A' })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('The model `gpt-4o` does not support this endpoint.'),
    });
    await expect(openai.audio.transcriptions.create({ file: await recording(), model: 'none' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(await records()).toEqual([]);
    const spent = await client(ada, { rights: ['chat'], monthlyBudgetUsd: 0.01 });
    await spent.openai.embeddings.create({ model: 'text-embedding-3-large', input: 'word '.repeat(100_000) });
    expect(await spent.records()).toHaveLength(1);
    const refused = { status: 429, code: 'insufficient_quota' };
    await expect(spent.openai.embeddings.create({ model: embedding, input: 'A' })).rejects.toMatchObject(refused);
    const file = await recording();
    await expect(spent.openai.audio.transcriptions.create({ file, model: 'whisper-1' })).rejects.toMatchObject(refused);
  });

  test('refuses a form without a file or model, and files that are too large', async () => {
    const { token } = await client();
    const send = async (form: FormData) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${app.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
      const { error }: { error: { param: string | null } } = JSON.parse(await answer.text());
      return [answer.status, error.param];
    };
    const noFile = new FormData();
    noFile.set('model', 'whisper-1');
    expect(await send(noFile)).toEqual([400, 'file']);
    const noModel = new FormData();
    noModel.set('file', new Blob(['x']), 'a.mp3');
    expect(await send(noModel)).toEqual([400, 'model']);
    const large = new FormData();
    large.set('file', new Blob([Buffer.alloc(50 * 1024 * 1024 + 1)]), 'a.mp3');
    large.set('model', 'whisper-1');
    expect((await send(large))[0]).toBe(413);
  });

  test('lists models that cannot chat after those that can', async () => {
    const { openai } = await client();
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids.indexOf(embedding)).toBeGreaterThan(ids.indexOf('gpt-4o'));
    for (const id of [embedding, `Home/${embedding}`]) expect((await openai.models.retrieve(id)).id).toBe(id);
  });
});
