import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { signInThrough } from '#server/testing/login-providers';
import { type OpenId, startOpenId } from '#server/testing/openid';
import { bareRequest } from '#server/testing/test-environment';

type Claims = Record<string, unknown>;
const event = 'http://schemas.openid.net/event/backchannel-logout';
const path = '/auth/oidc/backchannel-logout';

describe.each(engines)('signing out at both ends on %s', (engine) => {
  let provider: OpenId;
  let app: TestApp;
  beforeAll(async () => {
    provider = await startOpenId();
    app = await startApp(engine, { env: provider.env });
    await app.as('ada');
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  let people = 0;
  async function signIn(sid: string, sub = `p-${++people}`) {
    provider.steering.claims = { sub, email: `${sub}@example.com`, email_verified: true, sid };
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'oidc')).toBe('/');
    return { visitor, sub, isIn: async () => (await visitor.get('/api/user')).status === 200 };
  }
  function tokenOf(claims: Claims): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: provider.issuer, aud: 'roster', iat: now, exp: now + 120, jti: randomUUID() };
    return provider.sign({ ...usual, events: { [event]: {} }, ...claims });
  }
  const post = (body: string, headers: Record<string, string> = {}) =>
    bareRequest(app, 'POST', path, { 'content-type': 'application/x-www-form-urlencoded', ...headers }, body);
  const send = async (token: string, headers: Record<string, string> = {}) =>
    (await post(new URLSearchParams({ logout_token: token }).toString(), headers)).status;

  test('ends the session that the provider names, and no other', async () => {
    const one = await signIn('s-1');
    const two = await signIn('s-2', one.sub);
    const other = await signIn('s-3');
    expect(await send(await tokenOf({ sid: 's-1', sub: one.sub }))).toBe(200);
    expect([await one.isIn(), await two.isIn(), await other.isIn()]).toEqual([false, true, true]);
    const { body } = await two.visitor.get('/api/user/security-events');
    expect(body.items[0]).toMatchObject({ event: 'session_ended', detail: 'Signed out at Acme Login' });
  });

  test('ends all sessions of a subject', async () => {
    const one = await signIn('s-4');
    const two = await signIn('s-5', one.sub);
    const other = await signIn('s-6');
    expect(await send(await tokenOf({ sub: one.sub }))).toBe(200);
    expect([await one.isIn(), await two.isIn(), await other.isIn()]).toEqual([false, false, true]);
  });

  test('accepts a token once', async () => {
    const one = await signIn('s-7');
    const token = await tokenOf({ sub: one.sub });
    expect(await send(token)).toBe(200);
    const again = await signIn('s-8', one.sub);
    expect(await send(token)).toBe(400);
    expect(await again.isIn()).toBe(true);
  });

  test.each<[what: string, claims: Claims]>([
    ['for another client', { aud: 'somebody-else' }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['with a nonce, like an identity token', { nonce: 'x' }],
    ['without its event', { events: {} }],
    ['without an id', { jti: undefined }],
    ['without a time', { iat: undefined }],
    ['that is an hour old', { iat: Math.floor(Date.now() / 1000) - 3_600 }],
    ['that names nobody', { sub: undefined }],
  ])('refuses a token %s', async (_what, claims) => {
    const one = await signIn(`s-${randomUUID()}`);
    expect(await send(await tokenOf({ sub: one.sub, ...claims }))).toBe(400);
    expect(await one.isIn()).toBe(true);
  });

  test('refuses a token that the provider did not sign', async () => {
    const one = await signIn('s-9');
    const stranger = await startOpenId();
    await stranger.rotateKeys();
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: provider.issuer, aud: 'roster', iat: now, jti: randomUUID(), sub: one.sub };
    const forged = await stranger.sign({ ...claims, events: { [event]: {} } });
    await stranger.close();
    const [head = '', body = ''] = (await tokenOf({ sub: one.sub })).split('.');
    const bare = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
    for (const token of [forged, `${head}.${body}.AAAA`, bare, 'nonsense']) expect(await send(token)).toBe(400);
    expect(await one.isIn()).toBe(true);
  });

  test('refuses browsers, and bodies without a token', async () => {
    const one = await signIn('s-10');
    const token = await tokenOf({ sub: one.sub });
    expect(await send(token, { origin: 'https://evil.example' })).toBe(403);
    expect(await send(token, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect((await post('')).status).toBe(400);
    expect(await one.isIn()).toBe(true);
  });

  test('signs out at the provider too, with the identity token, and comes back', async () => {
    const { visitor, isIn } = await signIn('s-11');
    expect((await visitor.get('/api/user')).body.atProvider).toBe(true);
    const stored = await withDatabase(app, (db) =>
      db.selectFrom('provider_sessions').select('id_token_sealed').where('sid', '=', 's-11').executeTakeFirstOrThrow(),
    );
    const { status, body } = await visitor.post('/api/logout/provider', {});
    expect(status).toBe(200);
    const url = new URL(body.url);
    expect(url.href).toMatch(new RegExp(`^${provider.issuer}/endsession`));
    expect(url.searchParams.get('client_id')).toBe('roster');
    expect(url.searchParams.get('post_logout_redirect_uri')).toMatch(/\/auth$/);
    const token = url.searchParams.get('id_token_hint') ?? '';
    expect(token.split('.')).toHaveLength(3);
    expect(stored.id_token_sealed).not.toContain(token.split('.')[1]);
    expect(await isIn()).toBe(false);
  });

  test('signs out here alone after a sign-in with a password', async () => {
    const visitor = await app.as('ada');
    expect((await visitor.get('/api/user')).body.atProvider).toBeUndefined();
    const { body } = await visitor.post('/api/logout/provider', {});
    expect(body).toEqual({ url: null });
    expect((await visitor.get('/api/user')).status).toBe(401);
  });

  test('ends the session here although the provider does not answer any more', async () => {
    const { visitor, isIn } = await signIn('s-12');
    provider.service.once('beforeWellKnownOpenIdConfiguration', (answer: { statusCode: number }) => {
      answer.statusCode = 500;
    });
    vi.setSystemTime(Date.now() + 1_000);
    const { status } = await visitor.post('/api/logout/provider', {});
    vi.useRealTimers();
    expect(status).toBe(200);
    expect(await isIn()).toBe(false);
  });
});
