import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { setUser } from '#server/testing/database';
import {
  download,
  fileOf,
  filePlaces,
  form,
  ownForm,
  sha256,
  someBytes,
  startFileApp,
  upload,
  uploaded,
} from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { bareRequest } from '#server/testing/test-environment';

describe.each(filePlaces)('files on %s and %s', (engine, store) => {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let app: TestApp;
  let people = 0;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    app = place.app;
  });
  afterAll(() => place.stop());

  const someone = () => app.as(`person${++people}`);
  const names = async (visitor: HttpClient, query = '') =>
    (await visitor.get(`/api/files?${query}`)).body.map(({ filename }: { filename: string }) => filename);

  test('stores, lists and sums up files, and returns them byte for byte', async () => {
    const visitor = await someone();
    const content = someBytes(3_000_000);
    const { status, body } = await upload(app, visitor, { filename: 'data.bin', type: 'application/zip', content });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        filename: 'data.bin',
        type: 'application/zip',
        size: 3_000_000,
        date: body.createdAt,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        purpose: 'assistants',
        madeByAssistant: false,
        usedBy: 0,
        provider: { state: 'waiting_for_key', error: null },
      },
    ]);
    expect((await visitor.get('/api/files')).body).toEqual([body]);
    expect((await visitor.get('/api/files/summary')).body).toEqual({
      totalFiles: 1,
      storageUsedBytes: 3_000_000,
      filesUsedByAi: 0,
    });
    const loaded = await download(app, visitor, body.id);
    expect([loaded.status, sha256(loaded.bytes)]).toEqual([200, sha256(content)]);
    expect(loaded.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3000000',
      'content-disposition': `attachment; filename="data.bin"; filename*=UTF-8''data.bin`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  test('accepts the purpose before or after the file', async () => {
    const visitor = await someone();
    const file = { name: 'file', filename: 'a.txt', content: 'Hello' };
    const purpose = { name: 'purpose', content: 'user_data' };
    for (const parts of [
      [file, purpose],
      [purpose, file],
    ]) {
      const { status, body } = await bareRequest(app, 'POST', '/api/files/upload', ownForm(visitor), form(parts));
      expect([status, body.purpose]).toEqual([201, 'user_data']);
    }
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\cv.pdf', 'cv.pdf'],
    ['tab\there\x7f.txt', 'tab here.txt'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['Grüße 😀 日本.pdf', 'Grüße 😀 日本.pdf'],
    [`${'ä'.repeat(300)}.jsonl`, `${'ä'.repeat(249)}.jsonl`],
    ['..', 'file'],
    ['', 'file'],
    ['100%.txt', '100%.txt'],
    ['my %22best%22%0D%0Acv.pdf', 'my "best" cv.pdf'],
  ])('cleans the name %j to the label %j', async (filename, label) => {
    const visitor = await someone();
    const { status, body } = await upload(app, visitor, { filename });
    expect([status, body.filename]).toEqual([201, label]);
    const { headers, bytes } = await download(app, visitor, body.id);
    const disposition = String(headers['content-disposition']);
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(label);
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[\w%.~!#$&+^`|-]+$/);
    expect(bytes.toString()).toBe('Hello');
    expect(place.stored().filter((name) => !/^[0-9a-f]{32}$/.test(name))).toEqual([]);
  });

  test('removes line breaks from names', async () => {
    const visitor = await someone();
    // The first one ends the header line, so the rest is no name; the second one is no header at all.
    const { body } = await upload(app, visitor, { filename: 'a\r\nset-cookie: b=c\r\n.txt' });
    expect(body.filename).toMatch(/^["a]+$/);
    expect((await download(app, visitor, body.id)).headers['set-cookie']).toBeUndefined();
    expect((await upload(app, visitor, { filename: 'a\nb.txt' })).status).toBe(400);
    expect((await names(visitor)).length).toBe(1);
  });

  test('downloads files even if they lie about their type', async () => {
    const visitor = await someone();
    for (const type of ['text/html', 'text/html; charset=utf-8', 'nonsense', 'a/b/c', 'x'.repeat(500)]) {
      const { id } = await uploaded(app, visitor, { type, content: '<script>alert(1)</script>' });
      const { headers } = await download(app, visitor, id);
      expect(headers['content-type']).toBe('application/octet-stream');
    }
  });

  test('lists in pages, in every order, each file once', async () => {
    const visitor = await someone();
    const sizes = [3, 1, 2, 2, 1, 5, 4];
    const wanted = ['b.txt', 'a.txt', 'C.txt', 'c.txt', 'Ä.txt', 'z_1.txt', 'z%1.txt'];
    for (const [index, filename] of wanted.entries())
      await uploaded(app, visitor, { filename, content: 'x'.repeat(sizes[index] ?? 1) });
    const walk = async (query: string) => {
      const seen: string[] = [];
      let next: string | undefined = `/api/files?limit=2&${query}`;
      while (next) {
        const { body, headers } = await visitor.get(next);
        seen.push(...body.map(({ filename }: { filename: string }) => filename));
        next = /<(.*)>; rel="next"/.exec(String(headers.link))?.[1];
      }
      return seen;
    };
    expect(await walk('sort=oldest')).toEqual(wanted);
    expect(await walk('')).toEqual(wanted.toReversed());
    expect(await walk('sort=name')).toEqual(['a.txt', 'b.txt', 'C.txt', 'c.txt', 'z%1.txt', 'z_1.txt', 'Ä.txt']);
    expect(await walk('sort=size')).toEqual(['z_1.txt', 'z%1.txt', 'b.txt', 'c.txt', 'C.txt', 'Ä.txt', 'a.txt']);
    expect(await walk('sort=name&q=Z')).toEqual(['z%1.txt', 'z_1.txt']);
    expect(await names(visitor, 'q=%25')).toEqual(['z%1.txt']);
    expect(await names(visitor, 'q=_')).toEqual(['z_1.txt']);
    expect(await names(visitor, `q=${encodeURIComponent('ä')}`)).toEqual(['Ä.txt']);
    expect(await names(visitor, 'purpose=fine-tune')).toEqual([]);
    for (const cursor of ['x', 'bm90', Buffer.from('{"value":1,"id":1}').toString('base64url')])
      expect((await visitor.get(`/api/files?sort=name&cursor=${cursor}`)).status).toBe(400);
  });

  test('belongs to one user', async () => {
    const [owner, other] = [await someone(), await someone()];
    const { id } = await uploaded(app, owner);
    const unknown = 2_000_000_000;
    for (const call of [
      (file: number) => other.get(`/api/files/${file}/content`),
      (file: number) => other.delete(`/api/files/${file}`),
      (file: number) => other.post(`/api/files/${file}/retry`),
    ]) {
      const [foreign, none] = [await call(id), await call(unknown)];
      expect([foreign.status, foreign.body.code, foreign.body.message]).toEqual([404, 'not_found', none.body.message]);
    }
    const { body } = await other.post('/api/files/delete', { ids: [id, unknown] });
    expect(body).toEqual({
      deleted: [],
      failed: [id, unknown].map((one) => ({ id: one, message: 'File not found.' })),
    });
    expect((await other.get('/api/files')).body).toEqual([]);
    expect((await other.get('/api/files/summary')).body.totalFiles).toBe(0);
    expect((await download(app, owner, id)).bytes.toString()).toBe('Hello');
  });

  test('lets a Viewer look but not change', async () => {
    const viewer = await someone();
    const { id } = await uploaded(app, viewer);
    await setUser(app, `person${people}@example.com`, { role: 'Viewer' });
    expect((await upload(app, viewer)).status).toBe(403);
    expect((await viewer.delete(`/api/files/${id}`)).status).toBe(403);
    expect((await viewer.post('/api/files/delete', { ids: [id] })).status).toBe(403);
    expect((await viewer.post(`/api/files/${id}/retry`)).status).toBe(403);
    expect((await download(app, viewer, id)).status).toBe(200);
  });

  test('deletes files with their bytes, one or several', async () => {
    const visitor = await someone();
    const before = place.stored().length;
    const files = [];
    for (const filename of ['a', 'b', 'c']) files.push(await uploaded(app, visitor, { filename }));
    const [a, b, c] = files.map(({ id }) => id);
    const removed = { provider: 'removed', message: null };
    expect((await visitor.delete(`/api/files/${a}`)).body).toEqual({ id: a, filename: 'a', ...removed });
    expect((await visitor.delete(`/api/files/${a}`)).status).toBe(404);
    expect((await download(app, visitor, Number(a))).status).toBe(404);
    const { body } = await visitor.post('/api/files/delete', { ids: [b, c, a] });
    expect(body.deleted.map(({ filename }: { filename: string }) => filename)).toEqual(['b', 'c']);
    expect(body.failed).toEqual([{ id: a, message: 'File not found.' }]);
    expect((await visitor.get('/api/files')).body).toEqual([]);
    await until('The removal of the bytes', async () => place.stored().length === before);
    expect((await visitor.post('/api/files/delete', { ids: [] })).body.fields).toEqual({
      ids: 'Please select at least one file',
    });
  });

  test('keeps files over a restart', async () => {
    const visitor = await someone();
    const content = someBytes(100_000);
    const { id } = await uploaded(app, visitor, { content });
    await app.restart();
    expect(sha256((await download(app, visitor, id)).bytes)).toBe(sha256(content));
    expect(await fileOf(visitor, id)).toMatchObject({ filename: 'notes.txt' });
  });
});
