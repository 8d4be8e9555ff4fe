import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { engines, startApp } from '#server/testing/app';
import { withDatabase } from '#server/testing/database';
import { rewrapKeys } from './key-rotation.ts';
import { Secret } from './secret.ts';
import { createVault } from './vault.ts';

test.each(engines)('leaves out an account that is closed meanwhile, and goes on, on %s', async (engine) => {
  const app = await startApp(engine);
  onTestFinished(() => app.stop());
  for (const name of ['ada', 'bob']) await app.withKey(name);
  await withDatabase(app, async (db) => {
    const users: number[] = [];
    let closing: Promise<unknown> = Promise.resolve();
    const vault = {
      ...createVault([{ id: 'next', key: new Secret(randomBytes(32)) }]),
      rewrap(userId: number, wrapped: string) {
        users.push(userId);
        if (users.length === 1) closing = db.deleteFrom('data_keys').where('user_id', '=', userId).execute();
        return wrapped;
      },
    };
    expect(await rewrapKeys(db, vault)).toMatchObject({ unreadable: [] });
    await closing;
    expect(users).toHaveLength(2);
  });
});
