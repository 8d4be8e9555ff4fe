import { sql } from 'kysely';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { UnavailableError } from '#server/lib/errors';
import { startApp } from '#server/testing/app';
import {
  ask,
  asksOf,
  benchText,
  forgetAsks,
  messageOf,
  messagesOf,
  newThread,
  sendMessage,
  until,
} from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { lastOf, openEvents, textOf } from '#server/testing/events';
import { uploaded } from '#server/testing/files';
import { startNetworkLink } from '#server/testing/network-link';
import { startS3 } from '#server/testing/s3';
import { createRunSubscriptions } from './lifecycle/subscribe.ts';

async function behindLine() {
  const { hostname, port } = new URL(inject('postgresUrl'));
  const line = await startNetworkLink({ host: hostname, port: Number(port) });
  const app = await startApp('postgres', {
    databaseBy: (url) => new URL(url.href.replace(url.host, `127.0.0.1:${line.port}`)),
  });
  onTestFinished(async () => {
    line.set('open');
    await app.stop();
    await line.close();
  });
  return { app, line };
}

test('stores an answer that ends during a database outage, and sends the end to all readers', async () => {
  const { app, line } = await behindLine();
  const second = await app.secondProcess();
  const ada = await app.withKey('ada');
  const threadId = await newThread(ada, { title: 'Named' });
  const { run } = await sendMessage(ada, threadId, '[[bench 100]] [[delay 10]]');
  const [here, there] = [await openEvents(app, ada, run.id), await openEvents(second, ada, run.id)];
  await Promise.all([here.until(1), there.until(1)]);
  line.set('refuse');
  await until('the whole text', async () => textOf(here.events) === benchText(100) || undefined);
  // By then the end was tried, and the other process has polled.
  await until(
    'the log line of the outage',
    async () =>
      app.logLines.filter((text) => text.includes('service unavailable')).length > 0 ||
      ada.get('/api/threads').then(() => undefined),
  );
  line.set('open');
  for (const reader of [here, there]) {
    const events = await reader.all();
    expect(textOf(events)).toBe(benchText(100));
    expect(lastOf(events)).toEqual({ type: 'finished', reason: 'complete' });
  }
  expect(await messageOf(ada, threadId, run.messageId)).toMatchObject({ state: 'complete', text: benchText(100) });
  const usage = await withDatabase(app, (db) =>
    db.selectFrom('usage_records').selectAll().where('run_id', '=', run.id).execute(),
  );
  expect(usage).toHaveLength(1);
});

test('answers a message whose commit was not confirmed; a retry returns it', async () => {
  const { app, line } = await behindLine();
  const ada = await app.withKey('ada');
  const threadId = await newThread(ada, { title: 'Named' });
  // The connection breaks during the commit.
  const run = (statement: string) => withDatabase(app, (db) => sql.raw(statement).execute(db));
  await run(
    `create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$`,
  );
  await run(
    `create constraint trigger linger after insert on runs deferrable initially deferred for each row execute function linger()`,
  );
  const send = () => ada.post(`/api/threads/${threadId}/messages`, { message: 'Hello', clientId: 'in-doubt-0001' });
  const sending = send();
  await until('the commit', async () => {
    const { rows } = await withDatabase(app, (db) =>
      sql`select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query ilike 'commit'`.execute(
        db,
      ),
    );
    return rows.length > 0;
  });
  line.set('refuse');
  expect(await sending).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
  line.set('open');
  const again = await until('the message', async () => {
    const answer = await send();
    return answer.status === 202 ? answer : undefined;
  });
  const reader = await openEvents(app, ada, again.body.run.id);
  expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'complete' });
  expect(await messagesOf(ada, threadId)).toHaveLength(2);
  expect(await asksOf(app)).toHaveLength(1);
});

test('waits for the file store if an attachment cannot be read', async () => {
  const s3 = await startS3();
  const app = await startApp('sqlite', { env: s3.env });
  onTestFinished(async () => {
    await app.stop();
    await s3.close();
  });
  const ada = await app.withKey('ada');
  const text = await uploaded(app, ada, { filename: 'note.txt', content: Buffer.from('Bring the ladder') });
  const threadId = await newThread(ada, { title: 'Named' });
  await ask(app, ada, threadId, 'What does it say?', { fileIds: [text.id] });
  await forgetAsks(app);
  s3.refuse(() => ({ status: 500, code: 'InternalError' }));
  const { run } = await sendMessage(ada, threadId, 'And why?');
  const reader = await openEvents(app, ada, run.id);
  await until('a look at the store', async () => (await ada.get(`/api/files/${text.id}/content`)).status === 503);
  expect(await asksOf(app)).toEqual([]);
  expect(reader.hasEnded).toBe(false);
  s3.refuse(() => undefined);
  expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'complete' });
  expect(JSON.stringify(await asksOf(app))).toContain('Bring the ladder');
});

test('treats a read-only database as unavailable and reconnects to the primary', async () => {
  const app = await startApp('postgres');
  onTestFinished(() => app.stop());
  const ada = await app.as('ada');
  const name = new URL(app.databaseUrl ?? '').pathname.slice(1);
  const demote = (isReadOnly: boolean) =>
    withDatabase(app, async (db) => {
      await sql`set default_transaction_read_only = off`.execute(db);
      await sql`alter database ${sql.id(name)} set default_transaction_read_only = ${sql.lit(isReadOnly ? 'on' : 'off')}`.execute(
        db,
      );
    });
  const leaveAll = () =>
    withDatabase(app, (db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and pid <> pg_backend_pid()
        and query not like 'listen%'`.execute(db),
    );
  const create = () => ada.post('/api/assistants', { name: 'Tutor', model: 'gpt-4o' });
  await demote(true);
  await leaveAll();
  await until('what can be read', async () => (await ada.get('/api/assistants')).status === 200);
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([503, 'database_unavailable']);
  expect(app.logLines.filter((text) => text.includes('unexpected failure'))).toEqual([]);
  await demote(false);
  // Open connections are not cut, but left by Roster.
  await until('a primary', async () => (await create()).status === 201 || undefined);
});

describe('a reader', () => {
  const run = { id: 7, threadId: 1, messageId: 2, state: 'running' as const };
  const log = Object({ error: () => undefined });
  /** Reads a deleted run; queries succeed once the `failures` are used up. */
  async function watch(failures: Error[]) {
    const findRun = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return undefined;
    };
    let ends = 0;
    const stream = { write: () => undefined, end: () => void ends++, onClose: () => undefined };
    const events = { after: async () => [] };
    const watching = createRunSubscriptions({
      runs: { find: findRun, finished: findRun },
      events,
      log,
      live: new Map(),
    });
    const started = await watching.watch({ userId: 1 }, run, 0, stream).then(
      () => 'follows',
      (error: Error) => error.message,
    );
    return { started, ends: () => ends };
  }

  test('gets the events once its run can be read again', async () => {
    const unavailable = new UnavailableError('database', new Error('unavailable'));
    const reader = await watch([unavailable, unavailable, unavailable]);
    expect([reader.started, reader.ends()]).toEqual(['follows', 0]);
    await until('the end', async () => reader.ends() > 0);
  });

  test('gets an end if its run cannot be read at all', async () => {
    const reader = await watch([new Error('a log that cannot be read')]);
    expect([reader.started, reader.ends()]).toEqual(['a log that cannot be read', 1]);
  });
});
