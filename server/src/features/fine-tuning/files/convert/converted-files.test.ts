import { fileSizeLimit, storageLimit } from '@roster/contracts/files/files';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import { download, filePlaces, startFileApp, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { conversation, pair } from '#server/testing/training-files';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => conversation(`Question ${n}`, `Answer ${n}`));

/** Lines of one conversation, each with one exchange more. */
const growing = (topic: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      messages: Array.from({ length: index + 1 }, (_, turn) => [
        { role: 'user', content: `${topic}, question ${turn}` },
        { role: 'assistant', content: `Answer ${turn}`, ...(turn < index && { weight: 0 }) },
      ]).flat(),
    }),
  );
const topicsOf = (lines: string[]) => new Set(lines.map((line) => JSON.parse(line).messages[0].content.split(',')[0]));

/** An installation with these places for its data, and what a user does there. */
function startedWith(...[engine, store]: (typeof filePlaces)[number]) {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let people = 0;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    await place.app.as('admin');
  });
  afterAll(() => place.stop());

  const someone = () => place.app.as(`person${++people}`);
  const saved = async (visitor: HttpClient, lines: string[], filename = 'Old notes.jsonl') =>
    (await uploaded(place.app, visitor, { filename, content: lines.join('\n'), purpose: 'fine-tune' })).id;
  const convert = (visitor: HttpClient, fileId: number) => visitor.post('/api/fine-tuning/convert', { fileId });
  const split = (visitor: HttpClient, fileId: number, more: object = {}) =>
    visitor.post('/api/fine-tuning/split', { fileId, ...more });
  const linesOf = async (visitor: HttpClient, id: number) =>
    (await download(place.app, visitor, id)).bytes.toString().trimEnd().split('\n');
  const namesOf = async (visitor: HttpClient): Promise<string[]> =>
    (await visitor.get('/api/files')).body.map(({ filename }: { filename: string }) => filename);
  const inProgress = () => withDatabase(place.app, (db) => db.selectFrom('file_uploads').select('id').execute());
  /** Expects these files in the user's list, and no reservation for files that were not made. */
  async function expectOnly(visitor: HttpClient, names: string[], storedBefore: number) {
    expect(await namesOf(visitor)).toEqual(names);
    expect(await inProgress()).toEqual([]);
    await until('The removal of the bytes', async () => place.stored().length === storedBefore);
  }
  return {
    place: () => place,
    someone,
    last: () => `person${people}@example.com`,
    saved,
    convert,
    split,
    linesOf,
    expectOnly,
  };
}

describe.each(filePlaces)('files made of a training file on %s and %s', (engine, store) => {
  const { place, someone, last, saved, convert, split, linesOf, expectOnly } = startedWith(engine, store);

  test('converts pairs to conversations, without what only the old models needed', async () => {
    const visitor = await someone();
    const id = await saved(visitor, [
      pair('Who wrote it?\n\n###\n\n', ' Ada. THE END END'),
      '',
      'not JSON',
      pair('And when?\n\n###\n\n', ' In 1843. END'),
    ]);
    const { status, body } = await convert(visitor, id);
    expect([status, body]).toEqual([
      201,
      {
        file: expect.objectContaining({ filename: 'Old notes-chat.jsonl', purpose: 'fine-tune' }),
        examples: 2,
        leftOut: { lines: 1, first: [3] },
        convertedAt: expect.any(String),
      },
    ]);
    expect((await linesOf(visitor, body.file.id)).map((line) => JSON.parse(line))).toEqual([
      {
        messages: [
          { role: 'user', content: 'Who wrote it?' },
          { role: 'assistant', content: 'Ada. THE END' },
        ],
      },
      {
        messages: [
          { role: 'user', content: 'And when?' },
          { role: 'assistant', content: 'In 1843.' },
        ],
      },
    ]);
  });

  test.each([
    ['conversations', [conversation('a', 'b')]],
    ['no JSON', ['a,b', 'c,d']],
    ['pairs without a completion', [pair('a', ' ')]],
  ])('finds nothing to convert in a file with %s', async (_what, lines) => {
    const visitor = await someone();
    const id = await saved(visitor, lines);
    const before = place().stored().length;
    const { status, body } = await convert(visitor, id);
    expect([status, body.code, Object.keys(body.fields)]).toEqual([400, 'invalid_input', ['fileId']]);
    await expectOnly(visitor, ['Old notes.jsonl'], before);
  });

  test('divides the same way each time, loses nothing, and keeps equal lines together', async () => {
    const visitor = await someone();
    const doubled = [...numbered(100), ...numbered(20)];
    const id = await saved(visitor, [...doubled, '', '']);
    const halves: string[][][] = [];
    for (let round = 0; round < 2; round++) {
      const { status, body } = await split(visitor, id, { validationShare: 0.25 });
      expect([status, body.training.filename, body.validation.filename]).toEqual([
        201,
        'Old notes-train.jsonl',
        'Old notes-validation.jsonl',
      ]);
      halves.push([await linesOf(visitor, body.training.id), await linesOf(visitor, body.validation.id)]);
    }
    expect(halves[0]).toEqual(halves[1]);
    const [training = [], validation = []] = halves[0] ?? [];
    expect([...training, ...validation].toSorted()).toEqual(doubled.toSorted());
    expect(training.filter((line) => validation.includes(line))).toEqual([]);
    expect(validation.length).toBeGreaterThanOrEqual(30);
    expect(validation.length).toBeLessThanOrEqual(31);
  });

  test.each([
    ['too few examples', numbered(10), /^This split would leave 8 examples/],
    [
      'one example again and again',
      Array.from({ length: 40 }, () => conversation('a', 'b')),
      /^This split would leave 0 examples/,
    ],
    ['a line that is wrong', [...numbered(20), '{"messages":'], /^Line 21 is not a training example/],
  ])('does not divide a file with %s', async (_what, lines, message) => {
    const visitor = await someone();
    const id = await saved(visitor, lines);
    const before = place().stored().length;
    const { status, body } = await split(visitor, id);
    expect([status, body.code, body.message]).toEqual([400, 'invalid_input', expect.stringMatching(message)]);
    await expectOnly(visitor, ['Old notes.jsonl'], before);
  });

  /** Adds this many bytes of files for the user, by their rows. */
  const filled = (visitor: HttpClient, bytes: number) =>
    withDatabase(place().app, async (db) => {
      const { body } = await visitor.get('/api/user');
      const row = { filename: 'full.bin', name_key: 'full.bin', type: 'text/plain', sha256: '0'.repeat(64) };
      const place = { user_id: body.id, size: bytes, storage_key: `full-${body.id}`, purpose: 'assistants' as const };
      await db
        .insertInto('files')
        .values({ ...row, ...place, created_at: new Date().toISOString() })
        .execute();
    });

  test('makes nothing beyond the quota', async () => {
    const visitor = await someone();
    const id = await saved(visitor, [pair('a', 'b')]);
    await filled(visitor, storageLimit - fileSizeLimit);
    const before = place().stored().length;
    const { status, body } = await convert(visitor, id);
    expect([status, body.code]).toEqual([409, 'quota_exceeded']);
    await expectOnly(visitor, ['full.bin', 'Old notes.jsonl'], before);
  });

  test('removes the first half if the second one has no room', async () => {
    const visitor = await someone();
    const lines = numbered(40);
    const id = await saved(visitor, lines);
    const size = Buffer.byteLength(lines.join('\n'));
    // The whole reservation of the first half fits, and then the second one does not.
    await filled(visitor, storageLimit - size - fileSizeLimit - 1);
    const before = place().stored().length;
    const { status, body } = await split(visitor, id);
    expect([status, body.code]).toEqual([409, 'quota_exceeded']);
    await expectOnly(visitor, ['full.bin', 'Old notes.jsonl'], before);
  });

  test('refuses a Viewer', async () => {
    const visitor = await someone();
    const id = await saved(visitor, [pair('a', 'b')]);
    await setUser(place().app, last(), { role: 'Viewer' });
    expect((await convert(visitor, id)).status).toBe(403);
    expect((await split(visitor, id)).status).toBe(403);
    expect((await visitor.post('/api/fine-tuning/validate', { trainingFileId: id })).status).toBe(200);
  });

  test.each([
    ['convert', { fileId: 2_000_000_000 }],
    ['split', { fileId: 2_000_000_000 }],
  ])('does not find an unknown file to %s', async (call, body) => {
    const answer = await (await someone()).post(`/api/fine-tuning/${call}`, body);
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });
});

// The content of a file does not depend on where it is stored.
describe('content made of a training file', () => {
  const { someone, saved, convert, split, linesOf } = startedWith('sqlite', 'disk');

  test('counts what is left out, and names the first lines', async () => {
    const visitor = await someone();
    const others = ['not JSON', conversation('a', 'b'), pair('a', ' '), '[1]', '{"prompt":"a"}', '   '];
    const id = await saved(visitor, [
      pair('a', 'b'),
      ...others,
      ...Array.from({ length: 40 }, () => 'x'),
      pair('c', 'd'),
    ]);
    const { body } = await convert(visitor, id);
    expect([body.examples, body.leftOut]).toEqual([
      2,
      { lines: 45, first: [2, 3, 4, 5, 6, ...Array.from({ length: 15 }, (_, index) => 8 + index)] },
    ]);
    expect((await linesOf(visitor, body.file.id)).length).toBe(2);
    const whole = await convert(visitor, await saved(visitor, [pair('a', 'b'), '']));
    expect(whole.body.leftOut).toEqual({ lines: 0, first: [] });
  });

  test('keeps an ending that only some of the pairs have', async () => {
    const visitor = await someone();
    const id = await saved(visitor, [pair('One ->', ' ends with END'), pair('Two', ' does not')]);
    const { body } = await convert(visitor, id);
    const contents = (await linesOf(visitor, body.file.id)).flatMap((line) =>
      JSON.parse(line).messages.map(({ content }: { content: string }) => content),
    );
    expect(contents).toEqual(['One ->', 'ends with END', 'Two', 'does not']);
  });

  test('keeps lines together that begin alike, and reports the counts of the files', async () => {
    const visitor = await someone();
    const topics = Array.from({ length: 40 }, (_, number) => growing(`Topic ${number}`, 1 + (number % 7)));
    const lines = topics.flat();
    const { status, body } = await split(visitor, await saved(visitor, lines), { validationShare: 0.2 });
    expect(status).toBe(201);
    const [training, validation] = [
      await linesOf(visitor, body.training.id),
      await linesOf(visitor, body.validation.id),
    ];
    expect(body.examples).toEqual({ training: training.length, validation: validation.length });
    expect([...training, ...validation].toSorted()).toEqual(lines.toSorted());
    expect([...topicsOf(training)].filter((topic) => topicsOf(validation).has(topic))).toEqual([]);
    expect(Math.abs(validation.length - lines.length * 0.2)).toBeLessThanOrEqual(1);
  });

  test('does not choose a beginning that most lines share as the smaller part', async () => {
    const visitor = await someone();
    const greeting = Array.from({ length: 60 }, (_, number) =>
      JSON.stringify({
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: `Hello ${number}` },
        ],
      }),
    );
    const id = await saved(visitor, [...greeting, ...numbered(40)]);
    const { body } = await split(visitor, id, { validationShare: 0.2 });
    expect(body.examples).toEqual({ training: 80, validation: 20 });
    const two = await saved(visitor, [...greeting, ...growing('Topic', 30)]);
    const { body: whole } = await split(visitor, two, { validationShare: 0.1 });
    expect(whole.examples).toEqual({ training: 60, validation: 30 });
    expect(topicsOf(await linesOf(visitor, whole.validation.id))).toEqual(new Set(['Topic']));
  });

  test('divides line by line if all lines begin alike', async () => {
    const visitor = await someone();
    const { body } = await split(visitor, await saved(visitor, growing('Topic', 40)), { validationShare: 0.25 });
    expect(body.examples).toEqual({ training: 30, validation: 10 });
  });

  test('gives one example for validation of the smallest file that can be divided', async () => {
    const visitor = await someone();
    const { body } = await split(visitor, await saved(visitor, numbered(11)), { validationShare: 0.05 });
    expect((await linesOf(visitor, body.training.id)).length).toBe(10);
    expect((await linesOf(visitor, body.validation.id)).length).toBe(1);
  });

  test.each([0, 0.01, 0.6, 1, -1, 'half'])('refuses a share of %s', async (validationShare) => {
    const { status, body } = await split(await someone(), 1, { validationShare });
    expect([status, Object.keys(body.fields)]).toEqual([400, ['validationShare']]);
  });
});
