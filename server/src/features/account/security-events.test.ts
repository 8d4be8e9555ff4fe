import type { SecurityEvent } from '@roster/contracts/account';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, goodKey, startApp, type TestApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';

const path = '/api/user/security-events';

describe.each(engines)('a user’s security events on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
  });
  afterAll(() => app.stop());

  const idOf = async (visitor: HttpClient): Promise<number> => (await visitor.get('/api/user')).body.id;
  const record = (rows: { userId: number; detail: string; ip?: string; agent?: string }[]) =>
    withDatabase(app, (db) =>
      db
        .insertInto('security_events')
        .values(
          rows.map(({ userId, detail, ip = null, agent = null }) => ({
            user_id: userId,
            event: 'details_changed' as const,
            done_by: 'administrator' as const,
            user_agent: agent,
            ip_address: ip,
            detail,
            created_at: new Date().toISOString(),
          })),
        )
        .execute(),
    );
  const all = async (visitor: HttpClient): Promise<SecurityEvent[]> =>
    (await visitor.get(`${path}?limit=100`)).body.items;

  test('record key changes with device and address, but never the key', async () => {
    const ada = await app.as('ada');
    await ada.post('/api/settings/apikey', { apiKey: goodKey });
    await ada.post('/api/settings/apikey', { apiKey: 'sk-invalid-key' });
    await ada.delete('/api/settings/apikey');
    await ada.delete('/api/settings/apikey');
    const events = (await all(ada)).filter(({ event }) => event.startsWith('api_key'));
    const seen = { by: 'self', device: 'Chrome on Linux', ipAddress: expect.stringMatching(/127\.0\.0\.1|::1/) };
    expect(events).toMatchObject([
      { event: 'api_key_removed', ...seen, detail: null },
      { event: 'api_key_saved', ...seen, detail: null },
    ]);
    expect(JSON.stringify(events)).not.toContain(goodKey.slice(0, 12));
  });

  test('are listed in pages, newest first, even while new ones are added', async () => {
    const bob = await app.as('bob');
    const userId = await idOf(bob);
    const details = Array.from({ length: 60 }, (_, index) => `change ${index}`);
    await record(details.map((detail) => ({ userId, detail })));
    const expected = (await all(bob)).map(({ id }) => id);
    expect(expected.length).toBeGreaterThanOrEqual(60);
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { status, body } = await bob.get(`${path}?limit=7${next}`);
      expect(status).toBe(200);
      expect(body.items.length).toBeLessThanOrEqual(7);
      seen.push(...body.items.map(({ id }: SecurityEvent) => id));
      cursor = body.nextCursor;
      await record([{ userId, detail: 'meanwhile' }]);
    } while (cursor !== null);
    expect(seen).toEqual(expected);
  });

  test('have no device if no browser was involved', async () => {
    const cleo = await app.as('cleo');
    const userId = await idOf(cleo);
    await record([
      { userId, detail: 'Editor to Viewer' },
      { userId, detail: 'with an address', ip: '192.0.2.7' },
    ]);
    const [addressed, plain] = await all(cleo);
    expect(plain).toMatchObject({ by: 'administrator', device: null, ipAddress: null, detail: 'Editor to Viewer' });
    expect(addressed).toMatchObject({ device: 'Unknown device', ipAddress: '192.0.2.7' });
  });

  test('are hidden from others', async () => {
    const [dan, eve] = [await app.as('dan'), await app.as('eve')];
    await record([{ userId: await idOf(dan), detail: 'only of Dan' }]);
    expect(JSON.stringify(await all(eve))).not.toContain('only of Dan');
    expect(JSON.stringify(await all(dan))).toContain('only of Dan');
  });

  test.each(['x', 'ZTA', 'ZS0x', 'ZTE=', '%20', 'ZTk5OTk5OTk5OTk', `${'A'.repeat(150)}`])(
    'rejects the foreign cursor %s',
    async (cursor) => {
      const { status, body } = await (await app.as('eve')).get(`${path}?cursor=${cursor}`);
      expect([status, body.code]).toEqual([400, 'invalid_input']);
      expect(body.fields).toHaveProperty('cursor');
    },
  );
});
