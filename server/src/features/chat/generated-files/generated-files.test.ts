import type { Message } from '@roster/contracts/chat';
import { storageLimit } from '@roster/contracts/files/files';
import type { Fault } from '@roster/simulator/faults/fault';
import type { Kysely } from 'kysely';
import OpenAI from 'openai';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/schema';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { ask, askedOf, deleteForGood, messageOf, newThread, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { readEvents } from '#server/testing/events';
import { withFault } from '#server/testing/faults';
import { download, inStore } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { beginDownload, unzip } from '#server/testing/zip';

const inContainers = { path: '/containers/*' };
const isGone = 'The provider no longer has it: files made by code are kept there for twenty minutes.';

describe.each(engines)('files that code generates for an answer on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine, { providerTimes: { containerFileMs: 700 } });
    await app.as('admin');
  });
  afterAll(() => app.stop());

  /** A user with a conversation whose assistant runs code. */
  async function coder() {
    const { visitor } = await app.someone('coder');
    const assistantId = await createAssistant(visitor, { tools: { codeInterpreter: {} } });
    const threadId = await newThread(visitor, { assistantId, title: 'Named' });
    return { visitor, threadId };
  }
  /** Makes the next retry due now. */
  const hurry = () =>
    withDatabase(app, (db) =>
      db
        .updateTable('jobs')
        .set({ run_at: new Date(0).toISOString(), claimed_until: null })
        .where('kind', '=', 'chat.fetch-made-file')
        .execute(),
    );
  const isFetching = ({ unkept = [] }: Message) => unkept.some(({ state }) => state === 'fetching');
  const settled = (visitor: HttpClient, threadId: number, messageId: number) =>
    until('The end of the fetching', async () => {
      const message = await messageOf(visitor, threadId, messageId);
      return !isFetching(message) && message;
    });
  /** Waits until the page says why a file is missing. */
  const troubled = (visitor: HttpClient, threadId: number, messageId: number) =>
    until('The words', async () => {
      const { unkept = [] } = await messageOf(visitor, threadId, messageId);
      return unkept[0]?.error !== null && unkept[0];
    });
  async function made(names: string, more = '') {
    const { visitor, threadId } = await coder();
    const { answer, run } = await ask(app, visitor, threadId, `[[make ${names}]] ${more}`);
    return { visitor, threadId, messageId: answer.id, runId: run.id };
  }
  async function madeAndSettled(names: string) {
    const { visitor, threadId, messageId } = await made(names);
    return { visitor, threadId, answer: await settled(visitor, threadId, messageId) };
  }
  const filesOf = async (visitor: HttpClient, query = '') => (await visitor.get(`/api/files${query}`)).body;

  test('become files of the answer and its owner, with the kind detected from the bytes', async () => {
    const names = 'plot.png table.csv html.png drawing.svg bytes.bin inline.png output.png';
    const { visitor, threadId, answer } = await madeAndSettled(names);
    expect(answer.unkept).toBeUndefined();
    expect(answer.files.map(({ filename, kind }) => [filename, kind])).toEqual([
      ['picture 1.png', 'image'],
      ['picture 2.png', 'image'],
      ['plot.png', 'image'],
      ['table.csv', 'text'],
      ['html.png', 'text'],
      ['drawing.svg', 'text'],
      ['bytes.bin', 'document'],
    ]);
    for (const { id } of answer.files) {
      const { headers, status } = await download(app, visitor, id ?? 0);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': expect.stringMatching(/^attachment/),
      });
    }
    const listed = await filesOf(visitor, '?madeByAssistant=true&sort=name');
    expect(listed).toHaveLength(7);
    expect(listed[0]).toMatchObject({ madeByAssistant: true, purpose: 'user_data', usedBy: 1 });
    expect(await filesOf(visitor, '?madeByAssistant=false')).toEqual([]);
    expect((await filesOf(visitor, '/summary')).totalFiles).toBe(7);
    const { body } = await visitor.get('/api/threads?q=table.csv');
    expect(body.items.map(({ id }: { id: number }) => id)).toEqual([threadId]);
    // The log of the answer contains no image data.
    const events = await readEvents(app, visitor, answer.run?.id ?? 0);
    expect(JSON.stringify(events)).not.toContain('base64');
  });

  test('are exported with the answer, and stay when the thread is deleted', async () => {
    const { visitor, threadId, answer } = await madeAndSettled('table.csv');
    const { body } = await beginDownload(app, visitor, '/api/user/export');
    const archive = unzip(Buffer.from(await body.arrayBuffer()));
    expect(JSON.parse(archive.get('files/INDEX.jsonl') ?? '')).toMatchObject({
      filename: 'table.csv',
      madeByAssistant: true,
    });
    expect(archive.get('files/1-table.csv')).toContain('January,35');
    const { messages } = JSON.parse(archive.get(`conversations/${threadId}.json`) ?? '');
    expect(messages[1].files).toEqual([expect.objectContaining({ filename: 'table.csv', kind: 'text' })]);
    await deleteForGood(visitor, threadId);
    const [kept] = await filesOf(visitor);
    expect([kept.id, kept.usedBy]).toEqual([answer.files[0]?.id, 0]);
  });

  test('are fetched once, and stay deleted', async () => {
    const { visitor, threadId, answer } = await madeAndSettled('table.csv');
    const [id] = answer.files.map((file) => file.id);
    await withDatabase(app, async (db) => {
      const row = await db
        .selectFrom('made_files')
        .select(['id', 'user_id'])
        .where('message_id', '=', answer.id)
        .executeTakeFirstOrThrow();
      const payload = JSON.stringify({ userId: row.user_id, madeFileId: row.id });
      const at = new Date(0).toISOString();
      await db
        .insertInto('jobs')
        .values({ kind: 'chat.fetch-made-file', payload, run_at: at, created_at: at })
        .execute();
    });
    await until('The second job', async () => {
      const left = await withDatabase(app, (db) =>
        db.selectFrom('jobs').select('id').where('kind', '=', 'chat.fetch-made-file').execute(),
      );
      return left.length === 0;
    });
    expect(await filesOf(visitor)).toHaveLength(1);
    expect(await visitor.delete(`/api/files/${id}`)).toMatchObject({ status: 200 });
    expect((await messageOf(visitor, threadId, answer.id)).files).toEqual([
      expect.objectContaining({ id: null, filename: 'table.csv' }),
    ]);
  });

  test.each<[string, Fault, RegExp]>([
    ['is in trouble', { fail: 'server_error' }, /having trouble/],
    ['limits requests', { fail: 'rate_limit', retryAfter: 1 }, /limiting requests/],
    ['rejects the key', { fail: 'invalid_api_key' }, /rejected the API key/],
    ['breaks off', { disconnect: true }, /could not be reached/],
    ['says nothing', { hang: true }, /did not send the file in time/],
    ['sends a byte now and then', { tokenDelayMs: 100 }, /did not send the file in time/],
    ['falls silent in the middle', { hangAfter: 10 }, /did not send the file in time/],
    ['sends less than it says', { dropAfter: 10 }, /could not be reached/],
  ])('is fetched again where the provider %s, and the page says why it is not there', async (_what, fault, message) => {
    const { visitor, threadId, messageId } = await withFault(app, fault, inContainers, async () => {
      const answer = await made('plot.png');
      const first = await troubled(answer.visitor, answer.threadId, answer.messageId);
      expect(first).toEqual({ filename: 'plot.png', state: 'fetching', error: expect.stringMatching(message) });
      return answer;
    });
    expect(await filesOf(visitor)).toEqual([]);
    await hurry();
    const { files, text } = await settled(visitor, threadId, messageId);
    expect(files).toEqual([expect.objectContaining({ filename: 'plot.png', kind: 'image' })]);
    expect(text).toContain('I made [plot.png]');
    const { bytes } = await download(app, visitor, files[0]?.id ?? 0);
    expect(bytes.length).toBe(files[0]?.size);
  });

  test.each<[string, string, Fault | null, RegExp]>([
    [
      'the provider has it no more',
      'plot.png',
      { status: 404, error: { message: 'Gone' } },
      /^The provider no longer has it/,
    ],
    ['the provider refuses', 'plot.png', { status: 400 }, /refused the request/],
    ['it is larger than a file may be', 'large.bin', null, /larger than 50 MB/],
    ['there is nothing in it', 'empty.txt', null, /empty/],
  ])('fails permanently if %s, and nothing else is lost', async (_what, name, fault, message) => {
    const before = inStore(app).length;
    const work = () => madeAndSettled(name);
    const { visitor, answer } = await (fault ? withFault(app, fault, inContainers, work) : work());
    expect(answer.unkept).toEqual([{ filename: name, state: 'failed', error: expect.stringMatching(message) }]);
    expect([answer.state, answer.files]).toEqual(['complete', []]);
    expect(answer.text).toContain('I made');
    expect(await filesOf(visitor)).toEqual([]);
    await until('The removal of the bytes', async () => inStore(app).length <= before);
  });

  test('fail once the container is deleted', async () => {
    const { visitor, threadId, messageId } = await withFault(app, { fail: 'server_error' }, inContainers, async () => {
      const answer = await made('plot.png');
      await troubled(answer.visitor, answer.threadId, answer.messageId);
      return answer;
    });
    await withDatabase(app, (db) =>
      db
        .updateTable('made_files')
        .set({ fetch_until: new Date(0).toISOString() })
        .where('message_id', '=', messageId)
        .execute(),
    );
    await hurry();
    expect((await settled(visitor, threadId, messageId)).unkept).toEqual([
      { filename: 'plot.png', state: 'failed', error: expect.stringMatching(/having trouble/) },
    ]);
  });

  test('are limited to twenty per answer', async () => {
    const { visitor, answer } = await madeAndSettled('25');
    expect(answer.files).toHaveLength(20);
    expect(answer.notes).toEqual([expect.stringMatching(/^The answer created more than the limit of 20 files/)]);
    expect(await filesOf(visitor, '?limit=100')).toHaveLength(20);
  });

  test('wait until there is room in the quota', async () => {
    const { visitor, threadId } = await coder();
    const fill = (userId: number, size: number) =>
      withDatabase(app, (db) =>
        db
          .insertInto('file_uploads')
          .values({
            user_id: userId,
            storage_key: 'f'.repeat(32),
            reserved_bytes: size,
            instance: 1_000_000,
            created_at: new Date().toISOString(),
          })
          .execute(),
      );
    const { userId } = await withDatabase(app, (db) =>
      db.selectFrom('threads').select('user_id as userId').where('id', '=', threadId).executeTakeFirstOrThrow(),
    );
    await fill(userId, storageLimit);
    const { answer } = await ask(app, visitor, threadId, '[[make inline.png table.csv]]');
    const full = expect.stringMatching(/^This file would exceed .* Delete some files first\.$/);
    await until('The words', async () => {
      const { unkept = [] } = await messageOf(visitor, threadId, answer.id);
      return typeof unkept[1]?.error === 'string' && unkept;
    });
    expect((await messageOf(visitor, threadId, answer.id)).unkept).toEqual([
      { filename: 'picture 1', state: 'failed', error: full },
      { filename: 'table.csv', state: 'fetching', error: full },
    ]);
    await withDatabase(app, (db) => db.deleteFrom('file_uploads').where('user_id', '=', userId).execute());
    await hurry();
    const after = await settled(visitor, threadId, answer.id);
    expect(after.files.map(({ filename }) => filename)).toEqual(['table.csv']);
  });

  test('are not stored after the thread was deleted', async () => {
    const before = inStore(app).length;
    const { visitor } = await withFault(app, { hangAfter: 1 }, inContainers, async () => {
      const answer = await made('bytes.bin');
      await until('The fetching', async () =>
        (await askedOf(app)).some(({ path, status }) => path.startsWith('/containers/') && status === 200),
      );
      await deleteForGood(answer.visitor, answer.threadId);
      return answer;
    });
    await hurry();
    await until('The end of the job', async () => {
      const left = await withDatabase(app, (db) =>
        db
          .selectFrom('jobs')
          .select('id')
          .where('kind', '=', 'chat.fetch-made-file')
          .where('given_up_at', 'is', null)
          .execute(),
      );
      return left.length === 0;
    });
    expect(await filesOf(visitor)).toEqual([]);
    await until('The removal of the bytes', async () => inStore(app).length <= before);
  });

  test('are fetched after a restart, also for interrupted and stopped answers', async () => {
    const { visitor, threadId } = await coder();
    const ids = await withFault(app, { fail: 'server_error' }, inContainers, async () => {
      const { answer } = await ask(app, visitor, threadId, '[[make table.csv]]');
      const { answer: cut } = await ask(app, visitor, threadId, '[[make output.png]]');
      for (const { id } of [answer, cut]) await troubled(visitor, threadId, id);
      const stopped = await sendMessage(visitor, threadId, '[[make output.png]] [[hang 3]]');
      await until('The picture', async () => {
        const query = (db: Kysely<Database>) =>
          db.selectFrom('made_files').select('id').where('message_id', '=', stopped.run.messageId).execute();
        return (await withDatabase(app, query)).length > 0;
      });
      await visitor.post(`/api/runs/${stopped.run.id}/stop`);
      await troubled(visitor, threadId, stopped.run.messageId);
      // The state that a killed process leaves behind.
      await withDatabase(app, async (db) => {
        const unfinished = { state: 'running', instance: 999_999, event_marks: null, finish_reason: null } as const;
        await db
          .updateTable('runs')
          .set({ ...unfinished, finished_at: null, last_event: 0 })
          .where('message_id', '=', cut.id)
          .execute();
        const made = db.updateTable('made_files').set({ fetch_until: null, error: null });
        const { id } = await made.where('message_id', '=', cut.id).returning('id').executeTakeFirstOrThrow();
        await db.deleteFrom('jobs').where('payload', 'like', `%"madeFileId":${id}}%`).execute();
      });
      await app.restart();
      return [answer.id, cut.id, stopped.run.messageId];
    });
    await until('The files', async () => {
      await hurry();
      const messages = await Promise.all(ids.map((id) => messageOf(visitor, threadId, id)));
      return messages.every(({ files }) => files.length === 1);
    });
    const states = ids.map(async (id) => (await messageOf(visitor, threadId, id)).state);
    expect(await Promise.all(states)).toEqual(['complete', 'interrupted', 'stopped']);
  });

  test('fail if no process is left to fetch them', async () => {
    const { visitor, threadId, messageId } = await withFault(app, { fail: 'server_error' }, inContainers, async () => {
      const answer = await made('plot.png');
      await troubled(answer.visitor, answer.threadId, answer.messageId);
      return answer;
    });
    await withDatabase(app, async (db) => {
      await db.deleteFrom('jobs').where('kind', '=', 'chat.fetch-made-file').execute();
      await db
        .updateTable('made_files')
        .set({ fetch_until: new Date(0).toISOString(), error: null })
        .where('message_id', '=', messageId)
        .execute();
    });
    await app.restart();
    expect((await settled(visitor, threadId, messageId)).unkept).toEqual([
      { filename: 'plot.png', state: 'failed', error: isGone },
    ]);
  });

  test('are attached to the API message and listed among its files', async () => {
    const { visitor } = await app.someone('coder');
    const { token } = await newToken(visitor, { rights: ['assistants', 'chat', 'files'] });
    const client = new OpenAI({ baseURL: `${app.url}/v1`, apiKey: token, maxRetries: 0 });
    const assistant = await client.beta.assistants.create({ model: 'gpt-4o', tools: [{ type: 'code_interpreter' }] });
    const run = await client.beta.threads.createAndRunPoll({
      assistant_id: assistant.id,
      thread: { messages: [{ role: 'user', content: '[[make table.csv]]' }] },
    });
    expect(run.status).toBe('completed');
    const attachment = await until('The attachment', async () => {
      const { data } = await client.beta.threads.messages.list(run.thread_id, { run_id: run.id });
      return data[0]?.attachments?.[0];
    });
    expect(attachment.tools).toEqual([{ type: 'code_interpreter' }]);
    const { filename, purpose } = await client.files.retrieve(attachment.file_id ?? '');
    expect([filename, purpose]).toEqual(['table.csv', 'user_data']);
    expect(await (await client.files.content(attachment.file_id ?? '')).text()).toContain('January,35');
  });

  test('are requested only by ids of the provider, at its own address', async () => {
    await request(`${app.provider.origin}/__simulator/requests`, { method: 'DELETE' });
    await madeAndSettled('plot.png output.png');
    const paths = (await askedOf(app)).flatMap(({ path }) => (path.startsWith('/containers/') ? [path] : []));
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(path).toMatch(/^\/containers\/cntr_\w+\/files\/cfile_\w+\/content$/);
  });
});
