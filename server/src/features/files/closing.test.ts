import { buffer } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { connect, type Engine } from '#server/db/connect';
import { migrate } from '#server/db/migrate';
import { join as joinOthers } from '#server/db/presence';
import { jobRepository } from '#server/jobs/repository';
import { createWorker } from '#server/jobs/worker';
import { createProvider } from '#server/provider/create';
import { Secret } from '#server/security/secret';
import { createFileStore } from '#server/storage/create';
import { emptyDatabase, engines } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { inStore } from '#server/testing/files';
import { createFiles } from './files.ts';
import { fileRepository } from './repository.ts';

async function installation(engine: Engine) {
  const place = await emptyDatabase(engine);
  const database = connect(place.url, place.dataDir);
  await migrate(database);
  const { db } = database;
  const log = pino({ level: 'silent' });
  const presence = await joinOthers(database, place.url, () => undefined);
  const config = { baseUrl: 'http://127.0.0.1:9/v1', name: 'Nobody', isOpenAi: false };
  const provider = await createProvider({ db, config });
  const store = await createFileStore({ dataDir: place.dataDir, s3: undefined });
  const keys = {
    open: async () => new Secret('unused'),
    noteRejected: async () => undefined,
    config: async () => ({ hasApiKey: false }),
  };
  const kinds = new Map();
  const worker = createWorker(jobRepository(db), kinds, log);
  const files = createFiles({
    db,
    store,
    provider,
    providerName: config.name,
    keys,
    presence,
    minFreeBytes: 0,
    log,
    wake: worker.wake,
  });
  for (const [kind, work] of Object.entries(files.kinds)) kinds.set(kind, work);
  onTestFinished(async () => {
    files.stop();
    await worker.stop();
    await presence.leave();
    await provider.close();
    await database.close();
    await place.remove();
  });
  return { db, files, store, worker, dataDir: place.dataDir };
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

test.each(engines)('an account on %s takes its files along, and closing it takes them away', async (engine) => {
  const { db, files, store, worker, dataDir } = await installation(engine);
  const people = [];
  for (const email of ['ada@example.com', 'bob@example.com']) {
    const { id } = await db
      .insertInto('users')
      .values({ email, role: 'Editor', status: 'Active', created_at: '' })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (let number = 0; number < 3; number++) {
      const storageKey = `${id}-${number}`;
      await store.put(storageKey, bytesOf(`${email} ${number}`));
      const details = {
        filename: 'same.txt',
        type: 'text/plain',
        size: 17,
        sha256: '',
        purpose: 'assistants' as const,
      };
      await fileRepository(db).insert(id, { ...details, storageKey });
    }
    people.push(id);
  }
  const [ada = 0, bob = 0] = people;

  const taken: string[] = [];
  for await (const { filename, size, open } of files.contentsOf(ada))
    taken.push(`${filename} ${size} ${(await buffer(await open())).toString()}`);
  expect(taken).toEqual([0, 1, 2].map((number) => `same.txt 17 ada@example.com ${number}`));

  // A closing that comes to nothing keeps every file.
  const failed = db.transaction().execute(async (trx) => {
    await files.removeAllOf(trx, ada);
    throw new Error('The closing failed');
  });
  await expect(failed).rejects.toThrow('The closing failed');
  worker.wake();
  expect(inStore({ dataDir })).toHaveLength(6);

  await db.transaction().execute(async (trx) => {
    await files.removeAllOf(trx, ada);
    await trx.deleteFrom('users').where('id', '=', ada).execute();
  });
  worker.wake();
  await until('The removal of the bytes', async () => inStore({ dataDir }).length === 3);
  expect(inStore({ dataDir }).toSorted()).toEqual([0, 1, 2].map((number) => `${bob}-${number}`));
  expect(await fileRepository(db).all(ada)).toEqual([]);
});
