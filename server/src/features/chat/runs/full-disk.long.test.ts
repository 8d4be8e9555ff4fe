import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '#server/testing/app';
import { ask, benchText, messageOf, newThread, post, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, openEvents, textOf } from '#server/testing/events';
import { onDiskThatFills } from '#server/testing/full-disk';
import { bareRequest } from '#server/testing/test-environment';

const noRoom = 'The server is out of storage. Please tell the operator.';

async function started() {
  const disk = await onDiskThatFills(() => startApp('sqlite'));
  onTestFinished(async () => {
    disk.makeRoom();
    await disk.app.stop();
  });
  const { app } = disk;
  const ada = await app.withKey('ada');
  const threadId = await newThread(ada, { title: 'Named' });
  return { ...disk, app, ada, threadId };
}

test('stores an answer that ends while the disk is full once there is room', async () => {
  const { app, ada, threadId, fill, makeRoom } = await started();
  const { run } = await sendMessage(ada, threadId, '[[bench 10000]] [[delay 1]]');
  const reader = await openEvents(app, ada, run.id);
  await reader.until(1);
  fill();
  await until('the whole text', async () => textOf(reader.events) === benchText(10_000) || undefined);
  const unready = await until('what is missing', async () => {
    const answer = await bareRequest(app, 'GET', '/readyz');
    return answer.status === 507 ? answer : undefined;
  });
  expect(unready.body).toMatchObject({
    code: 'no_space',
    message: noRoom,
    parts: { database: 'missing', storage: 'ok' },
  });
  // Logged repeatedly, not only once.
  expect((await bareRequest(app, 'GET', '/readyz')).status).toBe(507);
  expect((await post(ada, threadId, 'Another one')).status).toBeGreaterThanOrEqual(409);
  expect(reader.hasEnded).toBe(false);
  expect((await messageOf(ada, threadId, run.messageId)).state).toBe('running');

  makeRoom();
  const events = await reader.all();
  expect(textOf(events)).toBe(benchText(10_000));
  expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
  expect(await messageOf(ada, threadId, run.messageId)).toMatchObject({ state: 'complete', text: benchText(10_000) });
  const usage = await withDatabase(app, (db) =>
    db.selectFrom('usage_records').where('run_id', '=', run.id).selectAll().execute(),
  );
  expect(usage).toHaveLength(1);
  expect((await bareRequest(app, 'GET', '/readyz')).status).toBe(200);
  expect((await ask(app, ada, threadId, 'Hello')).answer.state).toBe('complete');
  expect(app.logLines.filter((line) => line.includes('unexpected failure') || line.includes('run failed'))).toEqual([]);
});

test('stops an answer while the disk is full, and keeps its text', async () => {
  const { app, ada, threadId, fill, makeRoom } = await started();
  const { run } = await sendMessage(ada, threadId, '[[bench 100000]] [[delay 1]]');
  const reader = await openEvents(app, ada, run.id);
  await reader.until(1);
  fill();
  await until('enough text', async () => textOf(reader.events).length > 20_000 || undefined);
  expect((await ada.post(`/api/runs/${run.id}/stop`)).status).toBe(200);
  const words = textOf(reader.events);
  makeRoom();
  const events = await reader.all();
  expect(lastOf(events)).toEqual({ type: 'finished', reason: 'stopped' });
  const { state, text } = await messageOf(ada, threadId, run.messageId);
  expect(state).toBe('stopped');
  expect(text).toBe(textOf(events));
  expect(text.startsWith(words)).toBe(true);
  expect((await ask(app, ada, threadId, 'Hello')).answer.state).toBe('complete');
});

test('rejects requests while the disk is full, and stores nothing', async () => {
  const { app, ada, fill, makeRoom } = await started();
  const create = () =>
    ada.post('/api/assistants', { name: 'Tutor', model: 'gpt-4o', instructions: 'long '.repeat(290) });
  const count = async () =>
    (await withDatabase(app, (db) => db.selectFrom('assistants').select('id').execute())).length;
  fill();
  let created = 0;
  const refused = await until('a refusal', async () => {
    const answer = await create();
    if (answer.status !== 201) return answer;
    created++;
    return undefined;
  });
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([507, 'no_space', noRoom]);
  expect(refused.headers['retry-after']).toBe('60');
  expect(await count()).toBe(created);
  makeRoom();
  expect((await create()).status).toBe(201);
  expect(await count()).toBe(created + 1);
});
