import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goodKey, startApp, type TestApp } from '#server/testing/app';
import { ask, asksOf, benchText, messageOf, messagesOf, newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, type NumberedEvent, openEvents, readEvents, textOf, upTo } from '#server/testing/events';
import { freePort } from '#server/testing/free-port';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';
import { spawnServer, untilReady } from '#server/testing/process';

type Process = { url: string; origin: string };

/** The same session on another process. */
function through(process: Process, visitor: HttpClient): HttpClient {
  const led = createHttpClient(() => process);
  for (const [name, value] of visitor.cookies) led.cookies.set(name, value);
  return led;
}

describe('several processes on one PostgreSQL', () => {
  let app: TestApp;
  let second: Process;
  let ada: HttpClient;
  let adaThere: HttpClient;
  beforeAll(async () => {
    app = await startApp('postgres');
    second = await app.secondProcess();
    ada = await app.withKey('ada');
    adaThere = through(second, ada);
  });
  afterAll(() => app.stop());

  test('read a message that was sent to the other', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    await ask(app, ada, threadId, 'hello');
    expect(await messagesOf(adaThere, threadId)).toEqual(await messagesOf(ada, threadId));
  });

  test('stream an answer of the other, resumable after each event', async () => {
    const { run } = await sendMessage(ada, await newThread(ada, { title: 'Named' }), '[[bench 60]] [[delay 20]]');
    const whole = await openEvents(app, ada, run.id);
    const seen: NumberedEvent[] = [];
    for (let count = 1; lastOf(seen)?.type !== 'finished'; count++) {
      const options = { after: seen.length, leaveAfter: 1 + (count % 7) };
      seen.push(...(await readEvents(second, adaThere, run.id, options)));
    }
    expect(seen).toEqual(await whole.all());
    expect(seen.map(({ number }) => number)).toEqual(upTo(seen.length));
    expect(textOf(seen)).toBe(benchText(60));
    for (let after = 0; after <= seen.length; after += 5)
      expect(await readEvents(second, adaThere, run.id, { after })).toEqual(seen.slice(after));
  });

  test('deliver all text in order to the other when stored events are missing', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const { run } = await sendMessage(ada, threadId, '[[bench 120]] [[delay 20]]');
    const lost = await until('Words in three parts', () =>
      withDatabase(app, async (db) => {
        const parts = await db.selectFrom('run_events').selectAll().where('run_id', '=', run.id).execute();
        return parts.length < 3 ? undefined : parts.toSorted((one, other) => one.first_event - other.first_event)[1];
      }),
    );
    const place = lost.first_event;
    await withDatabase(app, (db) =>
      db.deleteFrom('run_events').where('run_id', '=', run.id).where('first_event', '=', place).execute(),
    );
    const [, partly] = await messagesOf(adaThere, threadId);
    expect(benchText(120).startsWith(partly?.text ?? 'nothing')).toBe(true);
    const seen = await readEvents(second, adaThere, run.id);
    expect(seen.map(({ number }) => number)).toEqual(upTo(seen.length));
    expect(textOf(seen)).toBe(benchText(120));
  });

  test('deliver new text to the other soon', async () => {
    const { run } = await sendMessage(ada, await newThread(ada), '[[bench 40000]] [[delay 20]]');
    const [here, there] = [await openEvents(app, ada, run.id), await openEvents(second, adaThere, run.id)];
    // While it is being written, not only at its end, minutes later.
    for (const count of [20, 60, 100]) {
      await here.until(count);
      await there.until(count);
    }
    expect(here.hasEnded).toBe(false);
    here.leave();
    there.leave();
    await ada.post(`/api/runs/${run.id}/stop`);
  });

  test('return partial answers with the thread on both', async () => {
    const threadId = await newThread(ada);
    const { message, run } = await sendMessage(ada, threadId, '[[bench 40]] [[hang 30]]');
    const there = await openEvents(second, adaThere, run.id);
    await until('All thirty words', async () => textOf(there.events) === benchText(30));
    there.leave();
    for (const visitor of [ada, adaThere]) {
      const [, answer] = await messagesOf(visitor, threadId);
      expect(answer).toMatchObject({ text: benchText(30), state: 'running' });
      expect((await visitor.get(`/api/messages/${message.id}/answers`)).body.items).toEqual([answer]);
    }
    await ada.post(`/api/runs/${run.id}/stop`);
    expect((await messagesOf(ada, threadId))[1]).toMatchObject({ text: benchText(30), state: 'stopped' });
  });

  test('stop an answer through the other', async () => {
    const threadId = await newThread(ada);
    const { run } = await sendMessage(ada, threadId, 'Stop from afar [[bench 40000]] [[delay 20]]');
    const reader = await openEvents(second, adaThere, run.id);
    await reader.until(5);
    expect((await adaThere.post(`/api/runs/${run.id}/stop`)).status).toBe(200);
    const events = await reader.all();
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'stopped' });
    expect(await messageOf(adaThere, threadId, run.messageId)).toMatchObject({
      state: 'stopped',
      text: textOf(events),
    });
    await until('The end of the call', async () =>
      (await asksOf(app)).some(({ body, aborted }) => aborted && JSON.stringify(body).includes('Stop from afar')),
    );
  });

  test('store a message once that is sent to both at the same time', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const body = { message: 'To both [[delay 5]]', clientId: 'to-both-at-once' };
    const path = `/api/threads/${threadId}/messages`;
    const answers = await Promise.all([ada, adaThere, ada, adaThere].map((visitor) => visitor.post(path, body)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(answers.map((answer) => answer.body.run.id)).size).toBe(1);
    await readEvents(second, adaThere, answers[0]?.body.run.id);
    expect(await messagesOf(ada, threadId)).toHaveLength(2);
    expect((await asksOf(app)).filter(({ body: request }) => JSON.stringify(request).includes('To both'))).toHaveLength(
      1,
    );
  });

  test('stop only the answer of a thread that is deleted through the other', async () => {
    const [doomed, kept] = [await newThread(ada), await newThread(ada, { title: 'Kept' })];
    const deleted = await sendMessage(ada, doomed, 'Deleted from afar [[bench 40000]] [[delay 20]]');
    const other = await sendMessage(ada, kept, '[[bench 40000]] [[delay 20]]');
    const watching = await openEvents(second, adaThere, deleted.run.id);
    await watching.until(3);
    expect((await adaThere.delete(`/api/threads/${doomed}`)).status).toBe(204);
    await watching.all();
    await until('The end of the call', async () =>
      (await asksOf(app)).some(({ body, aborted }) => aborted && JSON.stringify(body).includes('Deleted from afar')),
    );
    const reader = await openEvents(second, adaThere, other.run.id);
    await reader.until(10);
    await ada.post(`/api/runs/${other.run.id}/stop`);
    expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'stopped' });
    expect(await until('The usage', () => usageOf(deleted.run.id))).toMatchObject({ estimated: 1 });
  });

  test('store other answers when the rows of one are deleted', async () => {
    const [doomed, kept] = [await newThread(ada), await newThread(ada, { title: 'Kept' })];
    const deleted = await sendMessage(ada, doomed, '[[bench 40000]] [[delay 20]]');
    const other = await sendMessage(ada, kept, '[[bench 40000]] [[delay 20]]');
    const here = await openEvents(app, ada, other.run.id);
    await here.until(5);
    // As when an operator deletes the account: no stop is requested.
    await withDatabase(app, (db) => db.deleteFrom('threads').where('id', '=', doomed).execute());
    const there = await openEvents(second, adaThere, other.run.id);
    await here.until(here.events.length + 50);
    await there.until(here.events.length);
    await until('The end of the answer to nobody', async () =>
      (await asksOf(app)).some(({ body, aborted }) => aborted && body.input.length === 1 && body.model !== undefined),
    );
    here.leave();
    there.leave();
    await ada.post(`/api/runs/${other.run.id}/stop`);
    expect(deleted.run.id).not.toBe(other.run.id);
  });

  test('reconnect for signals without losing events or declaring anyone dead', async () => {
    const threadId = await newThread(ada, { title: 'Named' });
    const { run } = await sendMessage(ada, threadId, '[[bench 400]] [[delay 15]]');
    const there = await openEvents(second, adaThere, run.id);
    await there.until(10);
    const { rows } = await withDatabase(app, (db) =>
      sql<{ cut: boolean }>`select pg_terminate_backend(l.pid) as cut from pg_locks l
        join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and d.datname = current_database()`.execute(db),
    );
    expect(rows).toEqual([{ cut: true }, { cut: true }]);
    const events = await there.all();
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
    expect(textOf(events)).toBe(benchText(400));
    const next = await sendMessage(ada, threadId, '[[bench 40000]] [[delay 20]]');
    const reader = await openEvents(second, adaThere, next.run.id);
    await reader.until(3);
    await adaThere.post(`/api/runs/${next.run.id}/stop`);
    expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'stopped' });
  });

  test('end the answers of a killed process', async () => {
    const port = await freePort();
    const third = { url: `http://localhost:${port}`, origin: `http://localhost:${port}` };
    const spawned = spawnServer({
      PORT: String(port),
      DATA_DIR: app.dataDir,
      DATABASE_URL: String(app.databaseUrl),
      PROVIDER_BASE_URL: app.provider.url,
      RATE_LIMIT_SCALE: '1000',
    });
    await untilReady(spawned, port);
    const eve = createHttpClient(() => third);
    await eve.post('/api/register', { email: 'eve@example.com', password: 'correct horse battery' });
    await eve.post('/api/settings/apikey', { apiKey: goodKey });
    const threadId = await newThread(eve);
    const { run } = await sendMessage(eve, threadId, '[[bench 40000]] [[delay 20]]');
    const eveHere = through(second, eve);
    const reader = await openEvents(second, eveHere, run.id);
    await reader.until(20);
    spawned.child.kill('SIGKILL');
    await spawned.ended;
    const events = await reader.all();
    expect(lastOf(events)).toMatchObject({ type: 'failed', error: { code: 'interrupted' } });
    const answer = await messageOf(eveHere, threadId, run.messageId);
    expect(answer).toMatchObject({ state: 'interrupted', text: textOf(events), usage: { estimated: true } });
    expect(benchText(40000).startsWith(answer.text)).toBe(true);
    expect((await ask(second, eveHere, threadId, 'And on')).answer.state).toBe('complete');
  });

  const usageOf = (runId: number) =>
    withDatabase(app, (db) =>
      db.selectFrom('usage_records').selectAll().where('run_id', '=', runId).executeTakeFirst(),
    );
});
