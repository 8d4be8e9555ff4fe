import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { signInThrough } from '#server/testing/login-providers';
import { managedUser, securityLogOf } from '#server/testing/managed-users';
import { type OpenId, startOpenId } from '#server/testing/openid';
import { entraUser, type ScimClient, scimClient, scimToken } from '#server/testing/scim';

const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

describe.each(engines)('groups that a directory provisions on %s', (engine) => {
  let app: TestApp;
  let provider: OpenId;
  let ada: HttpClient;
  let scim: ScimClient;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    provider = await startOpenId();
    const roles = { OIDC_ADMIN_GROUP: 'admins', OIDC_EDITOR_GROUP: 'e7a1-editors' };
    app = await startApp(engine, { env: { ...provider.env, ...roles, SCIM_TOKEN: scimToken } });
    ada = await app.as('ada');
    scim = scimClient(app);
    for (const name of ['u1', 'u2', 'u3']) ids[name] = (await scim.post('/Users', entraUser(name))).body.id;
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  const group = async (displayName: string, more: object = {}): Promise<string> => {
    const { status, body } = await scim.post('/Groups', { schemas: [groupSchema], displayName, ...more });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  };
  const membersOf = async (id: string): Promise<string[]> =>
    (await scim.get(`/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value);
  const member = (name: string) => ({ value: ids[name] });
  const roleOf = async (name: string) => (await managedUser(ada, `${name}@example.com`)).role;

  test('are created, found and changed as Entra ID does', async () => {
    const { status, body } = await scim.post('/Groups', {
      schemas: [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0',
      displayName: 'Staff',
      meta: { resourceType: 'Group' },
    });
    expect([status, body]).toMatchObject([201, { externalId: '8aa1a0c0', displayName: 'Staff', members: [] }]);
    const path = `/Groups/${body.id}`;
    const { members: _members, ...bare } = body;
    const found = await scim.filtered('Groups', 'displayName eq "Staff"', '&excludedAttributes=members');
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [bare] });
    expect((await scim.get(`${path}?excludedAttributes=members`)).body).toEqual(bare);
    expect(await scim.filtered('Groups', 'externalId eq "8aa1a0c0"')).toMatchObject({ body: { totalResults: 1 } });

    const add = { op: 'Add', path: 'members', value: [{ $ref: null, ...member('u1') }] };
    for (let time = 1; time <= 2; time++) expect(await scim.patch(path, add)).toMatchObject({ status: 204 });
    await scim.patch(path, {
      op: 'Add',
      path: 'members',
      value: [member('u2'), member('u3'), { value: '2000000000' }],
    });
    expect(await membersOf(body.id)).toEqual([ids.u1, ids.u2, ids.u3]);
    const isIn = async (name: string) =>
      (await scim.filtered('Groups', `id eq "${body.id}" and members eq "${ids[name]}"`, '&attributes=id')).body
        .totalResults;
    expect([await isIn('u1'), await isIn('u2')]).toEqual([1, 1]);
    expect((await scim.get(`/Users/${ids.u1}`)).body.groups).toMatchObject([{ value: body.id, display: 'Staff' }]);
    await scim.patch(path, { op: 'Remove', path: 'members', value: [member('u1')] });
    await scim.patch(path, { op: 'remove', path: `members[value eq "${ids.u2}"]` });
    for (const memberKey of ['u2', 'u1'])
      await scim.patch(path, { op: 'remove', path: `members[value eq "${ids[memberKey]}"]` });
    expect([await membersOf(body.id), await isIn('u2')]).toEqual([[ids.u3], 0]);
    await scim.patch(path, { op: 'Replace', path: 'displayName', value: 'Everybody' });
    expect((await scim.get(path)).body).toMatchObject({ displayName: 'Everybody', externalId: '8aa1a0c0' });
    await scim.patch(path, { op: 'Remove', path: 'members' });
    expect(await membersOf(body.id)).toEqual([]);
    expect((await scim.delete(path)).status).toBe(204);
    expect((await scim.get(path)).status).toBe(404);
  });

  test('are pushed with their members as Okta does', async () => {
    const id = await group('Pushed', { members: [{ ...member('u1'), display: 'u1@example.com' }] });
    expect(await membersOf(id)).toEqual([ids.u1]);
    const { status, body } = await scim.put(`/Groups/${id}`, {
      schemas: [groupSchema],
      id,
      displayName: 'Pushed again',
      members: [member('u2'), member('u3')],
    });
    expect([status, body.displayName]).toEqual([200, 'Pushed again']);
    expect(await membersOf(id)).toEqual([ids.u2, ids.u3]);
    await scim.patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName: 'Renamed' } });
    await scim.patch(`/Groups/${id}`, { op: 'replace', path: 'members', value: [member('u1')] });
    expect([await membersOf(id), (await scim.get(`/Groups/${id}`)).body.displayName]).toEqual([[ids.u1], 'Renamed']);
    expect((await scim.post('/Groups', { displayName: 'Renamed' })).body).toMatchObject({ scimType: 'uniqueness' });
    expect((await scim.post('/Groups', {})).body).toMatchObject({ scimType: 'invalidValue' });
    expect((await scim.filtered('Groups', 'title eq "x"')).body).toMatchObject({ scimType: 'invalidFilter' });
    expect((await scim.get('/Groups?count=1')).body).toMatchObject({ itemsPerPage: 1 });
  });

  test('give roles by name or by the directory’s id, and take them', async () => {
    expect(await roleOf('u1')).toBe('Viewer');
    const editors = await group('Writers', { externalId: 'e7a1-editors', members: [member('u1')] });
    const admins = await group('Some name', { members: [member('u2')] });
    expect([await roleOf('u1'), await roleOf('u2')]).toEqual(['Editor', 'Viewer']);
    await scim.patch(`/Groups/${admins}`, { op: 'Replace', path: 'displayName', value: 'admins' });
    expect(await roleOf('u2')).toBe('Admin');
    await scim.patch(`/Groups/${admins}`, { op: 'Add', path: 'members', value: [member('u1')] });
    expect(await roleOf('u1')).toBe('Admin');
    await scim.delete(`/Groups/${admins}`);
    expect([await roleOf('u1'), await roleOf('u2')]).toEqual(['Editor', 'Viewer']);
    await scim.put(`/Groups/${editors}`, { displayName: 'Writers', members: [] });
    expect(await roleOf('u1')).toBe('Viewer');
    expect(await securityLogOf(ada, 'u2@example.com')).toEqual([
      'role_changed, operator, Admin to Viewer, by groups at SCIM',
      'role_changed, operator, Viewer to Admin, by groups at SCIM',
      'account_created, operator, SCIM',
    ]);
  });

  test('do not demote the last administrator', async () => {
    const admins = await group('admins', { members: [member('u3')] });
    await setUser(app, 'ada@example.com', { role: 'Editor' });
    for (const refused of [
      await scim.patch(`/Groups/${admins}`, { op: 'Remove', path: 'members' }),
      await scim.delete(`/Groups/${admins}`),
    ])
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringMatching(/cannot be demoted/)]);
    expect(await membersOf(admins)).toEqual([ids.u3]);
    await setUser(app, 'ada@example.com', { role: 'Admin' });
    expect((await scim.delete(`/Groups/${admins}`)).status).toBe(204);
    expect(await roleOf('u3')).toBe('Viewer');
  });

  test('count at sign-ins through the provider too, where the account is connected by its address', async () => {
    await group('Writers by SCIM', { externalId: 'unrelated' });
    const [editors] = (await scim.filtered('Groups', 'externalId eq "e7a1-editors"')).body.Resources;
    await scim.patch(`/Groups/${editors.id}`, { op: 'Add', path: 'members', value: [member('u3')] });
    provider.steering.claims = { sub: 'p-u3', email: 'u3@example.com', email_verified: true, groups: ['readers'] };
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'oidc')).toBe('/');
    expect((await visitor.get('/api/user')).body).toMatchObject({ id: Number(ids.u3), role: 'Editor' });
  });
});
