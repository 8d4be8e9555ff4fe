import { personas, startPersona } from '@roster/simulator/personas/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, messageOf, messagesOf, newThread, post, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { reasoningOf } from '#server/testing/events';
import type { HttpClient } from '#server/testing/http-client';
import { newClient } from '#server/testing/responses';

const question = 'The tides of the North Sea';
const answered = `You asked about “${question}”, and here is the answer.`;

describe('answers by connections', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite');
  });
  afterAll(() => app.stop());

  function personaNamed(id: string) {
    const persona = personas.find((one) => one.id === id);
    if (!persona) throw new Error(`There is no persona ${id}`);
    return persona;
  }

  async function connected(visitor: HttpClient, id: string, more: object = {}) {
    const persona = personaNamed(id);
    const provider = await startPersona(persona);
    onTestFinished(() => provider.close());
    const draft = { preset: 'other', name: persona.name, baseUrl: provider.url, key: `key-of-${id}`, ...more };
    const { status, body } = await visitor.post('/api/connections', draft);
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.id, name: persona.name, model: `@${body.id}/${persona.model}`, plain: persona.model, provider };
  }

  test('come from the connection of the model, side by side with others', async () => {
    const { visitor } = await app.someone();
    const mistral = await connected(visitor, 'mistral');
    const ollama = await connected(visitor, 'ollama');
    const threadId = await newThread(visitor, { model: mistral.model });
    const first = await ask(app, visitor, threadId, `[[think]] ${question}`);
    expect(first.answer).toMatchObject({ state: 'complete', text: answered, model: mistral.model });
    expect(reasoningOf(first.events)).toContain(question);

    const sent = await post(visitor, threadId, question, { models: [mistral.model, ollama.model] });
    expect(sent.status).toBe(202);
    const runs: { messageId: number }[] = sent.body.runs;
    expect(runs).toHaveLength(2);
    for (const [index, { messageId }] of runs.entries())
      await until('the answer', async () => {
        const { text, model, state } = await messageOf(visitor, threadId, messageId);
        if (state === 'running' || state === 'queued') return false;
        expect({ text, model }).toEqual({ text: answered, model: [mistral.model, ollama.model][index] });
        return true;
      });
  });

  test('serve people without a key of the installation’s provider', async () => {
    const { visitor } = await app.someone();
    expect((await visitor.delete('/api/settings/apikey')).status).toBe(204);
    const ollama = await connected(visitor, 'ollama', { key: undefined });
    const { body } = await visitor.get('/api/models');
    expect(body).toMatchObject({ source: 'provider', notice: null, models: [], defaultModel: ollama.model });
    expect(body.connections[0]).toMatchObject({ id: ollama.id, name: ollama.name, notice: null });
    const { answer } = await ask(app, visitor, await newThread(visitor), question);
    expect(answer).toMatchObject({ state: 'complete', text: answered, model: ollama.model });
  });

  test('cost what the provider states', async () => {
    const { visitor } = await app.someone();
    const openRouter = await connected(visitor, 'openrouter');
    const { answer } = await ask(app, visitor, await newThread(visitor, { model: openRouter.model }), question);
    expect(answer.usage).toMatchObject({ costUsd: 0.000_123, estimated: false });
    const { body } = await visitor.get('/api/models');
    const listed = body.connections[0].models.find(({ id }: { id: string }) => id === openRouter.model);
    expect(listed.price).toMatchObject({ input: 0.5, output: 2.18, family: null });
  });

  test('are refused to others, and after the connection was paused or removed', async () => {
    const { visitor: ada } = await app.someone();
    const { visitor: bob } = await app.someone();
    const { id, model } = await connected(ada, 'groq');
    const removed = { code: 'invalid_input', fields: { model: 'The connection of this model was removed' } };
    expect((await bob.post('/api/threads', { model })).body).toMatchObject(removed);

    const threadId = await newThread(ada, { model });
    await ask(app, ada, threadId, question);
    expect((await ada.patch(`/api/connections/${id}`, { isPaused: true })).status).toBe(200);
    const paused = await post(ada, threadId, question);
    expect(paused).toMatchObject({ status: 409, body: { code: 'no_api_key' } });
    expect(paused.body.message).toContain('is paused');
    expect((await ada.delete(`/api/connections/${id}`)).status).toBe(204);
    expect((await post(ada, threadId, question)).body.message).toContain('was removed');
    expect((await messagesOf(ada, threadId)).map(({ text }) => text)).toEqual([question, answered]);
  });

  test('send no key to an address that was changed in the database', async () => {
    const { visitor } = await app.someone();
    const { id, model } = await connected(visitor, 'groq');
    const other = await startPersona(personaNamed('xai'));
    onTestFinished(() => other.close());
    const threadId = await newThread(visitor, { model });
    await withDatabase(app, (db) =>
      db.updateTable('connections').set({ base_url: other.url }).where('id', '=', id).execute(),
    );
    expect((await post(visitor, threadId, question)).body).toMatchObject({ code: 'key_unreadable' });
  });

  test('are written for assistants too', async () => {
    const { visitor } = await app.someone();
    const { model } = await connected(visitor, 'deepseek');
    const assistantId = await createAssistant(visitor, { model, instructions: 'Answer in one sentence.' });
    const { answer } = await ask(app, visitor, await newThread(visitor, { assistantId }), question);
    expect(answer).toMatchObject({ state: 'complete', text: answered, model });
  });

  test('reach clients by the name of the connection', async () => {
    const { visitor } = await app.someone();
    const { plain, model } = await connected(visitor, 'mistral', { name: 'House' });
    const { client } = await newClient(app, visitor, { rights: ['chat'] });
    const named = `House/${plain}`;
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids).toContain(named);
    const messages = [{ role: 'user' as const, content: question }];
    const whole = await client.chat.completions.create({ model: named, messages });
    expect(whole.choices[0]?.message.content).toBe(answered);
    let streamed = '';
    for await (const chunk of await client.chat.completions.create({ model: named, messages, stream: true }))
      streamed += chunk.choices[0]?.delta.content ?? '';
    expect(streamed).toBe(answered);
    const response = await client.responses.create({ model: named, input: question });
    expect(response).toMatchObject({ model: plain, output_text: answered });
    const today = new Date().toISOString().slice(0, 10);
    const { body } = await visitor.get(`/api/analytics?from=${today}&to=${today}`);
    expect(JSON.stringify(body)).toContain(model);
    const other = await newClient(app, (await app.someone()).visitor, { rights: ['chat'] });
    await expect(other.client.chat.completions.create({ model: named, messages })).rejects.toMatchObject({
      status: 404,
    });
  });

  test.each(personas.filter(({ models }) => models !== null).map((one) => [one.name, one.id]))(
    'speak as %s does',
    async (_name, id) => {
      const { visitor } = await app.someone();
      const { model } = await connected(visitor, id);
      const threadId = await newThread(visitor, { model });
      const { answer } = await ask(app, visitor, threadId, question);
      expect(answer).toMatchObject({ state: 'complete', text: answered });
      const failed = await ask(app, visitor, threadId, `[[credit]] ${question}`);
      expect(failed.answer.state).toBe('failed');
      expect((await ask(app, visitor, threadId, question)).answer.text).toBe(answered);
    },
  );
});
