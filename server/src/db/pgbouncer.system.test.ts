// Needs: pgbouncer
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { openEvents, readEvents } from '#server/testing/events';
import { startPgBouncer } from '#server/testing/pgbouncer';
import { roster } from '#server/testing/roster';

test('keeps processes behind PgBouncer aware of each other by the direct address', async () => {
  const pooler = await startPgBouncer(new URL(inject('postgresUrl')));
  onTestFinished(() => pooler.stop());
  const app = await startApp('postgres', { databaseBy: pooler.by, isSessionDirect: true });
  onTestFinished(() => app.stop());
  const second = await app.secondProcess();
  const ada = await app.withKey('ada');

  // Neither takes the other for dead: both hold their locks in sessions of their own.
  const report = async () => (await ada.get('/api/admin/system')).body;
  expect((await report()).processes.answer).toHaveLength(2);

  // Events of a run in one process reach the other, and so does a stop: LISTEN and NOTIFY work.
  const { run } = await sendMessage(ada, await newThread(ada), '[[bench 60000]] [[delay 10]]');
  const elsewhere = await openEvents(second, ada, run.id);
  await elsewhere.until(50);
  const stopped = await until('the stop', async () => {
    const { status } = await ada.post(`/api/runs/${run.id}/stop`);
    return status < 300 || undefined;
  });
  expect(stopped).toBe(true);
  const events = await elsewhere.all();
  expect(events.at(-1)?.event).toMatchObject({ type: 'finished', reason: 'stopped' });

  // Many at once on four connections: transactions, searches and answers.
  const threads = await Promise.all(Array.from({ length: 12 }, () => newThread(ada)));
  for (const threadId of threads.slice(0, 4)) {
    const sent = await sendMessage(ada, threadId, 'Hello through the pool');
    await readEvents(app, ada, sent.run.id);
    expect((await messageOf(ada, threadId, sent.run.messageId)).state).toBe('complete');
  }
  const found = await ada.get('/api/threads?q=pool');
  expect(found.status).toBe(200);

  // Operator commands go through it too, with their cursors.
  const folder = mkdtempSync(join(tmpdir(), 'roster-pool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = pooler.by(new URL(app.databaseUrl ?? '')).href;
  const backup = await roster(['backup', join(folder, 'a.tar')], { DATA_DIR: app.dataDir, DATABASE_URL: url });
  expect([backup.code, backup.errors]).toEqual([0, '']);

  await second.stop();
  expect((await report()).processes.answer).toHaveLength(1);
});
