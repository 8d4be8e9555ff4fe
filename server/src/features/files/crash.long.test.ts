import { describe, expect, test } from 'vitest';
import type { Engine } from '#server/db/connect';
import { goodKey } from '#server/testing/app';
import { until } from '#server/testing/chat';
import {
  freeJobs,
  type KillableServer,
  killableInstallation,
  registered,
  roundsOr,
  seeded,
} from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { atProvider, download, filePlaces, inStore, sha256, someBytes, upload } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { startS3 } from '#server/testing/s3';

const rounds = { sqlite: roundsOr(8), postgres: roundsOr(4) };
const roundsOnS3 = roundsOr(4);

async function installation(engine: Engine, store: 'disk' | 'S3') {
  const s3 = store === 'S3' ? await startS3() : undefined;
  const { app, server } = await killableInstallation(engine, s3 && { env: s3.env, close: s3.close });
  const stored = () => (s3 ? s3.names() : inStore(app));
  return { app: { ...app, stored }, server };
}

type Installation = Awaited<ReturnType<typeof installation>>['app'];

const rowsOf = (app: Installation) =>
  withDatabase(app, async (db) => ({
    files: await db.selectFrom('files').select(['id', 'filename', 'sha256', 'storage_key']).orderBy('id').execute(),
    uploads: await db.selectFrom('file_uploads').select('id').execute(),
    unfinished: await db.selectFrom('jobs').select('id').where('kind', '=', 'files.remove-bytes').execute(),
  }));

/** No reservation or removal is left over, and the store holds the listed files, no more and no less. */
const untilTidy = (app: Installation) =>
  until('A tidy store', async () => {
    const { files, uploads, unfinished } = await rowsOf(app);
    if (uploads.length > 0 || unfinished.length > 0) return false;
    const stored = app.stored().toSorted();
    return JSON.stringify(stored) === JSON.stringify(files.map((file) => file.storage_key).toSorted()) && files;
  });

/** Makes later retries due now. */
const hurry = (app: Installation) =>
  withDatabase(app, (db) =>
    db
      .updateTable('jobs')
      .set({ run_at: new Date(0).toISOString() })
      .execute(),
  );

async function checkFiles(
  server: KillableServer,
  visitor: HttpClient,
  contents: Map<string, Buffer>,
  app: Installation,
) {
  for (const { id, filename } of await untilTidy(app)) {
    const { status, bytes } = await download(server, visitor, id);
    expect([status, sha256(bytes)], filename).toEqual([200, sha256(contents.get(filename) ?? Buffer.alloc(0))]);
  }
}

describe.each(filePlaces)('crashes again and again on %s and %s', (engine, store) => {
  test('stores a file whole or not at all, and sends it to the provider once', async () => {
    const { app, server } = await installation(engine, store);
    await server.start();
    const visitor = await registered(server, 'ada');
    const random = seeded(20_261_121);
    const contents = new Map<string, Buffer>();
    const acknowledged = new Set<string>();
    const deleted = new Set<string>();

    for (let round = 0; round < (store === 'S3' ? roundsOnS3 : rounds[engine]); round++) {
      const sending = [0, 1].map(async (number) => {
        const filename = `round ${round} file ${number}.bin`;
        const content = someBytes(200_000 + random(6_000_000));
        contents.set(filename, content);
        const answer = await upload(server, visitor, { filename, content }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.add(filename);
        return answer?.status;
      });
      const [oldest] = (await rowsOf(app)).files;
      const deleting =
        round % 3 === 2 && oldest
          ? visitor.delete(`/api/files/${oldest.id}`).then(
              ({ status }) => status === 200 && deleted.add(oldest.filename),
              () => acknowledged.delete(oldest.filename),
            )
          : undefined;
      // At the start, in the middle, right after the first answer, or a little later.
      if (round % 4 === 3) await Promise.race(sending);
      else await new Promise((resolve) => setTimeout(resolve, random(80)));
      await server.kill();
      await Promise.all(sending);
      await deleting;
      await freeJobs(app);
      await hurry(app);
      await server.start();
      await checkFiles(server, visitor, contents, app);
      const names = new Set((await rowsOf(app)).files.map(({ filename }) => filename));
      for (const filename of acknowledged) if (!deleted.has(filename)) expect(names).toContain(filename);
      for (const filename of deleted) expect(names).not.toContain(filename);
    }

    // Whatever was cut off on its way to or from the provider completes.
    const { files } = await rowsOf(app);
    await until('The provider’s having just these files', async () => {
      await hurry(app);
      const there = (await atProvider(app, goodKey)).map(({ filename }) => filename).toSorted();
      return JSON.stringify(there) === JSON.stringify(files.map(({ filename }) => filename).toSorted());
    });
    expect(files.length).toBeGreaterThan(0);
    expect(await server.terminate()).toBe(0);
  });
});
