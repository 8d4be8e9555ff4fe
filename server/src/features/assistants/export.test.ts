import { AssistantExport } from '@roster/contracts/assistants/assistants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { newConnection } from '#server/testing/connections';
import { withDatabase } from '#server/testing/database';

describe.each(engines)('exporting assistants on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('exports all of them, newest first, as a file', async () => {
    const ada = await app.as('ada');
    await createAssistant(ada, { name: 'First' });
    await createAssistant(ada, { name: 'Second' });
    const { status, body, headers } = await ada.get('/api/assistants/export');
    expect(status).toBe(200);
    expect(headers['content-disposition']).toMatch(/^attachment; filename="roster-assistants-\d{4}-\d\d-\d\d\.json"$/);
    const { assistants, format, version } = AssistantExport.parse(body);
    expect([format, version, assistants.map(({ name }) => name)]).toEqual([
      'roster.assistants',
      1,
      ['Second', 'First'],
    ]);
    expect(Object.keys(body.assistants[0])).not.toContain('id');
  });

  test.each([
    ['Über "Alles"; a=b', 'u-ber-alles-a-b'],
    ['日本語', 'assistant'],
    ['../../etc/passwd', 'etc-passwd'],
    ['a\r\nset-cookie: x', 'a-set-cookie-x'],
  ])('exports one of them under a harmless file name (%j)', async (name, file) => {
    const ada = await app.as('ada');
    const id = await createAssistant(ada, { name });
    const { body, headers } = await ada.get(`/api/assistants/${id}/export`);
    expect(headers['content-disposition']).toBe(`attachment; filename="${file}.json"`);
    expect(body.assistants).toHaveLength(1);
    expect(body.assistants[0].name).toBe(name.replace('\r\n', ' '));
  });

  test('includes fields that API clients have set', async () => {
    const cleo = await app.as('cleo');
    const [id, other] = [await createAssistant(cleo), await createAssistant(cleo)];
    const user_id = (await cleo.get('/api/user')).body.id;
    const fields = JSON.stringify({ metadata: { team: 'blue' } });
    await withDatabase(app, (db) =>
      db.insertInto('assistant_api_fields').values({ assistant_id: id, user_id, fields }).execute(),
    );
    const { assistants } = (await cleo.get('/api/assistants/export')).body;
    expect(assistants.map(({ api }: { api: unknown }) => api)).toEqual([undefined, { metadata: { team: 'blue' } }]);
    expect((await cleo.get(`/api/assistants/${id}/export`)).body.assistants).toEqual([assistants[1]]);
    expect((await cleo.get(`/api/assistants/${other}/export`)).body.assistants).toEqual([assistants[0]]);
    // Import reads them back.
    const dora = await app.as('dora');
    expect((await dora.post('/api/assistants/import-file', assistants[1])).body.imported).toHaveLength(1);
    expect((await dora.get('/api/assistants/export')).body.assistants).toEqual([assistants[1]]);
    const wrong = { ...assistants[1], name: 'Wrong', api: { metadata: { team: 1 } } };
    expect((await dora.post('/api/assistants/import-file', wrong)).body.imported[0].notes).toContain(
      'Settings made by programs cannot be imported.',
    );
  });

  test('names the connection of a model, which another account finds by its name', async () => {
    const { visitor: ada } = await app.someone();
    const { visitor: bob } = await app.someone();
    const kim = await app.withKey('kim');
    const { id } = await newConnection(app, ada, 'The house');
    const settings = { model: `@${id}/gpt-4o`, fallbackModel: `@${id}/gpt-4o-mini` };
    const assistantId = await createAssistant(ada, settings);
    const { body: file } = await ada.get(`/api/assistants/${assistantId}/export`);
    const house = { preset: 'other', name: 'The house' };
    expect(file.assistants[0]).toMatchObject({ model: 'gpt-4o', connection: house });
    expect(file.assistants[0]).toMatchObject({ fallbackModel: 'gpt-4o-mini', fallbackConnection: house });

    const { id: own } = await newConnection(app, bob, 'The house');
    const taken = await bob.post('/api/assistants/import-file', file);
    expect(taken.body.imported[0]).toMatchObject({
      ...{ model: `@${own}/gpt-4o`, fallbackModel: `@${own}/gpt-4o-mini`, notes: [] },
    });

    const elsewhere = { ...file, assistants: [{ ...file.assistants[0], model: 'house-1' }] };
    const without = await kim.post('/api/assistants/import-file', elsewhere);
    expect(without.body.imported[0]).toMatchObject({
      model: 'house-1',
      fallbackModel: null,
      notes: [
        'Its model house-1 belongs to the connection The house, which is not here. Choose another model.',
        'Its fallback gpt-4o-mini belongs to the connection The house, which does not exist here, so it is left out.',
      ],
    });
    const forged = {
      ...file,
      assistants: [{ ...file.assistants[0], name: 'Forged', connection: undefined, model: `@${id}/gpt-4o` }],
    };
    expect((await kim.post('/api/assistants/import-file', forged)).body.imported[0].model).toBe('gpt-4o');
  });

  test('exports an empty list, and nothing for an unknown assistant', async () => {
    const bob = await app.as('bob');
    expect((await bob.get('/api/assistants/export')).body.assistants).toEqual([]);
    expect((await bob.get('/api/assistants/4711/export')).status).toBe(404);
  });
});
