import { describe, expect, test } from 'vitest';
import { engines, goodKey } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { freeJobs, killableInstallation, registered, roundsOr, seeded } from '#server/testing/crash';
import { uploaded } from '#server/testing/files';
import { filesIn, storesOf, untilIndexed } from '#server/testing/knowledge';

const rounds = roundsOr(4);

describe.each(engines)('indexing with repeated kills on %s', (engine) => {
  test('leaves each assistant one store with its files, and nothing else', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const visitor = await registered(server, 'ada');
    const fileIds: number[] = [];
    for (const filename of ['a.md', 'b.md'])
      fileIds.push((await uploaded(server, visitor, { filename, content: filename })).id);
    const random = seeded(20_261_122);
    const assistants: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const assistantId = await createAssistant(visitor, { name: `Round ${round}` });
      assistants.push(assistantId);
      const { status } = await visitor.post(`/api/assistants/${assistantId}/files`, { fileIds });
      expect(status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      await server.kill();
      await freeJobs(app);
      await server.start();
    }
    for (const assistantId of assistants) await untilIndexed(app, visitor, assistantId, ['ready', 'ready']);
    const stores = await storesOf(app, goodKey);
    expect(stores).toHaveLength(rounds);
    for (const { id } of stores) expect(await filesIn(app, goodKey, id)).toHaveLength(2);

    for (const assistantId of assistants) {
      expect((await visitor.delete(`/api/assistants/${assistantId}`)).status).toBe(204);
      if (assistantId % 2 === 0) {
        await server.kill();
        await freeJobs(app);
        await server.start();
      }
    }
    await expect.poll(() => storesOf(app, goodKey)).toEqual([]);
    expect(await server.terminate()).toBe(0);
  });
});
