import type { ProjectFile } from '@roster/contracts/projects/projects';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, asksOf, newThread, until } from '#server/testing/chat';
import { fileOf, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { makeDue, storesOf, untilIndexed } from '#server/testing/knowledge';

describe.each(engines)('files of projects on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  async function withProject(draft: object = {}) {
    const { visitor, key } = await app.someone();
    const { body } = await visitor.post('/api/projects', { name: 'Garden', ...draft });
    return { visitor, key, projectId: Number(body.id) };
  }
  const put = async (visitor: HttpClient, filename: string) =>
    (await uploaded(app, visitor, { filename, content: filename })).id;
  const filesOf = async (visitor: HttpClient, projectId: number): Promise<ProjectFile[]> =>
    (await visitor.get(`/api/projects/${projectId}/files`)).body;
  const add = (visitor: HttpClient, projectId: number, ...fileIds: number[]) =>
    visitor.post(`/api/projects/${projectId}/files`, { fileIds });

  /** After the time that the provider takes to index. */
  async function untilStates(visitor: HttpClient, projectId: number, ...states: string[]) {
    const headers = { 'content-type': 'application/json' };
    const advance = { method: 'POST', headers, body: JSON.stringify({ advanceMs: 10_000 }) } as const;
    await until(`The states ${states.join(', ')}`, async () => {
      await (await request(`${app.provider.origin}/__simulator/clock`, advance)).body.dump();
      await makeDue(app);
      return (await filesOf(visitor, projectId)).map(({ state }) => state).join() === states.join();
    });
  }
  const untilStoreCount = (key: string, count: number) =>
    until(`${count} vector stores`, async () => {
      await makeDue(app);
      return (await storesOf(app, key)).length === count;
    });
  const searchedIn = async () => (await asksOf(app)).at(-1)?.body.tools;

  test('searches them in each conversation of the project, and nowhere else', async () => {
    const { visitor, key, projectId } = await withProject({ model: 'gpt-4o' });
    const fileId = await put(visitor, 'beds.pdf');
    expect((await add(visitor, projectId, fileId, fileId)).body).toMatchObject([{ fileId, filename: 'beds.pdf' }]);
    expect((await add(visitor, projectId, fileId)).body).toHaveLength(1);
    const threadId = await newThread(visitor, { projectId, title: 'Named' });
    const early = await ask(app, visitor, threadId, 'What do the files say?');
    expect(early.answer.notes).toEqual(['One file of this project is still being indexed and was not searched.']);
    await untilStates(visitor, projectId, 'ready');
    const [store] = await storesOf(app, key);
    const { answer } = await ask(app, visitor, threadId, 'What do the files say?');
    expect(await searchedIn()).toEqual([{ type: 'file_search', vector_store_ids: [store?.id] }]);
    expect([answer.sources, answer.notes]).toEqual([['beds.pdf'], []]);
    expect((await fileOf(visitor, fileId))?.usedBy).toBe(1);
    expect((await visitor.get(`/api/projects/${projectId}`)).body.files).toBe(1);
    const outside = await newThread(visitor, { model: 'gpt-4o', title: 'Named' });
    await ask(app, visitor, outside, 'What do the files say?');
    expect(await searchedIn()).toBeUndefined();
  });

  test('searches them together with the files of the assistant', async () => {
    const { visitor, key, projectId } = await withProject();
    const assistantId = await createAssistant(visitor, { model: 'gpt-4o' });
    const [own, shared] = [await put(visitor, 'own.md'), await put(visitor, 'shared.md')];
    await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds: [own] });
    await add(visitor, projectId, shared);
    await untilStates(visitor, projectId, 'ready');
    await untilIndexed(app, visitor, assistantId, ['ready']);
    const threadId = await newThread(visitor, { projectId, assistantId, title: 'Named' });
    await ask(app, visitor, threadId, 'What do the files say?');
    const stores = (await storesOf(app, key)).map(({ id }) => id);
    const [tool] = await searchedIn();
    expect(tool.vector_store_ids.toSorted()).toEqual(stores.toSorted());
    expect(stores).toHaveLength(2);
  });

  test('removes the store at the provider with the last file, and with the project', async () => {
    const { visitor, key, projectId } = await withProject();
    const fileId = await put(visitor, 'beds.md');
    await add(visitor, projectId, fileId);
    await untilStates(visitor, projectId, 'ready');
    expect((await visitor.delete(`/api/projects/${projectId}/files/${fileId}`)).status).toBe(204);
    expect((await visitor.delete(`/api/projects/${projectId}/files/${fileId}`)).status).toBe(404);
    await untilStoreCount(key, 0);
    await add(visitor, projectId, fileId);
    await untilStates(visitor, projectId, 'ready');
    expect((await visitor.delete(`/api/projects/${projectId}`)).status).toBe(204);
    await untilStoreCount(key, 0);
    expect((await fileOf(visitor, fileId))?.usedBy).toBe(0);
  });

  test('refuses what cannot be searched or does not exist, and more than 100 files', async () => {
    const { visitor, projectId } = await withProject();
    const { visitor: other } = await withProject();
    const table = await put(visitor, 'prices.csv');
    expect((await add(visitor, projectId, table)).body).toMatchObject([{ state: 'failed' }]);
    expect((await visitor.post(`/api/projects/${projectId}/files/${table}/retry`)).status).toBe(415);
    expect((await add(visitor, projectId, await put(other, 'theirs.md'))).status).toBe(404);
    expect((await add(visitor, projectId)).body.fields).toEqual({ fileIds: 'Please select at least one file' });
    const many = await add(visitor, projectId, ...Array.from({ length: 101 }, (_, index) => index + 1));
    expect(many.body.fields).toEqual({ fileIds: 'A project can have at most 100 files' });
    expect((await add(other, projectId, table)).status).toBe(404);
    expect((await other.get(`/api/projects/${projectId}/files`)).status).toBe(404);
  });

  test('waits for a provider key, and goes on when it is saved', async () => {
    const visitor = await app.as('keyless');
    const { body } = await visitor.post('/api/projects', { name: 'Garden' });
    await add(visitor, body.id, await put(visitor, 'beds.md'));
    await until('The reason', async () => {
      await makeDue(app);
      return (await filesOf(visitor, body.id))[0]?.error?.includes('once you add your API key');
    });
    await visitor.post('/api/settings/apikey', { apiKey: goodKey });
    await untilStates(visitor, body.id, 'ready');
  });
});
