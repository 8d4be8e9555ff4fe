import type { Message, Run } from '@roster/contracts/chat';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import {
  ask,
  asksOf,
  clientId,
  forgetAsks,
  messageOf,
  messagesOf,
  newThread,
  post,
  sendMessage,
  titleAsksOf,
  until,
} from '#server/testing/chat';
import { readEvents } from '#server/testing/events';
import { withFault } from '#server/testing/faults';
import type { HttpClient } from '#server/testing/http-client';

const three = ['gpt-5.5', 'gpt-4.1', 'gpt-4o-mini'];

describe.each(engines)('the models of a conversation on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    await ada.get('/api/models');
  });
  afterAll(() => app.stop());

  const change = (threadId: number, changes: Record<string, unknown>) => ada.patch(`/api/threads/${threadId}`, changes);
  const stop = (runId: number) => ada.post(`/api/runs/${runId}/stop`);
  const answersTo = async (messageId: number): Promise<Message[]> =>
    (await ada.get(`/api/messages/${messageId}/answers`)).body.items;
  async function askAll(threadId: number, message: string, models: string[], more: Record<string, unknown> = {}) {
    const { status, body } = await post(ada, threadId, message, { models, ...more });
    expect([status, body.code]).toEqual([202, undefined]);
    const runs: Run[] = body.runs;
    for (const run of runs) await readEvents(app, ada, run.id);
    return { message: body.message as Message, runs };
  }

  test('uses a chosen model from the next message on', async () => {
    const threadId = await newThread(ada, { model: 'gpt-5.5' });
    expect((await ada.get(`/api/threads/${threadId}`)).body).toMatchObject({ model: 'gpt-5.5', assistantId: null });
    expect((await ask(app, ada, threadId, 'One')).answer.model).toBe('gpt-5.5');
    expect((await change(threadId, { model: 'gpt-4.1' })).body.model).toBe('gpt-4.1');
    expect((await ask(app, ada, threadId, 'Two')).answer.model).toBe('gpt-4.1');
    expect((await change(threadId, { model: null })).body.model).toBeNull();
    expect((await ask(app, ada, threadId, 'Three')).answer.model).toBe('gpt-4o');
    expect((await asksOf(app)).slice(-3).map(({ body }) => body.model)).toEqual(['gpt-5.5', 'gpt-4.1', 'gpt-4o']);
  });

  test('replaces an assistant by a model and back; rejects both at once', async () => {
    const assistantId = await createAssistant(ada, { name: 'Finch', model: 'gpt-4o-mini' });
    const threadId = await newThread(ada, { model: 'gpt-5.5' });
    expect((await change(threadId, { assistantId })).body).toMatchObject({ assistantId, model: null });
    expect((await ask(app, ada, threadId, 'Hello')).answer.model).toBe('gpt-4o-mini');
    expect((await change(threadId, { model: 'gpt-5.5' })).body).toMatchObject({ assistantId: null, model: 'gpt-5.5' });
    for (const both of [
      await change(threadId, { assistantId, model: 'gpt-4o' }),
      await ada.post('/api/threads', { assistantId, model: 'gpt-4o' }),
    ])
      expect([both.status, both.body.fields]).toEqual([400, { model: 'Choose an assistant or a model, not both' }]);
  });

  test('rejects a model that is missing from the list; accepts any while the list is unknown', async () => {
    const threadId = await newThread(ada);
    const message = 'Model gpt-99 is not among the models your API key can use';
    for (const refused of [
      await ada.post('/api/threads', { model: 'gpt-99' }),
      await change(threadId, { model: 'gpt-99' }),
    ])
      expect([refused.status, refused.body.fields]).toEqual([400, { model: message }]);
    const several = await post(ada, threadId, 'Hello', { models: ['gpt-4o', 'gpt-99'] });
    expect([several.status, several.body.fields]).toEqual([400, { models: message }]);
    const carol = await app.as('carol');
    for (const model of ['gpt-99', 'x'.repeat(200)])
      expect((await carol.post('/api/threads', { model })).status).toBe(201);
    for (const model of ['', '  ', 'x'.repeat(201)])
      expect((await carol.post('/api/threads', { model })).status).toBe(400);
  });

  test('lets several models answer in parallel, and continues with one of them', async () => {
    await forgetAsks(app);
    const threadId = await newThread(ada);
    const { message, runs } = await askAll(threadId, 'Who was first?', three);
    const ids = runs.map(({ messageId }) => messageId);
    const shown = await messagesOf(ada, threadId);
    expect(shown.map(({ id }) => id)).toEqual([message.id, ids[0]]);
    expect(shown[1]).toMatchObject({ siblings: ids, together: ids });
    expect(shown[0]?.together).toEqual([]);
    for (const at of [message.id, ids[1] ?? 0]) {
      const answers = await answersTo(at);
      expect(
        answers.map(({ id, model, state, parentId, usage }) => [
          id,
          model,
          state,
          parentId,
          usage?.outputTokens !== undefined,
        ]),
      ).toEqual(three.map((model, index) => [ids[index], model, 'complete', message.id, true]));
    }
    expect((await asksOf(app)).map(({ body }) => [body.model, body.input.length]).toSorted()).toEqual(
      three.map((model) => [model, 1]).toSorted(),
    );
    await until('the title', async () => (await ada.get(`/api/threads/${threadId}`)).body.title !== 'Who was first?');
    const next = await ask(app, ada, threadId, 'And then?', { parentId: ids[2] });
    expect((await messagesOf(ada, threadId)).map(({ id }) => id)).toEqual([
      message.id,
      ids[2],
      next.message.id,
      next.answer.id,
    ]);
    expect(next.answer.together).toEqual([]);
    expect(await titleAsksOf(app)).toHaveLength(1);
    // A regenerated answer is not one of the parallel ones.
    await change(threadId, { shownMessageId: ids[0] });
    const again = await ada.post(`/api/messages/${message.id}/regenerate`, { model: 'gpt-5-mini' });
    await readEvents(app, ada, again.body.run.id);
    expect((await answersTo(message.id)).map(({ model, together }) => [model, together.length])).toEqual([
      ...three.map((model) => [model, 3]),
      ['gpt-5-mini', 0],
    ]);
    const { body } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(body.messages.map(({ model }: Message) => model)).toEqual([null, ...three, null, 'gpt-4o', 'gpt-5-mini']);
  });

  test('reports the chosen answer everywhere, also if it is the first', async () => {
    const threadId = await newThread(ada);
    const { message, runs } = await askAll(threadId, 'Which one?', three);
    const [first = 0, second = 0, third = 0] = runs.map(({ messageId }) => messageId);
    const end = async () => (await messagesOf(ada, threadId)).map(({ id, chosenId }) => [id, chosenId]);
    expect(await end()).toEqual([
      [message.id, null],
      [first, null],
    ]);
    for (const id of [first, second]) {
      await change(threadId, { shownMessageId: id });
      expect(await end()).toEqual([
        [message.id, null],
        [id, id],
      ]);
      expect((await answersTo(message.id)).map(({ chosenId }) => chosenId)).toEqual([id, id, id]);
    }
    // After returning from another version of the question, the chosen answer is shown.
    await ask(app, ada, threadId, 'Which one, please?', { parentId: null });
    await change(threadId, { shownMessageId: message.id });
    expect(await end()).toEqual([
      [message.id, null],
      [second, second],
    ]);
    const bob = await app.withKey('bob');
    expect((await bob.patch(`/api/threads/${threadId}`, { shownMessageId: third })).status).toBe(404);
    // A later answer is not one of them and does not change the choice.
    const again = await ada.post(`/api/messages/${message.id}/regenerate`, {});
    await readEvents(app, ada, again.body.run.id);
    await change(threadId, { shownMessageId: again.body.message.id });
    expect((await answersTo(message.id)).map(({ chosenId }) => chosenId)).toEqual([second, second, second, null]);
    const { body } = await ada.get(`/api/threads/${threadId}/export?format=json`);
    expect(body.messages.filter(({ chosen }: { chosen?: true }) => chosen)).toMatchObject([{ id: second }]);
  });

  test("sends the assistant's instructions to each model, with the parameters it supports", async () => {
    const assistantId = await createAssistant(ada, {
      name: 'Wren',
      model: 'gpt-4o',
      temperature: 0.3,
      instructions: 'Sing.',
    });
    const threadId = await newThread(ada, { assistantId });
    await forgetAsks(app);
    await askAll(threadId, 'A song', ['gpt-4.1', 'gpt-5.5']);
    const requests = (await asksOf(app)).map(({ body }) => [body.model, body.instructions, body.temperature]);
    expect(requests.toSorted()).toEqual([
      ['gpt-4.1', 'Sing.', 0.3],
      ['gpt-5.5', 'Sing.', undefined],
    ]);
  });

  test('counts parallel answers as one thread for the limits', async () => {
    const elsewhere = [
      await sendMessage(ada, await newThread(ada), '[[hang]]'),
      await sendMessage(ada, await newThread(ada), '[[hang]]'),
    ];
    const threadId = await newThread(ada);
    const once = { clientId: clientId(), models: [...three, 'gpt-4o'] };
    const { status, body } = await post(ada, threadId, '[[hang]] All four', once);
    expect([status, body.runs.length, body.run]).toEqual([202, 4, body.runs[0]]);
    const again = await post(ada, threadId, '[[hang]] All four', once);
    expect([again.status, again.body.runs.map(({ id }: Run) => id)]).toEqual([202, body.runs.map(({ id }: Run) => id)]);
    const [first, second, ...others]: Run[] = body.runs;
    expect((await ada.get(`/api/threads/${threadId}`)).body.runId).toBe(first?.id);
    await stop(first?.id ?? 0);
    // Only this one.
    const states = async () => (await answersTo(body.message.id)).map(({ state }) => state === 'stopped');
    expect(await states()).toEqual([true, false, false, false]);
    const listed = (await ada.get('/api/threads')).body.items.find(({ id }: { id: number }) => id === threadId);
    expect(listed.runId).toBe(second?.id);
    expect((await post(ada, threadId, 'Another')).body.code).toBe('run_in_progress');
    expect((await post(ada, await newThread(ada), 'Elsewhere')).body.code).toBe('too_many_runs');
    await change(threadId, { shownMessageId: others[1]?.messageId });
    expect((await ada.get(`/api/threads/${threadId}`)).body.runId).toBe(others[1]?.id);
    for (const run of [second, ...others, ...elsewhere.map((sent) => sent.run)]) await stop(run?.id ?? 0);
    expect(await states()).toEqual([true, true, true, true]);
    expect((await ada.get(`/api/threads/${threadId}`)).body.runId).toBeNull();
  });

  test('keeps the other answers when one fails', async () => {
    const threadId = await newThread(ada);
    await withFault(app, { fail: 'model_not_found' }, { path: '/responses', model: 'gpt-4.1' }, async () => {
      const { message } = await askAll(threadId, 'Hello', three);
      expect((await answersTo(message.id)).map(({ state }) => state)).toEqual(['complete', 'failed', 'complete']);
    });
  });

  test('rejects one model, five models, and duplicates, and stores nothing', async () => {
    const threadId = await newThread(ada);
    for (const models of [[], ['gpt-4o'], [...three, 'gpt-4o', 'gpt-5'], ['gpt-4o', 'gpt-4o'], ['gpt-4o', ' ']])
      expect((await post(ada, threadId, 'Hello', { models })).status).toBe(400);
    expect(await messagesOf(ada, threadId)).toEqual([]);
  });

  test('rejects a client id that is reused for another request', async () => {
    const threadId = await newThread(ada);
    const once = { clientId: clientId() };
    const { message, answer } = await ask(app, ada, threadId, 'First', once);
    const others = [
      await post(ada, threadId, 'Second', once),
      await post(ada, await newThread(ada), 'First', once),
      await post(ada, threadId, 'First', { ...once, models: three }),
      await post(ada, threadId, 'First', { ...once, parentId: answer.id }),
      await ada.post(`/api/messages/${answer.id}/regenerate`, once),
    ];
    for (const { status, body } of others) expect([status, body.code]).toEqual([409, 'client_id_used']);
    const again = { clientId: clientId() };
    const regenerated = await ada.post(`/api/messages/${answer.id}/regenerate`, again);
    await readEvents(app, ada, regenerated.body.run.id);
    const other = await ada.post(`/api/messages/${answer.id}/regenerate`, { ...again, model: 'gpt-4.1' });
    expect([other.status, other.body.code]).toEqual([409, 'client_id_used']);
    expect((await ada.post(`/api/messages/${answer.id}/regenerate`, again)).body.run.id).toBe(regenerated.body.run.id);
    expect((await post(ada, threadId, 'First', { ...once, overBudget: true })).body.message).toEqual(message);
    expect((await messageOf(ada, threadId, answer.id)).siblings).toHaveLength(2);
  });
});
