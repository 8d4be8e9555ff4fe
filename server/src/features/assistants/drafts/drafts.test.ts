import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, jsonLines, unzip } from '#server/testing/zip';

describe.each(engines)('forms that were left without saving on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const path = (assistant?: number) =>
    `/api/assistants/draft${assistant === undefined ? '' : `?assistant=${assistant}`}`;
  const keep = (visitor: HttpClient, values: object, version: number | null = null, assistant?: number) =>
    visitor.post(path(assistant), { version, values });
  const draftOf = async (visitor: HttpClient, assistant?: number) => (await visitor.get(path(assistant))).body.draft;

  test('are kept for each assistant and a new one, the last state of each', async () => {
    const { visitor } = await app.someone();
    const id = await createAssistant(visitor);
    expect([await draftOf(visitor), await draftOf(visitor, id)]).toEqual([null, null]);
    // Not valid yet: it is being typed.
    expect((await keep(visitor, { name: '', starters: [''], responseSchema: '{' })).status).toBe(204);
    expect((await keep(visitor, { name: 'Tut' })).status).toBe(204);
    expect((await keep(visitor, { instructions: 'x'.repeat(256_000) }, 1, id)).status).toBe(204);
    expect(await draftOf(visitor)).toMatchObject({ assistantId: null, version: null, values: { name: 'Tut' } });
    const ofAssistant = await draftOf(visitor, id);
    expect([ofAssistant.version, ofAssistant.values.instructions.length]).toEqual([1, 256_000]);

    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const files = unzip(Buffer.from(await body.arrayBuffer()));
    expect(jsonLines(files.get('assistant-drafts.jsonl'))).toMatchObject([
      { assistantId: null, values: { name: 'Tut' } },
      { assistantId: id, version: 1 },
    ]);

    expect((await visitor.delete(path())).status).toBe(204);
    expect(await draftOf(visitor)).toBeNull();
    await visitor.delete(`/api/assistants/${id}`);
    expect((await visitor.get(path(id))).status).toBe(404);
  });

  test('belong to one person, who may edit', async () => {
    const [{ visitor: ada }, { visitor: bob, email }] = [await app.someone(), await app.someone()];
    const id = await createAssistant(ada);
    await keep(ada, { name: 'Secret' });
    await keep(ada, { name: 'Secret' }, 1, id);
    expect(await draftOf(bob)).toBeNull();
    expect((await bob.get(path(id))).status).toBe(404);
    expect((await keep(bob, { name: 'Mine' }, 1, id)).status).toBe(404);
    expect((await bob.delete(path(id))).status).toBe(404);
    await bob.delete(path());
    expect(await draftOf(ada)).toMatchObject({ values: { name: 'Secret' } });
    await setUser(app, email, { role: 'Viewer' });
    expect((await keep(bob, { name: 'Mine' })).status).toBe(403);
  });

  test.each([
    [{ unknown: 1 }],
    [{ name: 5 }],
    [{ starters: 'one' }],
    [{ temperature: 'warm' }],
    [{ tools: { unknown: {} } }],
  ])('refuses what no form holds (%#)', async (values) => {
    const { visitor } = await app.someone();
    expect((await keep(visitor, values)).body.code).toBe('invalid_input');
    expect(await draftOf(visitor)).toBeNull();
  });

  test('refuses a version that no database can hold', async () => {
    const { visitor } = await app.someone();
    for (const version of [0, -1, 1.5, 2 ** 31, Number.MAX_SAFE_INTEGER])
      expect((await keep(visitor, { name: 'Tutor' }, version)).body.code).toBe('invalid_input');
  });

  test('refuses more than two megabytes', async () => {
    const { visitor } = await app.someone();
    expect((await keep(visitor, { instructions: 'x'.repeat(2 * 1024 * 1024) })).body.code).toBe('too_large');
    expect(await draftOf(visitor)).toBeNull();
  });
});
