import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';

describe.each(engines)('API access to assistants on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  test('lists the ids that are models, and the names that are unique', async () => {
    const ada = await app.withKey('ada');
    const other = await app.as('other');
    await createAssistant(other, { name: 'Theirs' });
    for (const name of ['Tutor', 'Twin', 'Twin']) await createAssistant(ada, { name });
    const { body } = await ada.get('/api/connect/assistants');
    expect(body).toMatchObject([
      { name: 'Twin', alias: null },
      { name: 'Twin', alias: null },
      { name: 'Tutor', alias: 'Tutor@roster' },
    ]);
    const { token } = await newToken(ada);
    for (const { model } of body) expect((await callApi(app, token, `/v1/models/${model}`)).status).toBe(200);
  });
});
