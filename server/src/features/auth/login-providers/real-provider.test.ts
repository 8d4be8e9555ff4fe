import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import type { HttpClient } from '#server/testing/http-client';
import { begin, returnFromProvider } from '#server/testing/login-providers';
import { reserveOidcProvider } from '#server/testing/oidc-provider';
import { until } from '#server/testing/until';

/** A browser at the provider: keeps its cookies, and follows its redirects until they lead away. */
function browserAt(issuer: string) {
  const cookies = new Map<string, string>();
  async function send(url: URL, body?: URLSearchParams): Promise<{ page: string; leads: URL | undefined }> {
    const answer = await request(url, {
      method: body ? 'POST' : 'GET',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body && { body: body.toString() }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const page = await answer.body.text();
    const location = answer.headers.location;
    if (typeof location !== 'string') return { page, leads: undefined };
    const next = new URL(location, url);
    return next.origin === issuer ? send(next) : { page, leads: next };
  }
  const actionIn = (page: string) =>
    new URL(/action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '', issuer);
  return {
    send,
    /** Submits the form of a page, as its button does. */
    submit(page: string, fields: Record<string, string>) {
      const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']): [string, string] => [name, value],
      );
      return send(actionIn(page), new URLSearchParams([...hidden, ...Object.entries(fields)]));
    },
  };
}

describe.each(engines)('an OpenID provider with pages of its own on %s', (engine) => {
  const people = {
    olive: { email: 'olive@acme.example', email_verified: true, name: 'Olive', groups: ['staff', 'roster-admins'] },
    peter: { email: 'peter@acme.example', email_verified: true, name: 'Peter', groups: ['staff'] },
    mallory: { email: 'mallory@acme.example', email_verified: true, name: 'Mallory', groups: ['guests'] },
  };
  let provider: Awaited<ReturnType<typeof reserveOidcProvider>>;
  let app: TestApp;
  beforeAll(async () => {
    provider = await reserveOidcProvider(people);
    const groups = { OIDC_ADMIN_GROUP: 'roster-admins', OIDC_ALLOWED_GROUPS: 'staff' };
    app = await startApp(engine, { env: { ...provider.env, ...groups } });
    await provider.serve(app.url);
    await app.as('ada');
  });
  afterAll(async () => {
    await app.stop();
    await provider.close();
  });

  async function signIn(visitor: HttpClient, login: string) {
    const browser = browserAt(provider.issuer);
    const { page } = await browser.send(new URL(await begin(visitor, 'oidc')));
    const consent = await browser.submit(page, { login, password: 'any' });
    const { leads } = await browser.submit(consent.page, {});
    if (!leads) throw new Error(`the provider did not send the browser back: ${consent.page.slice(0, 500)}`);
    return { browser, end: await returnFromProvider(visitor, leads) };
  }

  test('signs people in after login and consent, with the role of their groups', async () => {
    const [olive, peter] = [app.visitor(), app.visitor()];
    expect((await signIn(olive, 'olive')).end).toBe('/');
    expect((await olive.get('/api/user')).body).toMatchObject({
      email: 'olive@acme.example',
      name: 'Olive',
      role: 'Admin',
      atProvider: true,
    });
    expect((await signIn(peter, 'peter')).end).toBe('/');
    expect((await peter.get('/api/user')).body).toMatchObject({ role: 'Editor' });
  });

  test('lets nobody in from outside the groups', async () => {
    const visitor = app.visitor();
    expect((await signIn(visitor, 'mallory')).end).toBe('/auth?error=not_in_groups');
    expect((await visitor.get('/api/user')).status).toBe(401);
  });

  test('comes back from a consent that was cancelled', async () => {
    const visitor = app.visitor();
    const browser = browserAt(provider.issuer);
    const { page } = await browser.send(new URL(await begin(visitor, 'oidc')));
    const [, abort = ''] = /href="([^"]*\/abort)"/.exec(page) ?? [];
    const { leads } = await browser.send(new URL(abort, provider.issuer));
    expect(leads && (await returnFromProvider(visitor, leads))).toBe('/auth?error=cancelled');
  });

  test('logs out at the provider, which ends the other sessions of this person here', async () => {
    const [here, there] = [app.visitor(), app.visitor()];
    const { browser } = await signIn(here, 'peter');
    // The same session at the provider: no page asks for anything.
    const { leads } = await browser.send(new URL(await begin(there, 'oidc')));
    expect(leads && (await returnFromProvider(there, leads))).toBe('/');
    const { body } = await here.post('/api/logout/provider', {});
    expect((await here.get('/api/user')).status).toBe(401);
    const { page } = await browser.send(new URL(body.url));
    const left = await browser.submit(page, { logout: 'yes' });
    expect(left.leads?.href).toBe(`${app.url}/auth`);
    await until('The end of the other session', async () => (await there.get('/api/user')).status === 401);
  });
});
