import type { Tool } from '@roster/contracts/tool-servers/tool-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { draft } from '#server/testing/assistants';
import { forgetAsks, messageOf, sendMessage } from '#server/testing/chat';
import { lastOf, readEvents } from '#server/testing/events';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { untilIndexed } from '#server/testing/knowledge';
import { startToolServer } from '#server/testing/tool-peer';
import { addToolServer, toolsOf } from '#server/testing/tool-servers';
import { newTrial } from '#server/testing/trials';

const unknownId = 999_999;

describe.each(engines)('files and tools of a new assistant on %s', (engine) => {
  let app: TestApp;
  let notes: Awaited<ReturnType<typeof startToolServer>>;
  beforeAll(async () => {
    [notes, app] = await Promise.all([
      startToolServer(),
      startApp(engine, { env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } }),
    ]);
    await app.as('admin');
  });
  afterAll(async () => {
    await app.stop();
    await notes.close();
  });

  async function prepared() {
    const { visitor } = await app.someone();
    const server = await addToolServer(visitor, notes.url);
    const tools: Tool[] = await toolsOf(visitor, server.id);
    const chosenTools = tools
      .slice(0, 2)
      .map(({ name, digest }) => ({ serverId: server.id, name, digest, approval: 'never' as const }));
    const files = [
      await uploaded(app, visitor, { filename: 'one.txt', content: 'One' }),
      await uploaded(app, visitor, { filename: 'two.txt', content: 'Two' }),
    ];
    return { visitor, chosenTools, files, fileIds: files.map(({ id }) => id) };
  }
  const create = (visitor: HttpClient, parts: Record<string, unknown>) => visitor.post('/api/assistants', draft(parts));
  const namesOf = async (visitor: HttpClient) =>
    (await visitor.get('/api/files')).body.map(({ filename }: { filename: string }) => filename).toSorted();

  test('are saved with it, in its first version, and indexed', async () => {
    const { visitor, chosenTools, fileIds } = await prepared();
    const { status, body } = await create(visitor, { chosenTools, fileIds: [...fileIds, ...fileIds] });
    expect([status, body.files, body.version]).toEqual([201, 2, 1]);
    expect((await visitor.get(`/api/assistants/${body.id}/tools`)).body).toMatchObject(chosenTools);
    expect((await visitor.get(`/api/assistants/${body.id}/versions/1`)).body).toMatchObject({
      changed: [],
      files: [{ filename: 'one.txt' }, { filename: 'two.txt' }],
      chosenTools: chosenTools.map(({ name }) => ({ name, isThere: true })),
    });
    await untilIndexed(app, visitor, body.id, ['ready', 'ready']);
  });

  test('are refused together with the assistant, which is not created then', async () => {
    const [{ visitor, chosenTools, fileIds }, other] = [await prepared(), await prepared()];
    const [tool] = chosenTools;
    const wrong: [Record<string, unknown>, string][] = [
      [{ fileIds: [...fileIds, unknownId] }, 'fileIds.2'],
      [{ fileIds: [other.fileIds[0], ...fileIds] }, 'fileIds.0'],
      [{ fileIds, chosenTools: [{ ...tool, name: 'unknown' }] }, 'chosenTools'],
      [{ fileIds, chosenTools: [{ ...tool, digest: '0'.repeat(64) }] }, 'chosenTools'],
      [{ fileIds, chosenTools: other.chosenTools }, 'chosenTools'],
      [{ chosenTools: [tool, tool] }, 'chosenTools'],
    ];
    for (const [parts, field] of wrong) {
      const { body } = await create(visitor, parts);
      expect(Object.keys(body.fields), JSON.stringify(parts)).toEqual([field]);
    }
    expect((await visitor.get('/api/assistants')).body).toEqual([]);
    expect(await namesOf(visitor)).toEqual(['one.txt', 'two.txt']);
  });

  test('are kept with the form, and files stay when it is discarded', async () => {
    const { visitor, chosenTools, files } = await prepared();
    const chosen = files.map(({ id: fileId, filename, size }) => ({ fileId, filename, size }));
    const values = { name: 'Half', files: chosen, chosenTools };
    expect((await visitor.post('/api/assistants/draft', { version: null, values })).status).toBe(204);
    expect((await visitor.get('/api/assistants/draft')).body.draft.values).toEqual(values);
    expect((await visitor.delete('/api/assistants/draft')).status).toBe(204);
    expect(await namesOf(visitor)).toEqual(['one.txt', 'two.txt']);
  });

  test('can be tried: tools are called, and answers say that files were not searched', async () => {
    const { visitor, chosenTools, files } = await prepared();
    const chosen = files.map(({ id: fileId, filename, size }) => ({ fileId, filename, size }));
    const reading = chosenTools.filter(({ name }) => name === 'read_note');
    const threadId = await newTrial(visitor, { chosenTools: reading, files: chosen });
    await forgetAsks(app);
    const before = notes.calls.length;
    const { run } = await sendMessage(visitor, threadId, '[[call Notes__read_note]]');
    expect(lastOf(await readEvents(app, visitor, run.id))).toEqual({ type: 'finished', reason: 'complete' });
    expect(notes.calls.slice(before).map(({ name }) => name)).toEqual(['read_note']);
    const answer = await messageOf(visitor, threadId, run.messageId);
    expect(answer.calls).toMatchObject([{ tool: 'read_note', state: 'done' }]);
    expect(answer.notes).toEqual(['The 2 files were not searched: files are indexed once the assistant is saved.']);
  });

  test('does not call those of others in a trial', async () => {
    const [{ visitor }, other] = [await prepared(), await prepared()];
    const threadId = await newTrial(visitor, { chosenTools: other.chosenTools });
    const before = notes.calls.length;
    const { run } = await sendMessage(visitor, threadId, '[[call Notes__read_note]]');
    await readEvents(app, visitor, run.id);
    expect((await messageOf(visitor, threadId, run.messageId)).calls ?? []).toEqual([]);
    expect(notes.calls.length).toBe(before);
  });
});
