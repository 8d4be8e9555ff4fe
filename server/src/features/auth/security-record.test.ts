import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';

describe.each(engines)('the security record of sign-ins on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const recordOf = (email: string) =>
    withDatabase(app, (db) =>
      db
        .selectFrom('security_events')
        .innerJoin('users', 'users.id', 'security_events.user_id')
        .select(['event', 'done_by', 'detail', 'ip_address', 'user_agent'])
        .where('users.email', '=', email)
        .orderBy('security_events.id')
        .execute(),
    );

  test('lists every sign-in and sign-out with browser and address', async () => {
    const first = await app.as('ada');
    const email = 'ada@example.com';
    const [second, third] = [app.visitor(), app.visitor()];
    await second.post('/api/login', { email, password: 'wrong' });
    await second.post('/api/login', { email, password });
    await third.post('/api/login', { email, password }, { headers: { 'user-agent': 'x'.repeat(2_000) } });
    await third.post('/api/logout');
    const sessions: { id: string; isCurrent: boolean }[] = (await first.get('/api/user/sessions')).body;
    await first.delete(`/api/user/sessions/${sessions.find(({ isCurrent }) => !isCurrent)?.id}`);
    await second.post('/api/login', { email, password });
    await first.delete('/api/user/sessions');
    // No other session is left: nothing happens.
    await first.delete('/api/user/sessions');
    const record = await recordOf(email);
    expect(record.map(({ event, detail }) => (detail ? `${event}: ${detail}` : event))).toEqual([
      'account_created',
      'sign_in_failed',
      'signed_in: Password',
      'signed_in: Password',
      'signed_out',
      'session_ended: Chrome on Linux',
      'signed_in: Password',
      'other_sessions_ended',
    ]);
    for (const row of record) expect(row).toMatchObject({ done_by: 'self', ip_address: '127.0.0.1' });
    expect(record[0]?.user_agent).toContain('Chrome');
    expect(record[3]?.user_agent).toBe('x'.repeat(500));
  });

  test('stores nothing about an address without an account', async () => {
    const count = async () =>
      (await withDatabase(app, (db) => db.selectFrom('security_events').select('id').execute())).length;
    const before = await count();
    await app.visitor().post('/api/login', { email: 'nobody@example.com', password });
    expect(await count()).toBe(before);
  });

  test('stops recording guesses once the account is locked', async () => {
    await app.as('bob');
    const email = 'bob@example.com';
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ failed_sign_ins: 99 }).where('email', '=', email).execute(),
    );
    for (let number = 1; number <= 4; number++) await app.visitor().post('/api/login', { email, password: 'wrong' });
    expect((await recordOf(email)).map(({ event }) => event)).toEqual(['account_created', 'sign_in_failed']);
  });

  test('records a right password that was refused, up to a limit', async () => {
    await app.as('frank');
    const email = 'frank@example.com';
    const signIn = (typed: string) => app.visitor().post('/api/login', { email, password: typed });
    await setUser(app, email, { status: 'Inactive' });
    expect((await signIn(password)).status).toBe(401);
    await setUser(app, email, { status: 'Active' });
    await withDatabase(app, (db) =>
      db.updateTable('users').set({ failed_sign_ins: 100 }).where('email', '=', email).execute(),
    );
    await withDatabase(app, (db) => db.updateTable('sessions').set({ ip_address: '192.0.2.1' }).execute());
    const inOrder: number[] = [];
    for (let time = 1; time <= 12; time++) inOrder.push((await signIn(password)).status);
    expect(new Set(inOrder)).toEqual(new Set([401]));
    const record = await recordOf(email);
    expect(record.slice(1)).toEqual([
      expect.objectContaining({ event: 'sign_in_failed', detail: 'Correct password, inactive account' }),
      ...Array(10).fill(
        expect.objectContaining({ event: 'sign_in_failed', detail: 'Correct password, locked account' }),
      ),
    ]);
    expect(record[1]).toMatchObject({ done_by: 'self', ip_address: '127.0.0.1' });
  });

  test('deletes events after 180 days; links, pending sign-ins and failed jobs sooner', async () => {
    const ago = (days: number) => new Date(Date.now() - days * 24 * 60 * 60_000).toISOString();
    const { body: carol } = await (await app.as('carol')).get('/api/user');
    const userId: number = carol.id;
    await withDatabase(app, async (db) => {
      for (const [days, detail] of [
        [181, 'old'],
        [179, 'kept'],
      ] as const)
        await db
          .insertInto('security_events')
          .values({ user_id: userId, event: 'signed_in', done_by: 'self', detail, created_at: ago(days) })
          .execute();
      for (const [days, token_hash] of [
        [1.1, 'old'],
        [0.9, 'kept'],
      ] as const)
        await db
          .insertInto('mailed_tokens')
          .values({ user_id: userId, purpose: 'password', token_hash, created_at: ago(days) })
          .execute();
      for (const [days, id_hash] of [
        [1 / 120, 'old'],
        [1 / 360, 'kept'],
      ] as const)
        await db
          .insertInto('sign_in_flows')
          .values({
            id_hash,
            provider: 'google',
            state: '',
            nonce: '',
            code_verifier: '',
            return_path: '/',
            created_at: ago(days),
          })
          .execute();
      for (const [days, last_error] of [
        [31, 'old'],
        [29, 'kept'],
      ] as const)
        await db
          .insertInto('jobs')
          .values({
            kind: 'none',
            payload: '{}',
            run_at: ago(40),
            given_up_at: ago(days),
            last_error,
            created_at: ago(40),
          })
          .execute();
    });
    await app.restart();
    const left = async () =>
      withDatabase(app, async (db) => [
        (await db.selectFrom('jobs').select('last_error').execute()).map((row) => row.last_error),
        (
          await db
            .selectFrom('security_events')
            .select('detail')
            .where('user_id', '=', userId)
            .where('event', '=', 'signed_in')
            .execute()
        ).map((row) => row.detail),
        (await db.selectFrom('mailed_tokens').select('token_hash').execute()).map((row) => row.token_hash),
        (await db.selectFrom('sign_in_flows').select('id_hash').execute()).map((row) => row.id_hash),
      ]);
    await until('the end of what is old', async () => (await left()).every(({ length }) => length === 1));
    expect(await left()).toEqual([['kept'], ['kept'], ['kept'], ['kept']]);
  });
});
