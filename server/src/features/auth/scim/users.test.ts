import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callApi, newToken } from '#server/testing/access-tokens';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { storedMailTo } from '#server/testing/mail';
import { managedUser, securityLogOf } from '#server/testing/managed-users';
import { entraUser, oktaUser, type ScimClient, scimClient, scimToken } from '#server/testing/scim';

const confirm = (app: TestApp, email: string) =>
  withDatabase(app, (db) =>
    db.updateTable('users').set({ email_verified_at: '2026-01-01T00:00:00.000Z' }).where('email', '=', email).execute(),
  );

describe.each(engines)('users that a directory provisions on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let scim: ScimClient;
  beforeAll(async () => {
    app = await startApp(engine, { env: { SCIM_TOKEN: scimToken } });
    scim = scimClient(app);
    const early = await scim.post('/Users', entraUser('early'));
    expect([early.status, early.body.status]).toEqual([403, '403']);
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  const created = async (user: object): Promise<string> => {
    const { status, body } = await scim.post('/Users', user);
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  };
  /** A registered person whose address is confirmed and whom the directory then provisions. */
  async function adopted(name: string) {
    const visitor = await app.as(name);
    await confirm(app, `${name}@example.com`);
    const { token } = await newToken(visitor);
    return { visitor, token, id: await created(entraUser(name)) };
  }
  const statusOf = async (visitor: HttpClient) => (await visitor.get('/api/user')).status;

  test('are created, found, read, changed and deactivated as Entra ID does', async () => {
    const none = await scim.filtered('Users', 'userName eq "grace@example.com"');
    expect(none.body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    const { status, body, headers } = await scim.post('/Users', entraUser('grace'));
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      201,
      'application/scim+json; charset=utf-8',
      'no-store',
    ]);
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id: expect.stringMatching(/^\d+$/),
      externalId: 'entra-grace',
      userName: 'grace@example.com',
      name: { formatted: 'Grace Hopper', familyName: 'Hopper', givenName: 'Grace' },
      displayName: 'Grace Hopper',
      active: true,
      emails: [{ value: 'grace@example.com', type: 'work', primary: true }],
      groups: [],
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${app.url}/scim/v2/Users/${body.id}`,
      },
    });
    expect(await managedUser(ada, 'grace@example.com')).toMatchObject({
      name: 'Grace Hopper',
      role: 'Editor',
      status: 'Active',
      hasPassword: false,
      emailVerified: true,
    });
    expect(await securityLogOf(ada, 'grace@example.com')).toEqual(['account_created, operator, SCIM']);
    for (const filter of [
      'USERNAME EQ "Grace@Example.COM"',
      'externalId eq "entra-grace"',
      `id eq "${body.id}"`,
      'emails[type eq "work"].value eq "GRACE@example.com"',
      'emails[type eq "work" and value eq "grace@example.com"]',
      'userName eq "grace@example.com" and active eq true',
    ])
      expect((await scim.filtered('Users', filter)).body.Resources, filter).toEqual([body]);
    expect(
      (await scim.filtered('Users', 'userName eq "grace@example.com" and active eq false')).body.Resources,
    ).toEqual([]);

    const patched = await scim.patch(
      `/Users/${body.id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'grace.h@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'Murray' },
      { op: 'Add', path: 'nickName', value: 'Amazing' },
    );
    expect([patched.status, patched.body]).toEqual([
      200,
      {
        ...body,
        name: { formatted: 'Grace Murray', familyName: 'Murray', givenName: 'Grace' },
        displayName: 'Grace Murray',
        emails: [{ value: 'grace.h@example.com', type: 'work', primary: true }],
        meta: { ...body.meta, lastModified: expect.any(String) },
      },
    ]);
    await storedMailTo(app, 'grace@example.com', 'The address of your Roster account was changed');
    const off = await scim.patch(`/Users/${body.id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect([off.status, off.body.active, off.body.userName]).toEqual([200, false, 'grace@example.com']);
    expect(await managedUser(ada, 'grace.h@example.com')).toMatchObject({ status: 'Inactive', emailVerified: true });
    const on = await scim.patch(`/Users/${body.id}`, {
      op: 'replace',
      value: { active: true, 'name.givenName': 'Grace B.', displayName: 'Rear Admiral' },
    });
    expect(on.body).toMatchObject({ active: true, displayName: 'Rear Admiral', name: { givenName: 'Grace B.' } });
    expect((await securityLogOf(ada, 'grace.h@example.com')).slice(0, 3)).toEqual([
      'status_changed, operator, Inactive to Active, SCIM',
      'details_changed, operator, Name, SCIM',
      'status_changed, operator, Active to Inactive, SCIM',
    ]);
  });

  test('are probed, created and replaced as Okta does', async () => {
    const probe = await scim.get('/Users?startIndex=1&count=1');
    expect([probe.status, probe.body.startIndex]).toEqual([200, 1]);
    const { body } = await scim.post('/Users', oktaUser('otto'));
    expect(body).toMatchObject({ userName: 'otto@example.com', displayName: 'Test User', active: true });
    const again = await scim.post('/Users', oktaUser('otto'));
    expect([again.status, again.body]).toEqual([
      409,
      {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '409',
        scimType: 'uniqueness',
        detail: expect.any(String),
      },
    ]);
    const whole = { ...oktaUser('otto', { displayName: 'Otto O.' }), id: body.id };
    const replaced = await scim.put(`/Users/${body.id}`, { ...whole, active: false });
    expect([replaced.status, replaced.body]).toMatchObject([200, { active: false, displayName: 'Otto O.' }]);
    expect((await scim.patch(`/Users/${body.id}`, { op: 'replace', value: { active: true } })).body.active).toBe(true);
    const moved = { userName: 'otto2@example.com', emails: undefined };
    expect((await scim.put(`/Users/${body.id}`, { ...whole, ...moved })).body).toMatchObject({
      userName: 'otto2@example.com',
      externalId: '00u-otto',
      emails: [{ value: 'otto2@example.com' }],
    });
    expect((await scim.post('/Users', { ...oktaUser('olga'), externalId: '00u-otto' })).body.scimType).toBe(
      'uniqueness',
    );
  });

  test('are called by what their directory knows of them', async () => {
    const nameOf = async (name: string, more: object) =>
      (await scim.get(`/Users/${await created({ ...entraUser(name), ...more })}`)).body.displayName;
    expect(await nameOf('n1', { displayName: 'Shown', name: { givenName: 'Ann' } })).toBe('Shown');
    expect(await nameOf('n2', { name: { givenName: 'Ann', familyName: 'Lee' } })).toBe('Ann Lee');
    expect(await nameOf('n3', { name: undefined })).toBe('n3@example.com');
    expect(await nameOf('n4', { userName: 'Test_User_ab6490ee' })).toBe('Grace Hopper');
  });

  test('lose all access when deactivated, and come back without it', async () => {
    const { visitor, token, id } = await adopted('bob');
    expect((await callApi(app, token, '/v1/models')).status).not.toBe(401);
    await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    expect([await statusOf(visitor), (await callApi(app, token, '/v1/models')).status]).toEqual([401, 401]);
    const credentials = { email: 'bob@example.com', password };
    expect((await visitor.post('/api/login', credentials)).status).toBe(401);
    await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' });
    expect([await statusOf(visitor), (await callApi(app, token, '/v1/models')).status]).toEqual([401, 401]);
    expect((await visitor.post('/api/login', credentials)).status).toBe(200);
    expect((await securityLogOf(ada, 'bob@example.com')).at(-2)).toBe('details_changed, operator, Taken over by SCIM');
  });

  test('take over an account with their address, if the address is confirmed', async () => {
    await app.as('carl');
    const { status, body } = await scim.post('/Users', entraUser('carl'));
    expect([status, body.scimType, body.detail]).toEqual([409, 'uniqueness', expect.stringMatching(/not confirmed/)]);
    await confirm(app, 'carl@example.com');
    const id = await created(entraUser('carl'));
    expect((await scim.post('/Users', entraUser('carl', { userName: 'c2', externalId: 'c2' }))).status).toBe(409);
    await created(entraUser('dora'));
    const move = { op: 'Replace', path: 'emails[type eq "work"].value', value: 'dora@example.com' };
    expect((await scim.patch(`/Users/${id}`, move)).body.scimType).toBe('uniqueness');
    expect((await scim.get(`/Users/${id}`)).body.emails[0].value).toBe('carl@example.com');
  });

  test('are deleted as an administrator deletes them', async () => {
    const { visitor, id } = await adopted('erna');
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204);
    expect(await statusOf(visitor)).toBe(401);
    await storedMailTo(app, 'erna@example.com', 'Your Roster account was closed');
    const { body } = await ada.get('/api/admin/security-events');
    expect(body.items[0]).toMatchObject({ event: 'account_closed', by: 'operator', detail: 'SCIM', email: null });
    for (const answer of [await scim.get(`/Users/${id}`), await scim.delete(`/Users/${id}`)])
      expect([answer.status, answer.body.status]).toEqual([404, '404']);
  });

  test('do not include the last active administrator, who stays', async () => {
    await confirm(app, 'ada@example.com');
    const id = await created(entraUser('ada'));
    expect((await managedUser(ada, 'ada@example.com')).role).toBe('Admin');
    for (const refused of [
      await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } }),
      await scim.put(`/Users/${id}`, entraUser('ada', { active: false })),
      await scim.delete(`/Users/${id}`),
    ])
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringMatching(/last active administrator/)]);
    expect(await statusOf(ada)).toBe(200);
    await app.as('second');
    await setUser(app, 'second@example.com', { role: 'Admin' });
    expect((await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })).status).toBe(200);
    await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect((await ada.post('/api/login', { email: 'ada@example.com', password })).status).toBe(200);
  });

  test('are the only accounts that the directory sees', async () => {
    const { body: stranger } = await (await app.as('stranger')).get('/api/user');
    const path = `/Users/${stranger.id}`;
    const answers = [
      await scim.get(path),
      await scim.put(path, entraUser('stranger')),
      await scim.patch(path, { op: 'replace', value: { active: false } }),
      await scim.delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await scim.filtered('Users', 'userName eq "stranger@example.com"')).body.totalResults).toBe(0);
    for (const id of ['0', 'abc', '99999999999', '1e3']) expect((await scim.get(`/Users/${id}`)).status).toBe(404);
  });

  test('are refused with a reason that SCIM has a word for', async () => {
    const wrong = async (answer: Promise<{ status: number; body: { scimType?: string } }>) => {
      const { status, body } = await answer;
      return [status, body.scimType];
    };
    const id = await created(entraUser('wanda'));
    expect(await wrong(scim.filtered('Users', 'title eq "x"'))).toEqual([400, 'invalidFilter']);
    expect(await wrong(scim.filtered('Users', 'userName co "x"'))).toEqual([400, 'invalidFilter']);
    expect(await wrong(scim.get('/Users?count=many'))).toEqual([400, 'invalidValue']);
    expect(await wrong(scim.post('/Users', { userName: 'no-address' }))).toEqual([400, 'invalidValue']);
    expect(await wrong(scim.post('/Users', { emails: [{ value: 'x@example.com' }] }))).toEqual([400, 'invalidValue']);
    expect(await wrong(scim.post('/Users', []))).toEqual([400, 'invalidSyntax']);
    expect(await wrong(scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: 'maybe' }))).toEqual([
      400,
      'invalidValue',
    ]);
    expect(await wrong(scim.patch(`/Users/${id}`, { op: 'replace', path: 'emails[', value: 'x' }))).toEqual([
      400,
      'invalidPath',
    ]);
    expect(await wrong(scim.patch(`/Users/${id}`, { op: 'remove' }))).toEqual([400, 'noTarget']);
    expect(await wrong(scim.patch(`/Users/${id}`, { op: 'move', path: 'active' }))).toEqual([400, 'invalidSyntax']);
    expect(await wrong(scim.send('POST', '/Users', '{"userName":'))).toEqual([400, undefined]);
  });

  test('come in pages with an exact total, at most 200 at once', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `many${String(at).padStart(3, '0')}@example.org`);
    await withDatabase(app, async (db) => {
      const at = '2026-01-01T00:00:00.000Z';
      const account = { role: 'Viewer', status: 'Active', password_hash: null, last_active_at: null } as const;
      const users = await db
        .insertInto('users')
        .values(many.map((email) => ({ ...account, email, name: null, email_verified_at: at, created_at: at })))
        .returning(['id', 'email'])
        .execute();
      await db
        .insertInto('scim_users')
        .values(
          users.map(({ id, email }) => ({
            user_id: id,
            user_name: email,
            user_name_key: email,
            created_at: at,
            updated_at: at,
          })),
        )
        .execute();
    });
    const total = (await scim.get('/Users?count=0')).body;
    expect(total).toMatchObject({ itemsPerPage: 0, Resources: [] });
    expect(total.totalResults).toBeGreaterThan(500);
    const ids: string[] = [];
    for (let start = 1; start <= total.totalResults; ) {
      const { body } = await scim.get(`/Users?startIndex=${start}&count=1000&attributes=userName`);
      expect(body.totalResults).toBe(total.totalResults);
      expect(Object.keys(body.Resources[0])).toEqual(['schemas', 'id', 'userName']);
      ids.push(...body.Resources.map(({ id }: { id: string }) => id));
      expect(body.itemsPerPage).toBe(Math.min(200, total.totalResults - start + 1));
      start += body.itemsPerPage;
    }
    expect(new Set(ids).size).toBe(total.totalResults);
    expect((await scim.get(`/Users?startIndex=${ids.length + 1}`)).body.Resources).toEqual([]);
    expect((await scim.get('/Users?startIndex=-5&count=-1')).body).toMatchObject({ startIndex: 1, Resources: [] });
  });
});
