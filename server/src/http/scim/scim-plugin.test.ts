import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp } from '#server/testing/app';
import { entraUser, scimClient, scimToken } from '#server/testing/scim';

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

async function started(engine: (typeof engines)[number], env: Record<string, string> = { SCIM_TOKEN: scimToken }) {
  const app = await startApp(engine, { env });
  onTestFinished(() => app.stop());
  return app;
}

describe.each(engines)('the SCIM API on %s', (engine) => {
  test('answers 404 while there is no token', async () => {
    const app = await started(engine, {});
    for (const path of ['/Users', '/ServiceProviderConfig', '/nothing']) {
      const { status, body } = await scimClient(app).get(path);
      expect([status, body]).toEqual([404, { schemas: [errorSchema], status: '404', detail: expect.any(String) }]);
    }
  });

  test('refuses a wrong token, keeps the right one out of the log, and limits tries', async () => {
    const app = await started(engine, { SCIM_TOKEN: scimToken, RATE_LIMIT_SCALE: '0.1' });
    const wrong = scimClient(app, scimToken.toUpperCase());
    const { status, headers, body } = await wrong.get('/Users');
    expect([status, headers['www-authenticate'], body.status]).toEqual([401, 'Bearer', '401']);
    let refused = await wrong.get('/Users');
    for (let time = 0; time < 20 && refused.status === 401; time++) refused = await wrong.get('/Users');
    expect([refused.status, refused.body.status]).toEqual([429, '429']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const scim = scimClient(app);
    expect((await scim.filtered('Users', 'userName eq "hidden@example.com"')).status).toBe(200);
    const log = app.logLines.join('');
    expect(log).toContain('scim_token_refused');
    expect(log).toContain('/scim/v2/Users');
    for (const secret of [scimToken, scimToken.toUpperCase(), 'hidden@example.com']) expect(log).not.toContain(secret);
  });

  test('describes itself', async () => {
    const scim = scimClient(await started(engine));
    const config = await scim.get('/ServiceProviderConfig');
    expect(config.body).toMatchObject({
      patch: { supported: true },
      filter: { maxResults: 200 },
      bulk: { supported: false },
    });
    const types = await scim.get('/ResourceTypes');
    expect(types.body).toMatchObject({ totalResults: 2, Resources: [{ endpoint: '/Users' }, { endpoint: '/Groups' }] });
    const { body: schemas } = await scim.get('/Schemas');
    expect(schemas.Resources.map(({ id }: { id: string }) => id)).toEqual([
      'urn:ietf:params:scim:schemas:core:2.0:User',
      'urn:ietf:params:scim:schemas:core:2.0:Group',
    ]);
    expect((await scim.get(`/Schemas/${schemas.Resources[0].id}`)).body).toEqual(schemas.Resources[0]);
    expect((await scim.get('/ResourceTypes/Device')).status).toBe(404);
  });

  test('takes JSON of either type and from any origin, and refuses the rest in the words of SCIM', async () => {
    const app = await started(engine);
    await app.as('ada');
    const scim = scimClient(app);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    for (const [name, type] of [
      ['a1', 'application/json'],
      ['a2', 'application/scim+json'],
    ] as const)
      expect((await scim.send('POST', '/Users', entraUser(name), { 'content-type': type, ...foreign })).status).toBe(
        201,
      );
    const refusals = [
      [415, await scim.send('POST', '/Users', 'userName=x', { 'content-type': 'application/x-www-form-urlencoded' })],
      [413, await scim.post('/Users', entraUser('large', { title: 'x'.repeat(1024 * 1024) }))],
      [400, await scim.send('POST', '/Users', '{"userName":"a","userName":"b"}')],
      [400, await scim.get('/Users/%ff')],
      [404, await scim.get('/Me')],
      [404, await scim.post('/Bulk', {})],
    ] as const;
    for (const [expected, { status, body, headers }] of refusals) {
      expect([status, headers['content-type']]).toEqual([expected, 'application/scim+json; charset=utf-8']);
      expect(body).toMatchObject({ schemas: [errorSchema], status: String(expected), detail: expect.any(String) });
    }
    expect((await scim.get('/Users/')).body.totalResults).toBe(2);
  });
});
