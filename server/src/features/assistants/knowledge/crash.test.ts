import { createSimulator } from '@roster/simulator/simulator';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, engines, goodKey } from '#server/testing/app';
import { created } from '#server/testing/assistants';
import { killableServer, registered, seeded } from '#server/testing/crash';
import { beside } from '#server/testing/database';
import { uploaded } from '#server/testing/files';
import { filesIn, indexed, storesOf } from '#server/testing/knowledge';

const rounds = 6;

describe.each(engines)('killed again and again on %s', (engine) => {
  test('each assistant has one store with its files, and nothing else is there', { timeout: 900_000 }, async () => {
    const database = await emptyDatabase(engine);
    const simulator = createSimulator({ tokenDelayMs: 0 });
    const provider = await simulator.listen();
    const server = await killableServer({
      DATA_DIR: database.dataDir,
      PROVIDER_BASE_URL: provider.url,
      ...(database.url && { DATABASE_URL: database.url }),
    });
    onTestFinished(async () => {
      await server.kill();
      await simulator.close();
      await database.remove();
    });
    const app = { dataDir: database.dataDir, databaseUrl: database.url, provider };
    /** Jobs that a dead process had taken are free again only after their lease; here at once. Not while one lives. */
    const freeJobs = () => beside(app, (db) => db.updateTable('jobs').set({ claimed_until: null }).execute());

    await server.start();
    const visitor = await registered(server, 'ada');
    const fileIds: number[] = [];
    for (const filename of ['a.md', 'b.md'])
      fileIds.push((await uploaded(server, visitor, { filename, content: filename })).id);
    const random = seeded(20_261_122);
    const assistants: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const assistantId = await created(visitor, { name: `Round ${round}` });
      assistants.push(assistantId);
      const { status } = await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds });
      expect(status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      await server.kill();
      await freeJobs();
      await server.start();
    }
    for (const assistantId of assistants) await indexed(app, visitor, assistantId, ['ready', 'ready']);
    const stores = await storesOf(app, goodKey);
    expect(stores).toHaveLength(rounds);
    for (const { id } of stores) expect(await filesIn(app, goodKey, id)).toHaveLength(2);

    for (const assistantId of assistants) {
      expect((await visitor.delete(`/api/assistants/${assistantId}`)).status).toBe(204);
      if (assistantId % 2 === 0) {
        await server.kill();
        await freeJobs();
        await server.start();
      }
    }
    await expect.poll(() => storesOf(app, goodKey)).toEqual([]);
    expect(await server.terminate()).toBe(0);
  });
});
