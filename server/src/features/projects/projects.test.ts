import { projectsPerUser } from '@roster/contracts/projects/projects';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, forgetAsks, newThread, until } from '#server/testing/chat';
import type { HttpClient } from '#server/testing/http-client';

const path = '/api/projects';

describe.each(engines)('projects on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let bob: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    bob = await app.withKey('bob');
  });
  afterAll(() => app.stop());

  async function newProject(visitor: HttpClient, draft: object = {}) {
    const { status, body } = await visitor.post(path, { name: 'Garden', ...draft });
    expect(status, JSON.stringify(body)).toBe(201);
    return body;
  }
  const idsIn = async (projectId: number): Promise<number[]> =>
    (await ada.get(`${path}/${projectId}/threads`)).body.items.map(({ id }: { id: number }) => id);

  test('saves, lists, changes, archives and deletes a project', async () => {
    const visitor = (await app.someone()).visitor;
    const made = await newProject(visitor, { name: ' Garden\tPlan ', icon: 'book', color: 'green' });
    expect(made).toMatchObject({ name: 'Garden Plan', icon: 'book', color: 'green', instructions: '' });
    expect((await visitor.get(`${path}/${made.id}`)).body).toEqual(made);
    expect((await visitor.get(path)).body).toEqual({ items: [made] });
    const { body: archived } = await visitor.patch(`${path}/${made.id}`, { name: 'Herbs', archived: true });
    expect(archived).toMatchObject({ name: 'Herbs', icon: 'book', archivedAt: expect.stringMatching(/^20/) });
    const { body: back } = await visitor.patch(`${path}/${made.id}`, { archived: false });
    expect(back).toMatchObject({ name: 'Herbs', archivedAt: null });
    expect((await visitor.delete(`${path}/${made.id}`)).status).toBe(204);
    expect((await visitor.get(`${path}/${made.id}`)).status).toBe(404);
    expect((await visitor.delete(`${path}/${made.id}`)).status).toBe(404);
  });

  test('refuses wrong names, long instructions, two defaults and a 201st project', async () => {
    const { visitor } = await app.someone();
    const fields = async (wrong: object) => (await visitor.post(path, { name: 'Good', ...wrong })).body.fields;
    expect(await fields({ name: ' ' })).toEqual({ name: 'Name is required' });
    expect(await fields({ name: 'x'.repeat(81) })).toEqual({ name: 'Name cannot exceed 80 characters' });
    expect(await fields({ instructions: 'x'.repeat(8_001) })).toEqual({
      instructions: 'Instructions cannot exceed 8000 characters',
    });
    expect(await fields({ assistantId: 999_999 })).toEqual({ assistantId: 'This assistant does not exist.' });
    expect((await visitor.post(path, { name: 'Both', assistantId: 1, model: 'gpt-4o' })).status).toBe(400);
    for (let made = 0; made < projectsPerUser; made++) await newProject(visitor);
    expect((await visitor.post(path, { name: 'One more' })).status).toBe(409);
  });

  test('sends its instructions after the assistant’s, and alone without an assistant', async () => {
    const assistantId = await createAssistant(ada, { model: 'gpt-4o', instructions: 'Be a gardener.' });
    const { id: projectId } = await newProject(ada, { instructions: 'Plan for May.', assistantId });
    const inProject = await newThread(ada, { projectId, title: 'Named' });
    await forgetAsks(app);
    await ask(app, ada, inProject, 'A question');
    const alone = await newThread(ada, { projectId, model: 'gpt-4o', title: 'Named' });
    await ask(app, ada, alone, 'A question');
    await ada.post(`${path}/move`, { ids: [inProject], projectId: null });
    await ask(app, ada, inProject, 'Another');
    expect((await asksOf(app)).map(({ body }) => body.instructions)).toEqual([
      'Be a gardener.\n\nPlan for May.',
      'Plan for May.',
      'Be a gardener.',
    ]);
  });

  test('answers a new conversation with its assistant or model unless another is chosen', async () => {
    const { id: projectId } = await newProject(ada, { model: 'gpt-4o' });
    const start = async (draft: object) => (await ada.post('/api/threads', { projectId, ...draft })).body;
    expect(await start({})).toMatchObject({ projectId, model: 'gpt-4o', assistantId: null });
    expect(await start({ model: 'gpt-4o-mini' })).toMatchObject({ projectId, model: 'gpt-4o-mini' });
    const assistantId = await createAssistant(ada, { model: 'gpt-4o' });
    const { body } = await ada.patch(`${path}/${projectId}`, { assistantId });
    expect(body).toMatchObject({ assistantId, model: null });
    expect(await start({})).toMatchObject({ assistantId, model: null });
  });

  test('moves conversations in and out, and lists them in pages', async () => {
    const { id: projectId } = await newProject(ada);
    const ids = [await newThread(ada, {}), await newThread(ada, {}), await newThread(ada, {})];
    const { body: moved } = await ada.post(`${path}/move`, { ids: [...ids, 999_999], projectId });
    expect(moved).toEqual({ changed: ids, missing: [999_999] });
    expect((await ada.get(`/api/threads/${ids[0]}`)).body.projectId).toBe(projectId);
    const { body: first } = await ada.get(`${path}/${projectId}/threads?limit=2`);
    const { body: second } = await ada.get(`${path}/${projectId}/threads?limit=2&cursor=${first.nextCursor}`);
    const paged = [...first.items, ...second.items].map(({ id }: { id: number }) => id);
    expect([first.items.length, paged, second.nextCursor]).toEqual([2, ids.toReversed(), null]);
    await ada.post(`${path}/move`, { ids: ids.slice(0, 2), projectId: null });
    expect(await idsIn(projectId)).toEqual(ids.slice(2));
    expect((await ada.get(`/api/threads/${ids[0]}`)).body).not.toHaveProperty('projectId');
  });

  test('filters conversations and sums their cost by the project they are in now', async () => {
    const { visitor } = await app.someone();
    const { id: projectId } = await newProject(visitor);
    const inside = await newThread(visitor, { projectId, model: 'gpt-4o', title: 'Roses' });
    const outside = await newThread(visitor, { model: 'gpt-4o', title: 'Roses' });
    for (const threadId of [inside, outside]) await ask(app, visitor, threadId, 'A question');
    for (const query of [`project=${projectId}`, `project=${projectId}&q=roses`]) {
      const { body } = await visitor.get(`/api/threads?${query}`);
      expect(body.items.map(({ id }: { id: number }) => id)).toEqual([inside]);
    }
    const today = new Date().toISOString().slice(0, 10);
    const range = `from=${today.slice(0, 7)}-01&to=${today}`;
    const { body: before } = await visitor.get(`/api/analytics/projects?${range}`);
    expect(before.items).toMatchObject([{ project: { id: projectId, name: 'Garden' }, requests: 1 }]);
    expect(before.items[0].costUsd).toBeGreaterThan(0);
    const { body: requests } = await visitor.get(`/api/analytics/requests?${range}&projectId=${projectId}`);
    expect(requests.items.map(({ thread }: { thread: { id: number } }) => thread.id)).toEqual([inside]);
    await visitor.post(`${path}/move`, { ids: [outside], projectId });
    const { body: after } = await visitor.get(`/api/analytics/projects?${range}`);
    expect(after.items[0]).toMatchObject({ requests: 2 });
    expect((await visitor.get(`${path}/${projectId}`)).body.conversations).toBe(2);
    expect((await bob.get(`/api/analytics/projects?${range}`)).body.items).toEqual([]);
    expect((await bob.get(`/api/threads?project=${projectId}`)).body.items).toEqual([]);
    expect((await bob.get(`/api/analytics/requests?${range}&projectId=${projectId}`)).body.items).toEqual([]);
  });

  test('leaves its instructions out of API runs, whose client names its own', async () => {
    const { visitor } = await app.someone();
    const { id: projectId } = await newProject(visitor, { instructions: 'Plan for May.' });
    const { token } = await newToken(visitor);
    const call = (route: string, body: object) =>
      callApi(app, token, `/v1/${route}`, { method: 'POST', headers: { 'openai-beta': 'assistants=v2' }, body });
    const { body: assistant } = await call('assistants', { model: 'gpt-4.1', instructions: 'Be brief.' });
    const { body: thread } = await call('threads', { messages: [{ role: 'user', content: 'A question' }] });
    const { body: listed } = await visitor.get('/api/threads?programs=true');
    await visitor.post(`${path}/move`, { ids: [listed.items[0].id], projectId });
    await forgetAsks(app);
    await call(`threads/${thread.id}/runs`, { assistant_id: assistant.id });
    await until('The request', async () => (await asksOf(app)).length > 0);
    expect((await asksOf(app))[0]?.body.instructions).toBe('Be brief.');
  });

  test('keeps its conversations when it is deleted, or moves them to the trash', async () => {
    for (const [conversations, status] of [
      ['keep', 200],
      ['trash', 404],
    ] as const) {
      const { id: projectId } = await newProject(ada);
      const threadId = await newThread(ada, { projectId });
      expect((await ada.delete(`${path}/${projectId}?conversations=${conversations}`)).status).toBe(204);
      expect((await ada.get(`/api/threads/${threadId}`)).status, conversations).toBe(status);
      if (status === 404) await ada.post(`/api/trash/${threadId}/restore`);
      expect((await ada.get(`/api/threads/${threadId}`)).body, conversations).not.toHaveProperty('projectId');
    }
  });

  test('moves and starts nothing in the project, or of the conversations, of another user', async () => {
    const { id: adas } = await newProject(ada);
    const { id: bobs } = await newProject(bob);
    const threadId = await newThread(ada, { projectId: adas });
    expect((await bob.post(`${path}/move`, { ids: [threadId], projectId: bobs })).body).toEqual({
      changed: [],
      missing: [threadId],
    });
    const own = await newThread(bob, {});
    expect((await bob.post(`${path}/move`, { ids: [own], projectId: adas })).status).toBe(404);
    expect((await bob.post('/api/threads', { projectId: adas })).status).toBe(404);
    expect((await bob.delete(`${path}/${adas}?conversations=trash`)).status).toBe(404);
    expect(await idsIn(adas)).toEqual([threadId]);
  });
});
