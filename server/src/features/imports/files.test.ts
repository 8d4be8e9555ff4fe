import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { messagesOf } from '#server/testing/chat';
import { exportedChat, zipped } from '#server/testing/exports';
import { download, inStore } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { imported, readImport, untilImport } from '#server/testing/imports';
import { until } from '#server/testing/until';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const image = (id: string) => ({ content_type: 'image_asset_pointer', asset_pointer: `sediment://${id}` });
const withImage = (id: string, image_id: string, more: object = {}) => ({
  id,
  parent: null,
  role: 'user',
  text: '',
  content: { content_type: 'multimodal_text', parts: [image(image_id)] },
  ...more,
});

const filesOf = async (visitor: HttpClient) => (await visitor.get('/api/files')).body;
const firstMessage = async (visitor: HttpClient) => {
  const [thread] = (await visitor.get('/api/threads')).body.items;
  const [message] = await messagesOf(visitor, thread.id);
  if (!message) throw new Error('There is no message');
  return message;
};

describe.each(engines)('files of imports on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  const newcomer = async () => (await app.someone('newcomer')).visitor;

  test('imports images and files as files of the messages, and undoes that', async () => {
    const ada = await newcomer();
    const attachments = [
      { id: 'file_01', name: 'beach.png' },
      { id: 'file_02', name: 'notes.txt' },
      { id: 'file_03', name: 'gone.txt' },
    ];
    const content = await zipped({
      'conversations.json': [
        exportedChat('1', 'Sea', [withImage('q', 'file_01', { metadata: { attachments } })]),
        exportedChat('2', 'Sea again', [withImage('q', 'file_01')]),
      ],
      'file_01.dat': png,
      'file_02.dat': Buffer.from('Waves and wind'),
    });
    const preview = await readImport(app, ada, content);
    expect(preview).toMatchObject({ files: 2, importedFiles: 0, leftOut: [{ reason: 'files', count: 1, names: [] }] });
    expect(await filesOf(ada)).toEqual([]);
    const { id } = await imported(app, ada, content);
    expect(await untilImport(ada, id, ['done'])).toMatchObject({ importedFiles: 2 });
    expect((await filesOf(ada)).map((file: Record<string, unknown>) => [file.filename, file.usedBy])).toEqual([
      ['notes.txt', 1],
      ['beach.png', 2],
    ]);
    const { body: found } = await ada.get('/api/threads?q=beach');
    const [sea] = found.items.filter(({ title }: { title: string }) => title === 'Sea');
    const [message] = await messagesOf(ada, sea.id);
    expect(message).toMatchObject({
      text: '',
      files: [
        { filename: 'beach.png', kind: 'image', size: png.length },
        { filename: 'notes.txt', kind: 'text' },
      ],
    });
    const bytes = await download(app, ada, message?.files[1]?.id ?? 0);
    expect(bytes.bytes.toString()).toBe('Waves and wind');

    expect(await imported(app, ada, content)).toMatchObject({ importedFiles: 0, importedMessages: 0 });
    expect(await filesOf(ada)).toHaveLength(2);
    expect(await readImport(app, ada, content)).toMatchObject({ files: 0, known: 2 });

    await until('Only the uploads that wait', async () => inStore(app).length <= 4);
    expect((await ada.post(`/api/imports/${id}/undo`)).status).toBe(202);
    await untilImport(ada, id, ['undone']);
    expect(await filesOf(ada)).toEqual([]);
  });

  test('uses a file that is here already for a conversation that is not', async () => {
    const ada = await newcomer();
    const content = await zipped({
      'conversations.json': [exportedChat('1', 'Sky', [withImage('q', 'file_01')])],
      'file_01.dat': png,
    });
    const { id } = await imported(app, ada, content);
    const [file] = await filesOf(ada);
    const [thread] = (await ada.get('/api/threads')).body.items;
    await ada.delete(`/api/threads/${thread.id}`);
    expect((await ada.delete('/api/trash')).status).toBeLessThan(300);
    await until('An empty trash', async () => (await ada.get('/api/trash')).body.items.length === 0);
    const again = await imported(app, ada, content);
    expect(again).toMatchObject({ importedConversations: 1, importedFiles: 0 });
    expect((await firstMessage(ada)).files).toMatchObject([{ id: file.id, filename: 'file_01.png' }]);
    expect(id).not.toBe(again.id);
  });

  test('imports the rest of an archive with a damaged file, and names it', async () => {
    const ada = await newcomer();
    const whole = await zipped({
      'conversations.json': [exportedChat('1', 'Broken', [withImage('q', 'file_01')])],
      'file_01.png': Buffer.alloc(4_000, 'an image that compresses well'),
    });
    const at = whole.indexOf('file_01.png') + 'file_01.png'.length;
    whole.fill(0xff, at, at + 20);
    const done = await imported(app, ada, whole);
    expect(done).toMatchObject({
      state: 'done',
      importedMessages: 1,
      importedFiles: 0,
      leftOut: [{ reason: 'damaged_files', count: 1 }],
    });
    expect((await firstMessage(ada)).text).toBe('[A file that was not imported]');
  });
});
