import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { engines, password, startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { atGitHub, startGitHub } from '#server/testing/github';
import { atGoogle, startGoogle } from '#server/testing/google';
import { signInThrough } from '#server/testing/login-providers';

type Provider = 'google' | 'github';

/** Starts two issuers for each provider; a user has the same subject at both. */
async function issuers() {
  const both = {
    google: [await startGoogle(), await startGoogle()],
    github: [await startGitHub(), await startGitHub()],
  };
  const env = (provider: Provider, number: 0 | 1) => both[provider][number]?.env ?? {};
  return {
    env,
    signsIn(provider: Provider, subject: number, email: string) {
      for (const issuer of both.google) issuer.steering.claims = atGoogle(String(subject), email);
      for (const issuer of both.github) issuer.steering.person = atGitHub(subject, email);
      return provider;
    },
    async close() {
      for (const issuer of [...both.google, ...both.github]) await issuer.close();
    },
  };
}

describe.each(engines)('the issuer of an identity on %s', (engine) => {
  let at: Awaited<ReturnType<typeof issuers>>;
  beforeAll(async () => {
    at = await issuers();
  });
  afterAll(() => at.close());

  async function started(provider: Provider) {
    const app = await startApp(engine, { env: at.env(provider, 0) });
    onTestFinished(() => app.stop());
    await app.as('ada');
    const change = async (number: 0 | 1, more: Record<string, string> = {}) => {
      await app.halt();
      await app.startWith({ ...at.env(provider, number), ...more });
    };
    return { app, change };
  }
  type App = Awaited<ReturnType<typeof startApp>>;

  async function signIn(app: App, provider: Provider, subject: number, email: string) {
    const visitor = app.visitor();
    const end = await signInThrough(visitor, at.signsIn(provider, subject, email));
    return { visitor, end, user: (await visitor.get('/api/user')).body };
  }
  const identities = (app: App) =>
    withDatabase(app, (db) =>
      db.selectFrom('identities').select(['user_id', 'subject', 'issuer']).orderBy('id').execute(),
    );
  /** Restores the state in which the last release leaves the database. */
  const forget = (app: App) =>
    withDatabase(app, async (db) => {
      await db.updateTable('identities').set({ issuer: null }).execute();
      await db.deleteFrom('settings').where('name', 'in', ['issuer_of_google', 'issuer_of_github']).execute();
    });

  describe.each<Provider>(['google', 'github'])('at %s', (provider) => {
    const name = { google: 'GOOGLE_ISSUER', github: 'GITHUB_URL' }[provider];
    const issuer = (number: 0 | 1) =>
      String(Object.entries(at.env(provider, number)).find(([key]) => key === name)?.[1]).replace(/\/$/, '');

    test('opens no existing account for another issuer with the same subjects', async () => {
      const { app, change } = await started(provider);
      const first = await signIn(app, provider, 5, 'first@example.com');
      await change(1);
      const second = await signIn(app, provider, 5, 'second@example.com');
      expect(second.end).toBe('/');
      expect(second.user.email).toBe('second@example.com');
      expect(second.user.id).not.toBe(first.user.id);
      expect((await first.visitor.get('/api/user/oauth-profiles')).body[provider].connected).toBe(false);

      // Each user keeps their own account if the operator switches back.
      await change(0);
      expect((await signIn(app, provider, 5, 'anything@example.com')).user.id).toBe(first.user.id);
      expect((await first.visitor.get('/api/user/oauth-profiles')).body[provider].connected).toBe(true);
      expect((await identities(app)).map(({ user_id, issuer: at }) => [user_id, at])).toEqual([
        [first.user.id, issuer(0)],
        [second.user.id, issuer(1)],
      ]);
    });

    test('rejects another issuer while registration is closed, and says so', async () => {
      const { app, change } = await started(provider);
      await signIn(app, provider, 6, 'first@example.com');
      await change(1, { REGISTRATION: 'closed' });
      expect((await signIn(app, provider, 6, 'second@example.com')).end).toBe('/auth?error=registration_closed');
    });

    test('assigns the configured issuer to rows of the last release at startup', async () => {
      const { app, change } = await started(provider);
      const { user } = await signIn(app, provider, 7, 'first@example.com');
      await forget(app);
      await change(0);
      expect(await identities(app)).toEqual([{ user_id: user.id, subject: '7', issuer: issuer(0) }]);
      expect((await signIn(app, provider, 7, 'changed@example.com')).user.id).toBe(user.id);
    });

    test('assigns later rows of the last release to the first issuer, whatever is configured since', async () => {
      const { app, change } = await started(provider);
      const { user } = await signIn(app, provider, 8, 'first@example.com');
      const nameless = () => withDatabase(app, (db) => db.updateTable('identities').set({ issuer: null }).execute());
      await nameless();
      // Immediately, without a restart in between.
      expect((await signIn(app, provider, 8, 'changed@example.com')).user.id).toBe(user.id);
      await change(1);
      expect(await identities(app)).toEqual([{ user_id: user.id, subject: '8', issuer: issuer(0) }]);
      await nameless();
      expect((await signIn(app, provider, 8, 'second@example.com')).user.id).not.toBe(user.id);
    });

    test('starts although both releases have connected the same user', async () => {
      const { app, change } = await started(provider);
      const { user } = await signIn(app, provider, 9, 'first@example.com');
      await withDatabase(app, (db) =>
        db
          .insertInto('identities')
          .values({ user_id: user.id, provider, issuer: null, subject: '9', email: 'x@example.com', created_at: '' })
          .execute(),
      );
      await change(0);
      expect((await signIn(app, provider, 9, 'first@example.com')).user.id).toBe(user.id);
    });

    test('treats every spelling of its address alike', async () => {
      const { app, change } = await started(provider);
      const { user } = await signIn(app, provider, 10, 'first@example.com');
      await change(0, { [name]: `${issuer(0)}/` });
      expect((await signIn(app, provider, 10, 'changed@example.com')).user.id).toBe(user.id);
    });

    test('knows a user at two issuers; disconnecting ends both, only the configured one signs in', async () => {
      const { app, change } = await started(provider);
      const { visitor, user } = await signIn(app, provider, 11, 'first@example.com');
      await change(1);
      const paths = { profiles: '/api/user/oauth-profiles', one: `/api/user/oauth-profiles/${provider}` };
      expect((await visitor.delete(paths.one)).status).toBe(404);
      expect(await signInThrough(visitor, at.signsIn(provider, 12, 'elsewhere@example.com'))).toBe(
        `/settings?tab=account&connected=${provider}`,
      );
      expect((await visitor.get(paths.profiles)).body[provider]).toEqual({
        connected: true,
        email: 'elsewhere@example.com',
      });
      expect((await visitor.delete(paths.one)).body.code).toBe('last_sign_in_method');
      const other = app.visitor();
      await other.post('/api/register', { email: 'other@example.com', password });
      await withDatabase(app, (db) =>
        db
          .updateTable('users')
          .set((eb) => ({
            password_hash: eb
              .selectFrom('users as o')
              .select('o.password_hash')
              .where('o.email', '=', 'other@example.com'),
          }))
          .where('id', '=', user.id)
          .execute(),
      );
      expect((await visitor.delete(paths.one)).status).toBe(204);
      expect(await identities(app)).toEqual([]);
    });
  });
});
