import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { ModelMigration } from '@roster/contracts/assistants/model-migrations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, newThread } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { startToolServer } from '#server/testing/tool-peer';
import { addToolServer, chooseAll } from '#server/testing/tool-servers';

/** Accepts no temperature and no effort `none` or `minimal`. */
const plain = 'gpt-6.1-sol';

describe.each(engines)('migrations of assistants on %s', (engine) => {
  let app: TestApp;
  let peer: Awaited<ReturnType<typeof startToolServer>>;
  beforeAll(async () => {
    peer = await startToolServer();
    app = await startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
  });
  afterAll(async () => {
    await app.stop();
    await peer.close();
  });

  const someone = async () => (await app.someone()).visitor;
  const move = (visitor: HttpClient, body: object = {}) =>
    visitor.post('/api/assistants/move', { fromModel: 'gpt-4o', toModel: plain, ...body });
  const undo = (visitor: HttpClient, id: number) => visitor.post(`/api/assistants/move/${id}/undo`);
  const planned = (visitor: HttpClient, fromModel = 'gpt-4o', toModel = plain) =>
    visitor.get(`/api/assistants/move?${new URLSearchParams({ fromModel, toModel })}`);
  const change = (visitor: HttpClient, id: number, changes: object) => visitor.patch(`/api/assistants/${id}`, changes);
  const assistant = async (visitor: HttpClient, id: number): Promise<Assistant> =>
    (await visitor.get('/api/assistants?limit=200')).body.find((one: Assistant) => one.id === id);
  const newest = async (visitor: HttpClient, id: number) =>
    (await visitor.get(`/api/assistants/${id}/versions?limit=1`)).body[0];
  const moves = async (visitor: HttpClient): Promise<ModelMigration[]> =>
    (await visitor.get('/api/assistants/moves')).body;

  test('migrate all assistants of a model, each with a version of its own', async () => {
    const ada = await someone();
    const other = await createAssistant(ada, { name: 'Other', model: 'gpt-4.1' });
    const pinned = await createAssistant(ada, { name: 'Pinned', model: 'gpt-4o-2024-08-06' });
    const first = await createAssistant(ada, { name: 'First', instructions: 'Be patient.' });
    const second = await createAssistant(ada, { name: 'Second' });
    const file = await uploaded(app, ada, { filename: 'notes.txt', content: 'Notes' });
    await ada.post(`/api/assistants/${first}/files`, { fileIds: [file.id] });
    const server = await addToolServer(ada, peer.url, { name: 'Wiki' });
    await chooseAll(ada, first, server.id);
    const before = await assistant(ada, first);

    const { status, body } = await move(ada);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...{ fromModel: 'gpt-4o', toModel: plain, moved: 2, withoutTemperature: 2, withoutEffort: 0, undoneAt: null },
      assistants: [
        { id: second, name: 'Second' },
        { id: first, name: 'First' },
      ],
      ...{ leftAlone: [], remaining: 0 },
    });
    expect(await assistant(ada, first)).toEqual({
      ...before,
      ...{ model: plain, version: before.version + 1, updatedAt: expect.any(String) },
    });
    const origin = { kind: 'move', name: plain };
    expect(await newest(ada, first)).toMatchObject({ number: before.version + 1, origin, changed: ['model'] });
    expect((await ada.get(`/api/assistants/${first}/versions/${before.version + 1}`)).body).toMatchObject({
      settings: { model: plain, instructions: 'Be patient.' },
      files: [{ fileId: file.id, filename: 'notes.txt' }],
      chosenTools: [{ serverName: 'Wiki', name: 'read_note' }, { name: 'write_note' }],
    });
    for (const [id, model] of [
      [other, 'gpt-4.1'],
      [pinned, 'gpt-4o-2024-08-06'],
    ] as const)
      expect(await assistant(ada, id)).toMatchObject({ model, version: 1 });
    const { leftAlone: _, remaining: __, ...listed } = body;
    expect(await moves(ada)).toEqual([listed]);
  });

  test('migrate only the chosen ones, and name those that use another model by now', async () => {
    const ada = await someone();
    const [one, two, three] = [
      await createAssistant(ada),
      await createAssistant(ada),
      await createAssistant(ada, { name: 'Changed' }),
    ];
    await change(ada, three, { model: 'gpt-4.1' });
    const { body } = await move(ada, { assistantIds: [one, three, one] });
    expect(body).toMatchObject({
      moved: 1,
      leftAlone: [{ id: three, name: 'Changed', model: 'gpt-4.1' }],
      remaining: 1,
    });
    expect((await assistant(ada, two)).model).toBe('gpt-4o');
  });

  test('report beforehand what the new model does not accept and what this month would cost', async () => {
    const ada = await someone();
    const quiet = await createAssistant(ada, { name: 'Quiet', model: 'gpt-5.1', reasoningEffort: 'none' });
    const deep = await createAssistant(ada, { name: 'Deep', model: 'gpt-5.1', reasoningEffort: 'high' });
    const threadId = await newThread(ada, { assistantId: deep });
    await ask(app, ada, threadId, '[[tokens 40]]');
    const { status, body } = await planned(ada, 'gpt-5.1');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ count: 2, withoutTemperature: 1, withoutEffort: 1 },
      assistants: [
        { id: deep, name: 'Deep', notTaken: [] },
        { id: quiet, name: 'Quiet', notTaken: ['temperature', 'reasoningEffort'] },
      ],
    });
    const { usage } = body;
    expect(usage.outputTokens).toBeGreaterThanOrEqual(40);
    const uncached = usage.inputTokens - usage.cachedTokens;
    const at = (input: number, cached: number, output: number) =>
      (uncached * input + usage.cachedTokens * cached + usage.outputTokens * output) / 1_000_000;
    expect(usage.costUsd).toBeCloseTo(at(1.25, 0.125, 10), 10);
    expect(usage.costAfterUsd).toBeCloseTo(at(2, 0.1, 10), 10);
    expect((await planned(ada, 'gpt-5.1', 'chat-latest')).body.usage.costAfterUsd).toBeNull();

    await move(ada, { fromModel: 'gpt-5.1' });
    expect(await assistant(ada, quiet)).toMatchObject({ model: plain, reasoningEffort: null, temperature: 0.7 });
    expect(await newest(ada, quiet)).toMatchObject({ changed: ['model', 'reasoningEffort'] });
    expect(await assistant(ada, deep)).toMatchObject({ model: plain, reasoningEffort: 'high' });
    expect((await planned(ada, 'gpt-5.1')).body).toMatchObject({ count: 0, assistants: [] });
  });

  test('are undone without changing what was edited since', async () => {
    const ada = await someone();
    const make = (name: string) => createAssistant(ada, { name, model: 'gpt-5.1', reasoningEffort: 'none' });
    const untouched = await make('Untouched');
    const reworded = await make('Reworded');
    const deeper = await make('Deeper');
    const elsewhere = await make('Elsewhere');
    const deleted = await make('Deleted');
    const { body: done } = await move(ada, { fromModel: 'gpt-5.1' });
    await change(ada, reworded, { instructions: 'Be brief.', temperature: 0.2 });
    await change(ada, deeper, { reasoningEffort: 'high' });
    await change(ada, elsewhere, { model: 'gpt-4.1' });
    await ada.delete(`/api/assistants/${deleted}`);

    const { status, body } = await undo(ada, done.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id: done.id, undoneAt: expect.stringMatching(/Z$/), moved: 5, undone: 3 },
      leftAlone: [{ id: elsewhere, name: 'Elsewhere', model: 'gpt-4.1' }],
    });
    expect(await assistant(ada, untouched)).toMatchObject({ model: 'gpt-5.1', reasoningEffort: 'none', version: 3 });
    expect(await newest(ada, untouched)).toMatchObject({
      origin: { kind: 'move_undone', name: plain },
      changed: ['model', 'reasoningEffort'],
    });
    expect(await assistant(ada, reworded)).toMatchObject({
      ...{ model: 'gpt-5.1', reasoningEffort: 'none', instructions: 'Be brief.', temperature: 0.2, version: 4 },
    });
    expect(await assistant(ada, deeper)).toMatchObject({ model: 'gpt-5.1', reasoningEffort: 'high' });
    expect(await assistant(ada, elsewhere)).toMatchObject({ model: 'gpt-4.1', reasoningEffort: null, version: 3 });
    expect((await moves(ada))[0]).toMatchObject({ id: done.id, undoneAt: body.undoneAt });

    const again = await undo(ada, done.id);
    expect([again.status, again.body.message]).toEqual([409, 'This migration has already been undone.']);
  });

  test('are undone after a later one', async () => {
    const ada = await someone();
    const id = await createAssistant(ada);
    const { body: first } = await move(ada, { toModel: 'gpt-4.1' });
    const { body: second } = await move(ada, { fromModel: 'gpt-4.1' });
    expect((await undo(ada, first.id)).body).toMatchObject({
      ...{ undone: 0, undoneAt: null, leftAlone: [{ id, model: plain }] },
    });
    expect((await undo(ada, second.id)).body).toMatchObject({ undone: 1, leftAlone: [] });
    expect((await undo(ada, first.id)).body).toMatchObject({ undone: 1 });
    expect((await assistant(ada, id)).model).toBe('gpt-4o');
  });

  test('leave a model that is gone, and cannot be undone', async () => {
    const ada = await someone();
    const id = await createAssistant(ada);
    await withDatabase(app, (db) =>
      db.updateTable('assistants').set({ model: 'gpt-4' }).where('id', '=', id).execute(),
    );
    const { body } = await move(ada, { fromModel: 'gpt-4', toModel: 'gpt-4.1' });
    expect(body).toMatchObject({ moved: 1 });
    const refused = await undo(ada, body.id);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Your API key no longer has access to gpt-4, so the assistants were not changed.',
    ]);
    expect((await assistant(ada, id)).model).toBe('gpt-4.1');
  });

  test('change nothing if they are refused', async () => {
    const ada = await someone();
    const bob = await someone();
    const id = await createAssistant(ada);
    const theirs = await createAssistant(bob);
    const refused = async (body: object) => {
      const answer = await move(ada, body);
      return [answer.status, answer.body.message];
    };
    const same = 'Choose a different model from the one the assistants use';
    expect(await refused({ toModel: 'gpt-4o' })).toEqual([400, same]);
    expect((await planned(ada, 'gpt-4o', 'gpt-4o')).body.message).toBe(same);
    expect(await refused({ toModel: 'gpt-9' })).toEqual([
      400,
      'Model gpt-9 is not among the models your API key can use',
    ]);
    expect(await refused({ fromModel: 'gpt-4.1' })).toEqual([
      409,
      'None of the selected assistants still uses gpt-4.1.',
    ]);
    expect(await refused({ assistantIds: [id, theirs] })).toEqual([404, 'Assistant not found.']);
    expect((await undo(ada, 2_000_000_000)).status).toBe(404);
    for (const body of [
      { assistantIds: [] },
      { assistantIds: Array.from({ length: 1_001 }, (_, index) => index + 1) },
      { assistantIds: [0] },
      { assistantIds: [1.5] },
      { assistantIds: [2 ** 31] },
      { toModel: 'x'.repeat(201) },
      { fromModel: ' ' },
      { toModel: '\ud800' },
      { more: true },
    ])
      expect((await move(ada, body)).status, JSON.stringify(body).slice(0, 60)).toBe(400);
    for (const one of [await assistant(ada, id), await assistant(bob, theirs)])
      expect(one).toMatchObject({ model: 'gpt-4o', version: 1 });
    expect(await moves(ada)).toEqual([]);
  });

  test('are hidden from other users and read-only for Viewers', async () => {
    const ada = await someone();
    const { visitor: vic, email } = await app.someone('viewer');
    await createAssistant(ada);
    const { body: done } = await move(ada);
    await createAssistant(vic);
    expect(await moves(vic)).toEqual([]);
    const { body: own } = await move(vic);
    expect((await undo(vic, done.id)).status).toBe(404);
    await setUser(app, email, { role: 'Viewer' });
    expect((await planned(vic)).status).toBe(200);
    expect(await moves(vic)).toHaveLength(1);
    expect((await move(vic, { fromModel: plain, toModel: 'gpt-4o' })).status).toBe(403);
    expect((await undo(vic, own.id)).status).toBe(403);
  });

  test('are listed in pages, newest first', async () => {
    const ada = await someone();
    await createAssistant(ada);
    for (const [fromModel, toModel] of [
      ['gpt-4o', 'gpt-4.1'],
      ['gpt-4.1', plain],
      [plain, 'gpt-4o'],
    ])
      await move(ada, { fromModel, toModel });
    const first = await ada.get('/api/assistants/moves?limit=2');
    expect(first.body.map(({ toModel }: ModelMigration) => toModel)).toEqual(['gpt-4o', plain]);
    const last = first.body[1].id;
    expect(first.headers.link).toBe(`</api/assistants/moves?limit=2&cursor=${last}>; rel="next"`);
    const second = await ada.get(`/api/assistants/moves?limit=2&cursor=${last}`);
    expect(second.body.map(({ toModel }: ModelMigration) => toModel)).toEqual(['gpt-4.1']);
    expect(second.headers.link).toBeUndefined();
  });

  test('run one after the other with concurrent migrations, undos and saves', async () => {
    const ada = await someone();
    const ids = [await createAssistant(ada), await createAssistant(ada), await createAssistant(ada)];
    const moved = await Promise.all([move(ada), move(ada), move(ada)]);
    expect(moved.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const id = moved.find(({ status }) => status === 201)?.body.id;
    const [first, second, ...saves] = await Promise.all([
      undo(ada, id),
      undo(ada, id),
      ...ids.map((one) => change(ada, one, { instructions: `Of ${one}` })),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    expect(saves.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const one of ids)
      expect(await assistant(ada, one)).toMatchObject({ model: 'gpt-4o', instructions: `Of ${one}`, version: 4 });
  });

  test('migrate a thousand assistants in one transaction', async () => {
    const ada = await someone();
    const id = await createAssistant(ada, { instructions: 'Long. '.repeat(200) });
    await withDatabase(app, async (db) => {
      const { id: _, ...like } = await db
        .selectFrom('assistants')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      // Half of them are due for pruning.
      const rows = Array.from({ length: 999 }, (__, index) => ({
        ...like,
        ...{ is_default: 0 as const, version: index % 2 === 0 ? 19 : 1 },
      }));
      await db.insertInto('assistants').values(rows).execute();
    });
    const { body: done } = await move(ada);
    expect(done).toMatchObject({ moved: 1_000, remaining: 0 });
    const { body: undone } = await undo(ada, done.id);
    expect(undone).toMatchObject({ undone: 1_000, leftAlone: [] });
    const { count } = await withDatabase(app, (db) =>
      db
        .selectFrom('assistant_versions')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('origin', '=', 'move_undone')
        .where('user_id', '=', (eb) => eb.selectFrom('assistants').select('user_id').where('id', '=', id))
        .executeTakeFirstOrThrow(),
    );
    expect(Number(count)).toBe(1_000);
  });
});
