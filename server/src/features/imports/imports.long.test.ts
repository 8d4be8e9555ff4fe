import { describe, expect, test } from 'vitest';
import { engines } from '#server/testing/app';
import { freeJobs, killableInstallation, registered, seeded } from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { exchange, exportedChat, zipped } from '#server/testing/exports';
import { readImport, untilImport } from '#server/testing/imports';
import { until } from '#server/testing/until';

const conversations = 1_000;
const kills = 5;

describe.each(engines)('an import of a killed server on %s', (engine) => {
  test('neither doubles nor loses anything', async () => {
    const { app, server } = await killableInstallation(engine);
    await server.start();
    const ada = await registered(server, 'ada');
    const chats = Array.from({ length: conversations }, (_, at) =>
      exportedChat(`${at}`, `Chat ${at}`, [
        ...exchange(`topic${at}`),
        { id: 'b', parent: 'q', role: 'assistant', text: `Other ${at}`, model: 'gpt-4o' },
      ]),
    );
    const { id } = await readImport(server, ada, await zipped({ 'conversations.json': chats }));
    expect((await ada.post(`/api/imports/${id}/start`)).status).toBe(202);
    const random = seeded(7);
    for (let kill = 0; kill < kills; kill++) {
      const goal = Math.floor(((kill + 1) * conversations) / (kills + 1)) - random(100);
      await until('Progress', async () => (await ada.get(`/api/imports/${id}`)).body.processed >= goal);
      await server.kill();
      await server.start();
      await freeJobs(app);
    }
    expect(await untilImport(ada, id, ['done', 'failed'])).toMatchObject({
      state: 'done',
      processed: conversations,
      importedConversations: conversations,
      importedMessages: conversations * 3,
    });
    await withDatabase(app, async (db) => {
      const threads = await db.selectFrom('threads').select('source_id').distinct().execute();
      const messages = await db
        .selectFrom('messages')
        .select((eb) => eb.fn.countAll<number>().as('all'))
        .execute();
      expect([threads.length, messages[0]?.all]).toEqual([conversations, conversations * 3]);
    });
  });
});
