import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';

describe.each(engines)('unexpected failure on %s', (engine) => {
  test('reaches the client without its message, and the log with it', async () => {
    const app = await startApp(engine);
    onTestFinished(() => app.stop());
    const ada = await app.as('ada');
    await withDatabase(app, (db) => sql`alter table provider_keys rename to somewhere_else`.execute(db));
    const { status, body } = await ada.get('/api/user/config');
    expect(status).toBe(500);
    expect(body).toEqual({
      code: 'internal',
      message: 'Something went wrong on the server. Please try again.',
      requestId: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/),
    });
    const logged = app.logLines.filter((line) => line.includes('unexpected failure'));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('provider_keys');
    expect(logged[0]).toContain(body.requestId);
    expect((await ada.get('/api/user')).status).toBe(200);
  });
});
