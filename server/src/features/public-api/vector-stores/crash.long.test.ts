import type OpenAI from 'openai';
import { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { engines, goodKey } from '#server/testing/app';
import { freeJobs, killableInstallation, registered, roundsOr, seeded } from '#server/testing/crash';
import { filesIn, storesOf } from '#server/testing/knowledge';
import { until } from '#server/testing/until';
import { fileClient, whileIndexing } from '#server/testing/vector-stores';

const rounds = roundsOr(3);
const files = 8;

describe.each(engines)('a crash in the middle of batches, on %s', (engine) => {
  test('leaves each store at the provider once, with all of its files', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const { client } = await fileClient(server, await registered(server, 'ada'));
    const sent = await Promise.all(
      Array.from({ length: files }, async (_, number) =>
        client.files.create({ file: await toFile(Buffer.from(`${number}`), `${number}.md`), purpose: 'assistants' }),
      ),
    );
    const file_ids = sent.map(({ id }) => id);
    const random = seeded(20_261_123);
    const made: { id: string; batch: string }[] = [];
    for (let round = 0; round < rounds; round++) {
      const { id } = await client.vectorStores.create({ name: `Round ${round}` });
      const { id: batch } = await client.vectorStores.fileBatches.create(id, { file_ids });
      made.push({ id, batch });
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      await server.kill();
      await freeJobs(app);
      await server.start();
    }
    for (const { id, batch } of made) {
      const look = async () => {
        const found: OpenAI.VectorStores.VectorStoreFileBatch = await client.vectorStores.fileBatches.retrieve(batch, {
          vector_store_id: id,
        });
        return found.status === 'completed' && found.file_counts.completed === files;
      };
      await whileIndexing(app, until('The end of the batch', look));
    }
    const stores = await storesOf(app, goodKey);
    expect(stores).toHaveLength(rounds);
    for (const { id } of stores) expect(await filesIn(app, goodKey, id)).toHaveLength(files);
    for (const { id } of made) await client.vectorStores.delete(id);
    await until('The removal at the provider', async () => (await storesOf(app, goodKey)).length === 0);
    expect(await server.terminate()).toBe(0);
  });
});
