import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/db/connect';
import { AppError } from '#server/lib/errors';
import { diskStore } from '#server/storage/disk';
import { engines, readyDatabase } from '#server/testing/app';
import { uploadService } from './uploads.ts';

const at = '2026-11-20T00:00:00.000Z';
const tooMany = expect.objectContaining({ code: 'rate_limited' });
const cutOff = new AppError('invalid_input', 'The upload was incomplete.');

test.each(engines)(
  'clears, on %s, what it could not while the database was unavailable, and nothing active',
  async (engine) => {
    const { url, dataDir, remove } = await readyDatabase(engine);
    const { db, close } = openDatabase(url, dataDir);
    onTestFinished(async () => {
      await close();
      await remove();
    });
    const person = { email: 'ada@example.com', role: 'Editor', status: 'Active', created_at: at } as const;
    const { id: userId } = await db.insertInto('users').values(person).returning('id').executeTakeFirstOrThrow();
    const started = db.insertInto('instances').values({ started_at: at });
    const { id: instance } = await started.returning('id').executeTakeFirstOrThrow();
    const left = { user_id: userId, reserved_bytes: 1, created_at: at, instance };
    for (const letter of ['a', 'b'])
      await db
        .insertInto('file_uploads')
        .values({ ...left, storage_key: letter.repeat(32) })
        .execute();
    mkdirSync(join(dataDir, 'files'));
    const uploads = uploadService({
      db,
      store: diskStore(join(dataDir, 'files')),
      instance,
      isGone: async () => false,
      hasKey: async () => true,
      minFreeBytes: 0,
      log: pino({ level: 'silent' }),
    });
    const uploader = { userId, recheckAccess: async () => undefined };
    const receiving = Promise.withResolvers<void>();
    const coming = Promise.withResolvers<never>();
    const begin = () =>
      uploads.upload(uploader, 5, () => {
        receiving.resolve();
        return coming.promise;
      });
    await expect(begin()).rejects.toEqual(tooMany);

    expect(await uploads.sweep()).toBe(2);
    const upload = begin();
    await receiving.promise;
    expect(await uploads.sweep()).toBe(0);
    coming.reject(cutOff);
    await expect(upload).rejects.toBe(cutOff);
  },
);
