import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, newThread, until } from '#server/testing/chat';
import { comparisonOf, comparisonsPath, startOf } from '#server/testing/comparisons';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

describe.each(engines)('a draft next to the current version on %s', (engine) => {
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const someone = () => app.withKey(`person${++people}`);
  const tutor = { name: 'Tutor', model: 'gpt-4o', instructions: 'Be long.', temperature: 0.5 };
  const changes = { instructions: 'Be brief.', temperature: 0.1, model: 'gpt-4o-mini', name: 'Brief tutor' };
  const drafted = (visitor: HttpClient, assistantId: number, more: object = {}) =>
    visitor.post(`/api/assistants/${assistantId}/comparisons`, {
      changes,
      questions: ['What is a parrot? [[delay 0]]'],
      ...more,
    });

  test('asks the same questions, each side with its settings, and is saved as compared', async () => {
    const ada = await someone();
    const id = await createAssistant(ada, tutor);
    const { status, body: made } = await drafted(ada, id);
    expect([status, made]).toEqual([
      201,
      expect.objectContaining({
        kind: 'draft',
        title: 'Tutor: draft and version 1',
        assistant: { id, name: 'Tutor' },
        candidate: expect.objectContaining({ model: 'gpt-4o-mini', instructions: 'Be brief.', assistantVersion: null }),
        baseline: expect.objectContaining({ model: 'gpt-4o', instructions: 'Be long.', assistantVersion: 1 }),
      }),
    ]);
    await forgetAsks(app);
    await startOf(ada, made.id);
    await until('The end', async () => (await comparisonOf(ada, made.id)).state === 'idle');
    const requests = (await asksOf(app)).map(({ body }) => [body.model, body.instructions, body.temperature]);
    expect(requests.sort()).toEqual([
      ['gpt-4o', 'Be long.', 0.5],
      ['gpt-4o-mini', 'Be brief.', 0.1],
    ]);
    expect((await ada.get(`${comparisonsPath}/${made.id}/draft`)).body).toEqual({
      assistantId: id,
      version: 1,
      changes,
    });
    const { status: saved, body: assistant } = await ada.post(`${comparisonsPath}/${made.id}/draft/save`);
    expect([saved, assistant]).toEqual([200, expect.objectContaining({ ...changes, id, version: 2 })]);
    const { body } = await beginDownload(app, ada, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(jsonLines(files.get('comparisons.jsonl'))).toMatchObject([
      { kind: 'draft', assistantId: id, draft: changes },
    ]);
  });

  test('is not saved over later changes', async () => {
    const ada = await someone();
    const id = await createAssistant(ada, tutor);
    const { body: made } = await drafted(ada, id);
    await ada.patch(`/api/assistants/${id}`, { description: 'Meanwhile' });
    const { status, body } = await ada.post(`${comparisonsPath}/${made.id}/draft/save`);
    expect([status, body.code, body.message]).toEqual([
      409,
      'conflict',
      'The assistant has changed: you edited version 1, and it is now at version 2. Nothing was saved.',
    ]);
    const [assistant] = (await ada.get('/api/assistants')).body;
    expect(assistant).toMatchObject({ instructions: 'Be long.', description: 'Meanwhile', version: 2 });
  });

  test('offers the latest questions of its own conversations, each once', async () => {
    const [ada, bob] = [await someone(), await someone()];
    const id = await createAssistant(ada, tutor);
    const threadId = await newThread(ada, { assistantId: id });
    for (const text of ['First [[delay 0]]', 'Second [[delay 0]]', 'First [[delay 0]]'])
      await ask(app, ada, threadId, text);
    await ask(app, ada, await newThread(ada), 'Elsewhere [[delay 0]]');
    await drafted(ada, id);
    const { body } = await ada.get(`/api/assistants/${id}/latest-questions`);
    expect(body.map(({ text }: { text: string }) => text)).toEqual(['First [[delay 0]]', 'Second [[delay 0]]']);
    expect((await bob.get(`/api/assistants/${id}/latest-questions`)).status).toBe(404);
    expect((await drafted(bob, id)).status).toBe(404);
  });

  test.each([
    [{ questions: [] }, 'Enter or choose at least one question'],
    [{ questions: [' '] }, 'A question is required'],
    [{ questions: Array.from({ length: 21 }, () => 'x') }, 'At most 20 questions'],
    [{ questions: ['x'.repeat(10_001)] }, 'A question cannot exceed 10000 characters'],
    [{ changes: { instructions: 'x'.repeat(1_501) } }, 'Instructions cannot exceed 1500 characters'],
    [{ changes: { model: 'nobodys-model' } }, 'not among the models'],
    [{ changes: { unknown: 1 } }, ''],
  ])('refuses changes that could not be compared or saved (%#)', async (wrong, message) => {
    const ada = await someone();
    const id = await createAssistant(ada, tutor);
    const { status, body } = await drafted(ada, id, wrong);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(JSON.stringify(body)).toContain(message);
    expect((await ada.get(comparisonsPath)).body.items).toEqual([]);
  });
});
