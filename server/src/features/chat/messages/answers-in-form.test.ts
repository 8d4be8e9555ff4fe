import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, messagesOf, newThread } from '#server/testing/chat';

const facts = {
  type: 'object',
  properties: { title: { type: 'string' }, rows: { type: 'array', items: { type: 'integer' } } },
  required: ['title', 'rows'],
  additionalProperties: false,
};
const strict = JSON.stringify(facts, null, 2);
const loose = JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } });
const requestedForm = (schema: string, isStrict: boolean) => ({
  name: 'answer',
  schema: JSON.parse(schema),
  strict: isStrict,
});

const modes = engines.map((engine) => ({ engine, without: [] as 'responses'[], by: 'responses' }));
modes.push({ engine: 'sqlite', without: ['responses'], by: 'chat completions' });

describe.each(modes)('structured outputs, by $by on $engine', ({ engine, without }) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, { simulator: { without } });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const responseFormat = (body: { text?: { format?: object }; response_format?: { json_schema?: object } }) =>
    body.response_format?.json_schema ?? body.text?.format;
  const lastForm = async () => responseFormat((await asksOf(app)).at(-1)?.body);

  test('are requested with the schema, which is stored and read separately', async () => {
    const ada = await app.withKey('ada');
    const assistantId = await createAssistant(ada, { responseSchema: strict });
    const threadId = await newThread(ada, { assistantId });
    const { answer, run } = await ask(app, ada, threadId, 'Three rows [[rows 3]]');
    expect(await lastForm()).toMatchObject(requestedForm(strict, true));
    expect(JSON.parse(answer.text)).toEqual({
      title: expect.any(String),
      rows: [expect.any(Number), 2, 3].map(() => expect.any(Number)),
    });
    // Later changes to the assistant do not change the stored request.
    await ada.patch(`/api/assistants/${assistantId}`, { responseSchema: loose });
    expect((await ada.get(`/api/runs/${run.id}/response-schema`)).body).toEqual({ schema: strict });
    const messages = await messagesOf(ada, threadId);
    expect(messages.map(({ hasSchema }) => hasSchema)).toEqual([undefined, true]);
    expect(JSON.stringify(messages)).not.toContain('additionalProperties');
    const kept = (await ada.get(`/api/threads/${threadId}/export?format=json`)).body.messages;
    expect(kept[1]).toMatchObject({ responseSchema: strict });
    expect(kept[1]).not.toHaveProperty('hasSchema');

    await ask(app, ada, threadId, 'Go on');
    expect(await lastForm()).toMatchObject(requestedForm(loose, false));
    await ada.patch(`/api/assistants/${assistantId}`, { responseSchema: null });
    const plain = await ask(app, ada, threadId, 'In words');
    expect(await lastForm()).toBeUndefined();
    expect((await ada.get(`/api/runs/${plain.run.id}/response-schema`)).body).toEqual({ schema: null });
  });

  test('are requested without a schema that the model rejects, with a note', async () => {
    const ben = await app.withKey('ben');
    const assistantId = await createAssistant(ben, { model: 'gpt-4.1', responseSchema: strict });
    const threadId = await newThread(ben, { assistantId });
    const note = 'The answer format was left out: gpt-4.1 does not accept it.';
    for (const words of ['Facts [[unsupported_format once]]', 'Facts']) {
      await forgetAsks(app);
      const { answer } = await ask(app, ben, threadId, words);
      expect([answer.state, answer.notes]).toEqual(['complete', [note]]);
      expect(await lastForm()).toBeUndefined();
    }
    // Only this model rejects it.
    const other = await createAssistant(ben, { responseSchema: strict });
    await ask(app, ben, await newThread(ben, { assistantId: other }), 'Facts');
    expect(await lastForm()).toMatchObject(requestedForm(strict, true));
  });

  test('are requested less strictly if the provider rejects the strict schema', async () => {
    const eve = await app.withKey('eve');
    const assistantId = await createAssistant(eve, { responseSchema: strict });
    const message = "Invalid schema for response_format 'answer': it is not to our liking.";
    const fault = { status: 400, error: { message, param: 'text.format.schema' } };
    const path = without.length > 0 ? '/chat/completions' : '/responses';
    await request(`${app.provider.origin}/__simulator/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fault, match: { path }, times: 1 }),
    });
    const { answer } = await ask(app, eve, await newThread(eve, { assistantId }), 'Facts');
    expect([answer.state, answer.notes]).toEqual(['complete', []]);
    expect(await lastForm()).toMatchObject(requestedForm(strict, false));
  });

  test('are returned to API clients that set no format themselves', async () => {
    const cleo = await app.withKey('cleo');
    const { token } = await newToken(cleo);
    await createAssistant(cleo, { name: 'Facts', responseSchema: strict });
    const own = { type: 'json_object' };
    const completion = { model: 'Facts@roster', messages: [{ role: 'user', content: 'Facts' }] };
    const post = (path: string, body: object) => callApi(app, token, path, { method: 'POST', body });
    const { status } = await post('/v1/chat/completions', completion);
    expect(status).toBe(200);
    expect(await lastForm()).toMatchObject(requestedForm(strict, true));
    await post('/v1/chat/completions', { ...completion, response_format: own });
    expect((await asksOf(app)).at(-1)?.body.response_format).toEqual(own);
    await post('/v1/responses', { model: 'Facts@roster', input: 'Facts' });
    expect(await lastForm()).toMatchObject(requestedForm(strict, true));
    const format = { type: 'text' };
    await post('/v1/responses', { model: 'Facts@roster', input: 'Facts', text: { format } });
    const { body } = (await asksOf(app)).at(-1) ?? {};
    expect(body.response_format ?? body.text?.format ?? format).toEqual(format);
  });

  test('reject an unusable schema', async () => {
    const dan = await app.as('dan');
    const draft = { name: 'Facts', model: 'gpt-4o', responseSchema: '{"type":"array"}' };
    const message = 'The answer must be an object: set "type" to "object" (at /type)';
    const refused = { code: 'invalid_input', fields: { responseSchema: message } };
    expect((await dan.post('/api/assistants', draft)).body).toMatchObject(refused);
    const id = await createAssistant(dan, { responseSchema: strict });
    const { body } = await dan.patch(`/api/assistants/${id}`, { responseSchema: draft.responseSchema });
    expect(body).toMatchObject(refused);
    // The export can be imported again.
    const file = (await dan.get(`/api/assistants/${id}/export`)).body;
    const { body: back } = await dan.post('/api/assistants/import-file', {
      ...file,
      assistants: [{ ...file.assistants[0], name: 'Copy' }],
    });
    expect(back.imported).toMatchObject([{ name: 'Copy', responseSchema: strict }]);
  });
});
