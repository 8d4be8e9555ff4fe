import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { atGoogle, type Google, startGoogle } from '#server/testing/google';
import { begin, signInThrough } from '#server/testing/login-providers';
import { passTime, stopClock } from '#server/testing/second-factor';

const path = '/api/user/confirm';
const tenMinutes = 10 * 60_000;

describe.each(engines)('confirming through a login provider on %s', (engine) => {
  let google: Google;
  let app: TestApp;
  beforeAll(async () => {
    google = await startGoogle();
    app = await startApp(engine, { env: google.env });
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await google.close();
  });
  beforeEach(() => void stopClock());
  afterEach(() => void vi.useRealTimers());

  let people = 0;
  /** A user who signed in with Google only, more than ten minutes ago. */
  async function guest() {
    const number = ++people;
    google.steering.claims = atGoogle(`guest-${number}`, `guest${number}@example.com`);
    const visitor = app.visitor();
    expect(await signInThrough(visitor, 'google')).toBe('/');
    passTime(tenMinutes);
    return { visitor, subject: `guest-${number}`, email: `guest${number}@example.com` };
  }

  test('makes the sign-in fresh, and returns to the page', async () => {
    const { visitor } = await guest();
    expect((await visitor.get(path)).body).toEqual({ isFresh: false, ways: ['google'] });
    expect(await signInThrough(visitor, 'google', { redirect: '/settings?tab=account' })).toBe('/settings?tab=account');
    expect((await visitor.get(path)).body.isFresh).toBe(true);
  });

  test('asks the provider to have the user sign in again', async () => {
    const { visitor } = await guest();
    expect(new URL(await begin(visitor, 'google')).searchParams.get('prompt')).toBe('select_account');
  });

  test('is refused with another account of the provider', async () => {
    const { visitor } = await guest();
    google.steering.claims = atGoogle('stranger', 'stranger@example.com');
    expect(await signInThrough(visitor, 'google')).toBe('/settings?tab=account&error=sign_in_again');
    expect((await visitor.get(path)).body.isFresh).toBe(false);
  });

  test('does not stand in for a password', async () => {
    const number = ++people;
    const email = `member${number}@example.com`;
    const visitor = app.visitor();
    await visitor.post('/api/register', { email, password });
    google.steering.claims = atGoogle(`member-${number}`, email);
    expect(await signInThrough(visitor, 'google')).toContain('connected=google');
    passTime(tenMinutes);
    expect((await visitor.get(path)).body.ways).toEqual(['password']);
    expect(await signInThrough(visitor, 'google')).toContain('connected=google');
    expect((await visitor.get(path)).body.isFresh).toBe(false);
  });
});
