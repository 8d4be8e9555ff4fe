import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beforeAnyEnd, engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant, draft, idsOf } from '#server/testing/assistants';
import { withDatabase } from '#server/testing/database';

describe.each(engines)('assistants on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, { now: beforeAnyEnd });
  });
  afterAll(() => app.stop());

  test('creates assistants with the defaults of the form', async () => {
    const ada = await app.as('ada');
    const { status, body } = await ada.post('/api/assistants', { name: '  Tutor ', model: 'gpt-4o' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      files: 0,
      fallbackModel: null,
      version: 1,
      name: 'Tutor',
      description: '',
      model: 'gpt-4o',
      temperature: 0.7,
      reasoningEffort: null,
      instructions: '',
      starters: [],
      tags: [],
      earlierMessages: 'keep',
      icon: null,
      color: null,
      tools: {},
      responseSchema: null,
      isDefault: true,
      openaiAssistantId: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updatedAt: body.createdAt,
    });
    expect((await ada.get('/api/assistants')).body).toContainEqual(body);
  });

  test('keeps tags, each once whatever its case, and refuses too many', async () => {
    const ada = await app.as('ada');
    const tags = ['Work', ' law ', 'work', 'Law', 'LAW 2'];
    const { body } = await ada.post('/api/assistants', draft({ tags }));
    expect(body.tags).toEqual(['Work', 'law', 'LAW 2']);
    const changed = await ada.patch(`/api/assistants/${body.id}`, { tags: ['home'] });
    expect([changed.body.tags, changed.body.version]).toEqual([['home'], 2]);
    const eleven = Array.from({ length: 11 }, (_, index) => `tag ${index}`);
    for (const wrong of [eleven, [''], ['x'.repeat(31)], [5]])
      expect((await ada.post('/api/assistants', draft({ tags: wrong }))).body.code).toBe('invalid_input');
  });

  test('keeps long instructions if they are wanted, and grows them only then', async () => {
    const ada = await app.as('ada');
    const long = draft({ instructions: 'x'.repeat(256_000) });
    const tooLong = 'Instructions cannot exceed 1500 characters';
    expect((await ada.post('/api/assistants', long)).body.fields).toEqual({ instructions: tooLong });
    const { status, body } = await ada.post('/api/assistants', { ...long, longInstructions: true });
    expect([status, body.instructions.length, 'longInstructions' in body]).toEqual([201, 256_000, false]);
    const { body: short } = await ada.post('/api/assistants', draft({ instructions: 'x'.repeat(1_500) }));
    const change = (more: object) =>
      ada.patch(`/api/assistants/${short.id}`, { instructions: 'y'.repeat(1_501), ...more });
    expect((await change({})).body.fields).toEqual({ instructions: tooLong });
    expect((await change({ longInstructions: true })).body.instructions).toHaveLength(1_501);
    // Within the usual limit of a body; a change may have more bytes.
    const beyond = { ...long, instructions: 'x'.repeat(256_001), longInstructions: true };
    expect((await ada.post('/api/assistants', beyond)).body.fields.instructions).toMatch('256000');
  });

  test.each([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])('keeps the temperature %d as given', async (t) => {
    const { status, body } = await (await app.as('ada')).post('/api/assistants', draft({ temperature: t }));
    expect([status, body.temperature]).toEqual([201, t]);
  });

  test.each([
    ['name', '', 'Name is required'],
    ['name', '   ', 'Name is required'],
    ['name', 'a'.repeat(101), 'Name cannot exceed 100 characters'],
    ['description', 'a'.repeat(501), 'Description cannot exceed 500 characters'],
    ['model', '', 'Model is required'],
    ['model', 'm'.repeat(201), 'Model cannot exceed 200 characters'],
    ['temperature', -0.1, 'Temperature must be at least 0'],
    ['temperature', 1.1, 'Temperature cannot exceed 1'],
    ['temperature', 0.75, 'Temperature goes in steps of 0.1'],
    ['starters', ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'An assistant can have at most 6 starters'],
    ['instructions', 'a'.repeat(1501), 'Instructions cannot exceed 1500 characters'],
  ])('rejects a wrong %s with the form’s message', async (field, value, message) => {
    const { status, body } = await (await app.as('ada')).post('/api/assistants', draft({ [field]: value }));
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', message, fields: { [field]: message } });
  });

  test('stores starters, an icon and a color, and exports them', async () => {
    const ada = await app.as('ada');
    const look = { starters: ['What is a fraction?', '分数是什么？'], icon: 'graduation', color: 'violet' };
    const id = await createAssistant(ada, { name: 'Looks', ...look });
    const { body: exported } = await ada.get(`/api/assistants/${id}/export`);
    const { body: taken } = await (await app.as('looks')).post('/api/assistants/import-file', exported);
    expect(taken.imported).toMatchObject([{ ...look, notes: [] }]);
    const { body } = await ada.patch(`/api/assistants/${id}`, { starters: [' One '], icon: null });
    expect(body).toMatchObject({ starters: ['One'], icon: null, color: 'violet', version: 2 });
    expect((await ada.get(`/api/assistants/${id}/versions`)).body[0].changed).toEqual(['starters', 'icon']);
    for (const [field, value] of [
      ['starters', ['']],
      ['starters', ['a\nb']],
      ['starters', ['a'.repeat(201)]],
      ['icon', 'skull'],
      ['color', '#ff0000'],
    ] as const)
      expect((await ada.patch(`/api/assistants/${id}`, { [field]: value })).status).toBe(400);
    const odd = { starters: 'What?', icon: 'skull', color: 7 };
    const { body: read } = await ada.post('/api/assistants/import-file', draft({ name: 'Odd', ...odd }));
    expect(read.imported).toMatchObject([
      {
        ...{ starters: [], icon: null, color: null },
        notes: ['Roster does not have its icon.', 'Roster does not have its color.'],
      },
    ]);
  });

  test('counts lengths in code points', async () => {
    const ada = await app.as('ada');
    const fits = { name: '😀'.repeat(100), description: '😀'.repeat(500), instructions: '😀'.repeat(1500) };
    expect((await ada.post('/api/assistants', draft(fits))).body).toMatchObject(fits);
    for (const [field, text] of Object.entries(fits))
      expect((await ada.post('/api/assistants', draft({ [field]: `${text}😀` }))).status).toBe(400);
  });

  test('rejects unknown fields and fields that the server owns', async () => {
    const ada = await app.as('ada');
    for (const field of ['id', 'userId', 'isDefault', 'openaiAssistantId', 'createdAt', 'toolServers']) {
      const { status, body } = await ada.post('/api/assistants', draft({ [field]: 1 }));
      expect([status, body.fields]).toEqual([400, { [field]: 'Unknown field' }]);
    }
  });

  test('rejects characters that a database cannot store', async () => {
    const ada = await app.as('ada');
    const { status, body } = await ada.post('/api/assistants', draft({ instructions: 'before\0after' }));
    expect([status, body.code]).toEqual([400, 'invalid_input']);
  });

  test('changes only the fields that are sent', async () => {
    const ada = await app.as('ada');
    const id = await createAssistant(ada, { description: 'Explains', temperature: 0.2, instructions: 'Be patient.' });
    const longAgo = '2026-01-02T03:04:05.678Z';
    await withDatabase(app, (db) =>
      db.updateTable('assistants').set({ created_at: longAgo, updated_at: longAgo }).where('id', '=', id).execute(),
    );
    const { status, body } = await ada.patch(`/api/assistants/${id}`, { name: 'Coach', reasoningEffort: 'low' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      name: 'Coach',
      description: 'Explains',
      temperature: 0.2,
      reasoningEffort: 'low',
      instructions: 'Be patient.',
    });
    expect(body.createdAt).toBe(longAgo);
    expect(body.updatedAt > longAgo).toBe(true);
    expect((await ada.patch(`/api/assistants/${id}`, { reasoningEffort: null, description: '' })).body).toMatchObject({
      reasoningEffort: null,
      description: '',
    });
  });

  test('lets imported long instructions stay or shrink, but not grow', async () => {
    const ada = await app.as('ada');
    const long = '😀'.repeat(2000);
    const { body: result } = await ada.post('/api/assistants/import-file', draft({ instructions: long }));
    const path = `/api/assistants/${result.imported[0].id}`;
    const change = async (instructions: string) => (await ada.patch(path, { instructions })).status;
    expect(await change(long)).toBe(200);
    expect(await change(`${long}a`)).toBe(400);
    expect(await change('b'.repeat(2000))).toBe(200);
    expect(await change('b'.repeat(1800))).toBe(200);
    expect(await change('b'.repeat(1801))).toBe(400);
    expect(await change('b'.repeat(1500))).toBe(200);
    expect(await change('b'.repeat(1501))).toBe(400);
    expect((await ada.patch(path, { name: 'Renamed' })).status).toBe(200);
  });

  test('accepts any model until the key’s list is known, then only its models', async () => {
    const anybody = await app.as('keyless');
    expect((await anybody.post('/api/assistants', draft({ model: 'house/model-7' }))).status).toBe(201);

    const owner = await app.withKey('owner');
    const refused = await owner.post('/api/assistants', draft({ model: 'house/model-7' }));
    const message = 'Model house/model-7 is not among the models your API key can use';
    expect([refused.status, refused.body.message, refused.body.fields]).toEqual([400, message, { model: message }]);
    const id = await createAssistant(owner, { model: 'gpt-5.5' });
    expect((await owner.patch(`/api/assistants/${id}`, { model: 'house/model-7' })).status).toBe(400);
    expect((await owner.patch(`/api/assistants/${id}`, { model: 'gpt-5.4' })).body.model).toBe('gpt-5.4');
  });

  test('keeps a model that the key has lost', async () => {
    const visitor = await app.as('late');
    const id = await createAssistant(visitor, { model: 'gone-model' });
    await app.withKey('late');
    const { status } = await visitor.patch(`/api/assistants/${id}`, { model: 'gone-model', name: 'Same model' });
    expect(status).toBe(200);
  });

  test('lists pages, newest first, with the next page in the Link header', async () => {
    const visitor = await app.as('pager');
    const ids: number[] = [];
    for (let number = 1; number <= 5; number++) ids.unshift(await createAssistant(visitor, { name: `A${number}` }));
    const seen: number[] = [];
    let path: string | undefined = '/api/assistants?limit=2';
    while (path !== undefined) {
      const { body, headers } = await visitor.get(path);
      seen.push(...body.map(({ id }: { id: number }) => id));
      path = /^<(.*)>; rel="next"$/.exec(String(headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual(ids);
    expect((await visitor.get('/api/assistants')).headers.link).toBeUndefined();
    expect((await visitor.get('/api/assistants?limit=5')).headers.link).toBeUndefined();
  });

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=0', 'cursor=-1', 'cursor=1.5', 'page=2'])(
    'rejects a list with %s',
    async (query) => {
      expect((await (await app.as('ada')).get(`/api/assistants?${query}`)).status).toBe(400);
    },
  );

  test('keeps the conversations of a deleted assistant', async () => {
    const ada = await app.as('ada');
    const id = await createAssistant(ada);
    const { id: userId } = (await ada.get('/api/user')).body;
    const now = new Date().toISOString();
    const threadId = await withDatabase(app, async (db) => {
      const row = await db
        .insertInto('threads')
        .values({
          user_id: userId,
          title: 'Kept',
          title_source: 'chosen',
          assistant_id: id,
          pinned: 0,
          archived: 0,
          head_message_id: null,
          created_at: now,
          updated_at: now,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    });
    expect((await ada.delete(`/api/assistants/${id}`)).status).toBe(204);
    const thread = await withDatabase(app, (db) =>
      db.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirstOrThrow(),
    );
    expect([thread.title, thread.assistant_id]).toEqual(['Kept', null]);
    expect((await ada.delete(`/api/assistants/${id}`)).status).toBe(404);
    expect(await idsOf(ada)).not.toContain(id);
  });
});
