import { fileSizeLimit } from '@roster/contracts/files/files';
import { expect, test } from 'vitest';
import { until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { filePlaces, startFileApp, uploaded } from '#server/testing/files';
import { pair } from '#server/testing/training-files';

test.each(filePlaces)('makes no file above the size limit on %s and %s', async (engine, store) => {
  const { app, stored, stop } = await startFileApp(engine, store);
  const ada = await app.as('ada');
  const line = pair('"'.repeat(50), '"'.repeat(50));
  // A conversation takes more letters than a pair.
  const lines = Array.from({ length: Math.floor((fileSizeLimit - 1) / (line.length + 1)) }, () => line);
  const { id: fileId } = await uploaded(app, ada, {
    filename: 'Old notes.jsonl',
    content: lines.join('\n'),
    purpose: 'fine-tune',
  });
  const before = stored().length;

  const { status, body } = await until('The end of the conversion', async () => {
    const response = await ada.post('/api/fine-tuning/convert', { fileId });
    // On a busy machine the store may be given up (503), and the next call comes while the first is still ending (429).
    return ![429, 503].includes(response.status) && response;
  });
  expect([status, body.code]).toEqual([413, 'too_large']);

  const { body: files } = await ada.get('/api/files');
  expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(['Old notes.jsonl']);
  expect(await withDatabase(app, (db) => db.selectFrom('file_uploads').select('id').execute())).toEqual([]);
  await until('The removal of the bytes', async () => stored().length === before);
  await stop();
});
