import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { startCapableProvider } from '#server/testing/capable-provider';
import { ask } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';

const plainModelMissing = 'Send the model of this connection too, as its provider names it';

describe.each(engines)('a connection beside its model, on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let provider: Awaited<ReturnType<typeof startCapableProvider>>;
  let connectionId: number;
  let foreignId: number;
  beforeAll(async () => {
    app = await startApp(engine);
    provider = await startCapableProvider('able');
    const connectionOf = async (visitor: HttpClient): Promise<number> => {
      const draft = { preset: 'other', name: 'Home', baseUrl: provider.url, key: 'a-key-of-mine-0001' };
      return (await visitor.post('/api/connections', draft)).body.id;
    };
    ada = (await app.someone()).visitor;
    connectionId = await connectionOf(ada);
    foreignId = await connectionOf((await app.someone()).visitor);
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  test('answers a conversation, from its start or from a change on', async () => {
    const { status, body } = await ada.post('/api/threads', { model: 'talker', connectionId });
    expect([status, body.model]).toEqual([201, `@${connectionId}/talker`]);
    expect((await ask(app, ada, body.id, 'Count to three')).answer).toMatchObject({ text: '1, 2, 3' });
    const change = (fields: object) => ada.patch(`/api/threads/${body.id}`, fields);
    expect((await change({ model: 'gpt-4o', connectionId: null })).body.model).toBe('gpt-4o');
    expect((await change({ model: 'talker', connectionId })).body.model).toBe(`@${connectionId}/talker`);
  });

  test('belongs to an assistant or to its fallback', async () => {
    const reference = `@${connectionId}/talker`;
    const named = { model: 'talker', connectionId };
    const local = await ada.post('/api/assistants', { name: 'Local', ...named });
    expect([local.status, local.body.model]).toEqual([201, reference]);
    const { status, body } = await ada.post('/api/assistants', { name: 'Tutor', model: 'gpt-4o', fallback: named });
    expect([status, body.model, body.fallbackModel]).toEqual([201, 'gpt-4o', reference]);
    const change = async (changes: object) => (await ada.patch(`/api/assistants/${body.id}`, changes)).body;
    expect(await change({ fallback: null })).toMatchObject({ model: 'gpt-4o', fallbackModel: null });
    expect(await change(named)).toMatchObject({ model: reference });
    expect(await change({ fallback: { model: 'gpt-4o' } })).toMatchObject({ fallbackModel: 'gpt-4o' });
    expect(await change({ fallback: null, model: 'gpt-4o', connectionId: null })).toMatchObject({ model: 'gpt-4o' });
  });

  test('does not count towards the length of a name', async () => {
    const refusalOf = async (length: number) => {
      const draft = { name: 'Long', model: `@${connectionId}/${'m'.repeat(length)}` };
      return (await ada.post('/api/assistants', draft)).body.fields;
    };
    expect(await refusalOf(200)).toEqual({ model: expect.stringContaining('is not among those of Home') });
    expect(await refusalOf(201)).toEqual({ model: 'Model cannot exceed 200 characters' });
  });

  test.each([
    ['without a model', () => ({ connectionId }), { connectionId: plainModelMissing }],
    ['twice', () => ({ model: `@${connectionId}/talker`, connectionId }), { connectionId: plainModelMissing }],
    ['of nobody', () => ({ model: 'talker', connectionId: 999_999 }), null],
    ['of another user', () => ({ model: 'talker', connectionId: foreignId }), null],
  ])('is refused %s, as in one text', async (_how, fields, refusal) => {
    const { id } = (await ada.post('/api/assistants', { name: 'Local', model: 'gpt-4o' })).body;
    for (const answer of [
      await ada.post('/api/threads', fields()),
      await ada.patch(`/api/assistants/${id}`, fields()),
      await ada.patch(`/api/assistants/${id}`, { fallback: fields() }),
    ]) {
      expect(answer.status).toBe(400);
      const [reason] = Object.values(answer.body.fields ?? {});
      if (refusal) expect([refusal.connectionId, 'Model is required']).toContain(reason);
      else expect(reason).toBe((await ada.post('/api/threads', { model: '@999999/talker' })).body.fields.model);
    }
  });

  test('is accepted only once: as fallback or fallbackModel', async () => {
    const both = { name: 'Local', model: 'gpt-4o', fallbackModel: 'gpt-4o', fallback: { model: 'talker' } };
    const { status, body } = await ada.post('/api/assistants', both);
    expect([status, body.fields]).toEqual([400, { fallback: 'Send fallback or fallbackModel, not both' }]);
  });
});
