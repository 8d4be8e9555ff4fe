import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { download, inStore, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { until } from '#server/testing/until';

const message = 'The record of this file is damaged, so its contents cannot be found. Please tell the operator.';

describe.each(engines)('a file’s row that names something else on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let masterKey = '';
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
    masterKey = readFileSync(join(app.dataDir, 'master.key'), 'utf8').trim();
  });
  afterAll(() => app.stop());

  async function damaged(storageKey: string) {
    const { id } = await uploaded(app, ada, { filename: 'examples.jsonl', content: '{"messages":[]}' });
    await withDatabase(app, (db) =>
      db.updateTable('files').set({ storage_key: storageKey }).where('id', '=', id).execute(),
    );
    return id;
  }

  test.each(['../master.key', '/etc/passwd', 'A'.repeat(32), ''])('never reads %j, and says why', async (key) => {
    const id = await damaged(key);
    const shown = await download(app, ada, id);
    expect([shown.status, JSON.parse(shown.bytes.toString())]).toMatchObject([500, { code: 'internal', message }]);
    expect(app.logLines.some((line) => line.includes(`the row of file ${id} names no stored bytes`))).toBe(true);
    const threadId = await newThread(ada);
    const uses = [
      await ada.post('/api/fine-tuning/validate', { trainingFileId: id }),
      await ada.post('/api/fine-tuning/convert', { fileId: id }),
      await ada.post(`/api/threads/${threadId}/messages`, {
        message: 'Read this',
        fileIds: [id],
        clientId: crypto.randomUUID(),
      }),
    ];
    for (const { status, body } of uses) expect([status, body]).toMatchObject([500, { code: 'internal', message }]);
    expect(JSON.stringify([shown.bytes.toString(), uses])).not.toContain(masterKey);
    expect((await ada.delete(`/api/files/${id}`)).status).toBe(200);
    expect(existsSync(join(app.dataDir, 'master.key'))).toBe(true);
  });

  test('does not keep an account from being closed, and deletes nothing else', async () => {
    const bob = await app.as('bob');
    const { id } = await uploaded(app, bob);
    await uploaded(app, bob);
    const planted = join(app.dataDir, 'planted');
    writeFileSync(planted, 'still here');
    const before = inStore(app).length;
    await withDatabase(app, (db) =>
      db.updateTable('files').set({ storage_key: '../planted' }).where('id', '=', id).execute(),
    );
    expect((await bob.delete('/api/user', { password })).status).toBe(204);
    await until('The removal', async () => inStore(app).length === before - 1);
    expect(readFileSync(planted, 'utf8')).toBe('still here');
    expect(app.logLines.some((line) => line.includes('damaged_file_rows'))).toBe(true);
  });

  test('is removed as that of an upload that was cut off, and nothing else is', async () => {
    const { id: userId } = (await ada.get('/api/user')).body;
    const planted = join(app.dataDir, 'planted');
    writeFileSync(planted, 'still here');
    const left = {
      user_id: userId,
      storage_key: '../planted',
      reserved_bytes: 1,
      created_at: '2026-11-20T00:00:00.000Z',
    };
    await withDatabase(app, (db) =>
      db
        .insertInto('file_uploads')
        .values({ ...left, instance: 2_000_000_000 })
        .execute(),
    );
    await app.restart();
    const uploads = () => withDatabase(app, (db) => db.selectFrom('file_uploads').select('id').execute());
    await until('The sweep', async () => (await uploads()).length === 0);
    expect(readFileSync(planted, 'utf8')).toBe('still here');
  });
});
