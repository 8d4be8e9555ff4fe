import { AssistantExport } from '@roster/contracts/assistants';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { created } from '#server/testing/assistants';

describe.each(engines)('exporting assistants on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('gives all of them, the newest first, as a file', async () => {
    const ada = await app.as('ada');
    await created(ada, { name: 'First' });
    await created(ada, { name: 'Second' });
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
  ])('gives one of them under a harmless file name (%j)', async (name, file) => {
    const ada = await app.as('ada');
    const id = await created(ada, { name });
    const { body, headers } = await ada.get(`/api/assistants/${id}/export`);
    expect(headers['content-disposition']).toBe(`attachment; filename="${file}.json"`);
    expect(body.assistants).toHaveLength(1);
    expect(body.assistants[0].name).toBe(name);
  });

  test('of nothing gives an empty list, and of an unknown one nothing', async () => {
    const bob = await app.as('bob');
    expect((await bob.get('/api/assistants/export')).body.assistants).toEqual([]);
    expect((await bob.get('/api/assistants/4711/export')).status).toBe(404);
  });
});
