import { fileSizeLimit } from '@roster/contracts/files/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { filePlaces, startFileApp, upload, uploaded } from '#server/testing/files';

describe.each(filePlaces)('the largest upload on %s and %s', (engine, store) => {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let app: TestApp;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    app = place.app;
  });
  afterAll(() => place.stop());

  test('accepts exactly 50 MB, and not one byte more', async () => {
    const visitor = await app.as('ada');
    const content = Buffer.alloc(fileSizeLimit, 'x');
    const { id, size } = await uploaded(app, visitor, { content });
    expect(size).toBe(52_428_800);
    await visitor.delete(`/api/files/${id}`);
    await until('The removal of the bytes', async () => !place.stored().some((name) => name.endsWith('.part')));
    const before = place.stored().length;
    const tooLarge = await upload(app, visitor, { content: Buffer.alloc(fileSizeLimit + 1, 'x') });
    expect([tooLarge.status, tooLarge.body.code, tooLarge.body.message]).toEqual([
      413,
      'too_large',
      'The file is larger than 50 MB.',
    ]);
    const farTooLarge = await upload(app, visitor, { content: Buffer.alloc(fileSizeLimit + 200_000, 'x') });
    expect([farTooLarge.status, farTooLarge.body.code]).toEqual([413, 'too_large']);
    await until('The removal of the bytes', async () => place.stored().length <= before);
    expect((await visitor.get('/api/files')).body).toEqual([]);
  });
});
