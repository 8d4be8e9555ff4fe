import { personas, startPersona } from '@roster/simulator/personas/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, messageOf, newThread, post, until } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';
import { newClient } from '#server/testing/responses';

const question = 'The tides of the North Sea';
const answered = `You asked about “${question}”, and here is the answer.`;

describe.each(engines)('the fallback of an assistant on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  async function connected(visitor: HttpClient, id: string) {
    const persona = personas.find((one) => one.id === id);
    if (!persona) throw new Error(`There is no persona ${id}`);
    const provider = await startPersona(persona);
    onTestFinished(() => provider.close());
    const draft = { preset: 'other', name: persona.name, baseUrl: provider.url, key: `key-of-${id}` };
    const { status, body } = await visitor.post('/api/connections', draft);
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.id, model: `@${body.id}/${persona.model}`, plain: persona.model, provider };
  }

  /** A conversation with an assistant of Mistral whose fallback is a model of Ollama. */
  async function assisted(fallbackModel?: string) {
    const { visitor } = await app.someone();
    const mistral = await connected(visitor, 'mistral');
    const ollama = await connected(visitor, 'ollama');
    const instructions = 'Answered by {{model}}.';
    const settings = { model: mistral.model, fallbackModel: fallbackModel ?? ollama.model, instructions };
    const assistantId = await createAssistant(visitor, settings);
    return { visitor, mistral, ollama, assistantId, threadId: await newThread(visitor, { assistantId }) };
  }

  test('is not asked while the model answers', async () => {
    const { visitor, mistral, threadId } = await assisted();
    const { answer } = await ask(app, visitor, threadId, question);
    expect(answer).toMatchObject({ state: 'complete', text: answered, model: mistral.model, notes: [] });
  });

  test('answers if the provider is down, and says so', async () => {
    const { visitor, mistral, ollama, threadId } = await assisted();
    await mistral.provider.close();
    const { answer } = await ask(app, visitor, threadId, question);
    expect(answer).toMatchObject({ state: 'complete', text: answered, model: ollama.model });
    expect(answer.notes).toEqual([
      expect.stringMatching(
        `^${mistral.plain} could not answer, so the assistant’s fallback ${ollama.plain} was asked\\. .+`,
      ),
    ]);
    const today = new Date().toISOString().slice(0, 10);
    const { body } = await visitor.get(`/api/analytics?from=${today}&to=${today}`);
    expect([JSON.stringify(body).includes(ollama.model), JSON.stringify(body).includes(mistral.model)]).toEqual([
      true,
      false,
    ]);
  });

  test('answers if the credit is used up, in the provider’s own words', async () => {
    const { visitor, threadId } = await assisted('gpt-4o');
    const { answer } = await ask(app, visitor, threadId, `[[credit]] ${question}`);
    expect(answer).toMatchObject({ state: 'complete', model: 'gpt-4o' });
    expect(answer.notes).toHaveLength(1);
    expect((await asksOf(app)).at(-1)?.body.instructions).toBe('Answered by gpt-4o.');
  });

  test('answers if the connection is paused or was removed', async () => {
    const { visitor, mistral, ollama, threadId } = await assisted();
    await visitor.patch(`/api/connections/${mistral.id}`, { isPaused: true });
    const { answer } = await ask(app, visitor, threadId, question);
    expect(answer).toMatchObject({ state: 'complete', model: ollama.model });
    expect(answer.notes[0]).toContain('is paused');
    await visitor.delete(`/api/connections/${mistral.id}`);
    const { answer: later } = await ask(app, visitor, threadId, question);
    expect(later.notes[0]).toContain('was removed');
    await visitor.delete(`/api/connections/${ollama.id}`);
    const refused = await post(visitor, threadId, question);
    expect(refused.body).toMatchObject({ code: 'no_api_key', message: expect.stringContaining('was removed') });
  });

  test('fails with its own error, after the note', async () => {
    const { visitor, mistral, ollama, threadId } = await assisted();
    await mistral.provider.close();
    await ollama.provider.close();
    const { answer } = await ask(app, visitor, threadId, question);
    expect(answer).toMatchObject({ state: 'failed', text: '', model: ollama.model });
    expect(answer.error).toMatchObject({ code: 'provider_unreachable' });
    expect(answer.notes).toHaveLength(1);
  });

  test('does not stand in for a model that was chosen for one message', async () => {
    const { visitor, mistral, threadId } = await assisted();
    await mistral.provider.close();
    const { body } = await post(visitor, threadId, question, { models: [mistral.model, 'gpt-4o'] });
    await until('the failed answer', async () => {
      const answer = await messageOf(visitor, threadId, body.runs[0].messageId);
      if (answer.state === 'queued' || answer.state === 'running') return false;
      expect(answer).toMatchObject({ state: 'failed', model: mistral.model, notes: [] });
      return true;
    });
  });

  test('answers clients too, with a note in a header', async () => {
    const { visitor, mistral, ollama, assistantId } = await assisted();
    const { client } = await newClient(app, visitor, { rights: ['chat', 'assistants'] });
    const assistants = (await client.beta.assistants.list()).data;
    const [model = ''] = assistants.map(({ id }) => id);
    expect([assistants.length, assistantId > 0]).toEqual([1, true]);
    await mistral.provider.close();
    const messages = [{ role: 'user' as const, content: question }];
    const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
    expect(data).toMatchObject({ model: ollama.plain, choices: [{ message: { content: answered } }] });
    expect(response.headers.get('x-roster-note')).toContain(`fallback ${ollama.plain} was asked`);
    let streamed = '';
    for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
      streamed += chunk.choices[0]?.delta.content ?? '';
    expect(streamed).toBe(answered);
    const answer = await client.responses.create({ model, input: question });
    expect(answer).toMatchObject({ model: ollama.plain, output_text: answered });
    const run = await client.beta.threads.createAndRunPoll({ assistant_id: model, thread: { messages } });
    expect(run.status).toBe('completed');

    await ollama.provider.close();
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 502 });
    await expect(client.responses.create({ model, input: question })).rejects.toMatchObject({ status: 502 });
  });

  test('is checked like a model, removable, and counted by its connection', async () => {
    const { visitor, ollama, assistantId } = await assisted();
    const unknown = await visitor.patch(`/api/assistants/${assistantId}`, { fallbackModel: '@999999/llama' });
    expect(unknown).toMatchObject({ status: 400, body: { fields: { fallbackModel: expect.any(String) } } });
    expect((await visitor.get(`/api/connections/${ollama.id}/uses`)).body).toMatchObject({ assistants: 1 });
    const removed = await visitor.patch(`/api/assistants/${assistantId}`, { fallbackModel: null });
    expect(removed).toMatchObject({ status: 200, body: { fallbackModel: null } });
    expect((await visitor.get(`/api/connections/${ollama.id}/uses`)).body).toMatchObject({ assistants: 0 });
  });
});
