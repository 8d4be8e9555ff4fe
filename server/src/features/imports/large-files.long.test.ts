import { randomBytes } from 'node:crypto';
import { fileSizeLimit } from '@roster/contracts/files/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser } from '#server/testing/database';
import { exportedChat, zipped } from '#server/testing/exports';
import { imported, readImport } from '#server/testing/imports';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const withImage = (id: string, imageId: string) => ({
  id,
  parent: null,
  role: 'user',
  text: '',
  content: {
    content_type: 'multimodal_text',
    parts: [{ content_type: 'image_asset_pointer', asset_pointer: `sediment://${imageId}` }],
  },
});

describe.each(engines)('large files of imports on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('admin');
  });
  afterAll(() => app.stop());

  test('names files that are too large, and those of somebody who may not upload', async () => {
    const content = await zipped({
      'conversations.json': [
        exportedChat('1', 'Large', [withImage('q', 'file_01')]),
        exportedChat('2', 'Small', [withImage('q', 'file_02')]),
      ],
      'file_01.bin': randomBytes(fileSizeLimit + 1),
      'file_02.png': png,
    });
    const preview = await readImport(app, (await app.someone('newcomer')).visitor, content);
    expect(preview).toMatchObject({ files: 1, leftOut: [{ reason: 'large_files', count: 1 }] });
    const { visitor: eve, email } = await app.someone('viewer');
    await setUser(app, email, { role: 'Viewer' });
    const done = await imported(app, eve, content);
    expect(done).toMatchObject({ importedConversations: 2, importedFiles: 0 });
    expect(done.leftOut).toContainEqual({ reason: 'files_not_allowed', count: 1, names: [] });
    expect((await eve.get('/api/files')).body).toEqual([]);
  });
});
