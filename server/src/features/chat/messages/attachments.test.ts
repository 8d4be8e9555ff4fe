import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import {
  ask,
  asksOf,
  clientId,
  deleteForGood,
  forgetAsks,
  messageOf,
  messagesOf,
  newThread,
  post,
  regenerated,
} from '#server/testing/chat';
import { cookieOf, fileOf, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n');
const docx = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(40)]);
const megabyte = 1024 * 1024;
const purpose = 'user_data';

const dataOf = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
const imagePart = { type: 'input_image', image_url: dataOf('image/png', png), detail: 'auto' };
const textPart = (text: string) => ({ type: 'input_text', text });
const put = (app: TestApp, visitor: HttpClient, filename: string, content: string | Buffer) =>
  uploaded(app, visitor, { filename, content, purpose });

describe.each(engines)('files attached to messages on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  let threadId: number;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());
  beforeEach(async () => {
    await forgetAsks(app);
    threadId = await newThread(ada, { title: 'Named' });
  });
  const inputs = async () => (await asksOf(app)).map(({ body }) => body.input);

  test('reach the model in order, before the text, with the detected kind', async () => {
    const image = await put(app, ada, 'dot.txt', png);
    const paper = await put(app, ada, 'paper.pdf', pdf);
    const words = await put(app, ada, 'table.csv', 'plant,height\nfern,30\n');
    const letter = await put(app, ada, 'letter.docx', docx);
    const fileIds = [words.id, image.id, letter.id, paper.id];
    const { message, answer } = await ask(app, ada, threadId, 'What is in them?', { fileIds });

    const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    expect(await inputs()).toEqual([
      [
        {
          role: 'user',
          content: [
            textPart('Attached file “table.csv”:\n\nplant,height\nfern,30\n'),
            imagePart,
            { type: 'input_file', filename: 'letter.docx', file_data: dataOf(wordType, docx) },
            { type: 'input_file', filename: 'paper.pdf', file_data: dataOf('application/pdf', pdf) },
            textPart('What is in them?'),
          ],
        },
      ],
    ]);
    expect(answer.text).toContain('I received **an image**, **letter.docx**, **paper.pdf**.');
    expect(message.files).toEqual([
      { id: words.id, filename: 'table.csv', size: 21, kind: 'text' },
      { id: image.id, filename: 'dot.txt', size: png.length, kind: 'image' },
      { id: letter.id, filename: 'letter.docx', size: docx.length, kind: 'document' },
      { id: paper.id, filename: 'paper.pdf', size: pdf.length, kind: 'document' },
    ]);
    const [question] = await messagesOf(ada, threadId);
    expect(question?.files).toEqual(message.files);
    expect((await fileOf(ada, image.id))?.usedBy).toBe(1);
    expect((await ada.get('/api/files/summary')).body.filesUsedByAi).toBeGreaterThanOrEqual(4);
  });

  test('are sent again for another answer and for later messages', async () => {
    const image = await put(app, ada, 'dot.png', png);
    const { message } = await ask(app, ada, threadId, 'What is this?', { fileIds: [image.id, image.id] });
    expect(message.files).toHaveLength(1);
    await regenerated(app, ada, message.id);
    await ask(app, ada, threadId, 'And now?');
    const [first, again, next] = await inputs();
    expect(first).toEqual([{ role: 'user', content: [imagePart, textPart('What is this?')] }]);
    expect(again).toEqual(first);
    expect(next[0]).toEqual(first[0]);
    expect(next.at(-1)).toEqual({ role: 'user', content: 'And now?' });
  });

  test('are attached once if the message is sent twice', async () => {
    const image = await put(app, ada, 'dot.png', png);
    const draft = { fileIds: [image.id], clientId: clientId() };
    const { message } = await ask(app, ada, threadId, 'Once', draft);
    const again = await post(ada, threadId, 'Once', draft);
    expect(again.body.message).toMatchObject({ id: message.id, files: [{ id: image.id }] });
    expect((await fileOf(ada, image.id))?.usedBy).toBe(1);
  });

  test('keep the name of a deleted file, and tell the model', async () => {
    const notes = await put(app, ada, 'notes.txt', 'The secret is moss.');
    const { message } = await ask(app, ada, threadId, 'Read this', { fileIds: [notes.id] });
    expect((await ada.delete(`/api/files/${notes.id}`)).status).toBe(200);
    expect((await messageOf(ada, threadId, message.id)).files).toEqual([
      { id: null, filename: 'notes.txt', size: 19, kind: 'text' },
    ]);
    await ask(app, ada, threadId, 'Again');
    const [, second] = await inputs();
    expect(second[0].content).toEqual([
      textPart('[The attached file “notes.txt” is not included.]'),
      textPart('Read this'),
    ]);
  });

  test('stay in the file list when the thread is deleted', async () => {
    const image = await put(app, ada, 'dot.png', png);
    await ask(app, ada, threadId, 'Look', { fileIds: [image.id] });
    expect((await fileOf(ada, image.id))?.usedBy).toBe(1);
    await deleteForGood(ada, threadId);
    expect(await fileOf(ada, image.id)).toMatchObject({ usedBy: 0 });
  });

  test("are not found if missing or another user's, and nothing is stored", async () => {
    const bob = await app.withKey('bob');
    const own = await put(app, ada, 'dot.png', png);
    const foreign = await put(app, bob, 'bob.png', png);
    for (const id of [foreign.id, 2_000_000_000]) {
      const { status, body } = await post(ada, threadId, 'Mine?', { fileIds: [own.id, id] });
      expect({ status, body: { ...body, requestId: '' } }).toEqual({
        status: 404,
        body: {
          code: 'not_found',
          message: 'This file does not exist.',
          fields: { fileIds: 'This file does not exist.' },
          requestId: '',
        },
      });
    }
    expect(await messagesOf(ada, threadId)).toEqual([]);
    expect(await asksOf(app)).toEqual([]);
    expect(await fileOf(ada, own.id)).toMatchObject({ usedBy: 0 });
    expect(await fileOf(bob, foreign.id)).toMatchObject({ usedBy: 0 });
  });

  test.each([
    ['neither text nor known', 'data.bin', Buffer.from([0xff, 0xfe, 0x00, 0x41]), 415, 'cannot be read by a model'],
    ['with a character that no text has', 'a.txt', Buffer.from('a\0b'), 415, 'cannot be read by a model'],
    ['an archive', 'all.zip', docx, 415, 'cannot be read by a model'],
    ['too long a text', 'long.txt', Buffer.alloc(4 * megabyte + 1, 'a'), 413, 'too long'],
  ])('are rejected before anything is stored if %s', async (_what, filename, content, status, words) => {
    const file = await put(app, ada, filename, content);
    const refused = await post(ada, threadId, 'Read this', { fileIds: [file.id] });
    expect(refused.status).toBe(status);
    expect(refused.body.fields.fileIds).toContain(filename);
    expect(refused.body.message).toContain(words);
    expect(await messagesOf(ada, threadId)).toEqual([]);
  });

  test('are rejected above 20 files or 20 MB', async () => {
    const tooMany = await post(ada, threadId, 'All', { fileIds: Array.from({ length: 21 }, (_, index) => index + 1) });
    expect(tooMany.body.fields.fileIds).toBe('At most 20 files can be attached to a message');
    const half = Buffer.concat([png, Buffer.alloc(10 * megabyte)]);
    const [one, two] = [await put(app, ada, 'one.png', half), await put(app, ada, 'two.png', half)];
    const tooMuch = await post(ada, threadId, 'Both', { fileIds: [one.id, two.id] });
    expect([tooMuch.status, tooMuch.body.code]).toEqual([413, 'too_large']);
    expect(tooMuch.body.message).toContain('20 MB together');
    expect(await messagesOf(ada, threadId)).toEqual([]);
  });

  test('are sent from the newest on in a long thread, with a note about the rest', async () => {
    const [older, newer] = [
      await put(app, ada, 'older.png', Buffer.concat([png, Buffer.alloc(12 * megabyte, 1)])),
      await put(app, ada, 'newer.png', Buffer.concat([png, Buffer.alloc(9 * megabyte, 2)])),
    ];
    await ask(app, ada, threadId, 'First', { fileIds: [older.id] });
    await forgetAsks(app);
    const { answer } = await ask(app, ada, threadId, 'Second', { fileIds: [newer.id] });
    const [input] = await inputs();
    expect(input[0].content).toEqual([textPart('[The attached file “older.png” is not included.]'), textPart('First')]);
    expect(input.at(-1).content[0].image_url).toHaveLength(dataOf('image/png', Buffer.alloc(newer.size)).length);
    expect(answer.notes).toEqual([
      'A file of earlier messages was left out: with one request 20 MB of files can be sent.',
    ]);
  });

  test('are estimated by tokens and not by encoded length for a stopped answer', async () => {
    const image = await put(app, ada, 'large.png', Buffer.concat([png, Buffer.alloc(2 * megabyte)]));
    const { answer } = await ask(app, ada, threadId, 'Describe [[drop after=3]]', { fileIds: [image.id] });
    expect(answer.state).toBe('failed');
    expect(answer.usage?.estimated).toBe(true);
    expect(answer.usage?.inputTokens).toBeGreaterThan(1_000);
    expect(answer.usage?.inputTokens).toBeLessThan(1_100);
  });

  test('are named in an export', async () => {
    const image = await put(app, ada, 'dot.png', png);
    await ask(app, ada, threadId, 'Look', { fileIds: [image.id] });
    const exported = async (format: string) => {
      const headers = { cookie: cookieOf(ada) };
      const answer = await request(`${app.url}/api/threads/${threadId}/export?format=${format}`, { headers });
      return answer.body.text();
    };
    expect(await exported('md')).toContain('Look\n\n*(attached: dot.png)*');
    const [question] = JSON.parse(await exported('json')).messages;
    expect(question.files).toEqual([
      { filename: 'dot.png', size: png.length, kind: 'image', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });
});

describe.each(engines)('with a provider that has no Responses API, on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine, { simulator: { without: ['responses'] } });
    ada = await app.withKey('ada');
  });
  afterAll(() => app.stop());

  test('send images and texts, reject a document with a message, and omit it later', async () => {
    const image = await put(app, ada, 'dot.png', png);
    const notes = await put(app, ada, 'notes.txt', 'Moss grows.');
    const paper = await put(app, ada, 'paper.pdf', pdf);
    const threadId = await newThread(ada, { title: 'Named' });
    await ask(app, ada, threadId, 'Look', { fileIds: [image.id, notes.id] });
    const { answer } = await ask(app, ada, threadId, 'Read', { fileIds: [paper.id] });
    expect(answer.state).toBe('failed');
    expect(answer.error).toMatchObject({ code: 'bad_request' });
    expect(answer.error?.message).toContain('reads no documents such as “paper.pdf”');
    expect((await ask(app, ada, threadId, 'Go on')).answer.state).toBe('complete');
    const chats = (await asksOf(app)).filter(({ path }) => path === '/chat/completions').map(({ body }) => body);
    const first = {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: dataOf('image/png', png) } },
        { type: 'text', text: 'Attached file “notes.txt”:\n\nMoss grows.' },
        { type: 'text', text: 'Look' },
      ],
    };
    expect(chats[0].messages).toEqual([first]);
    expect(chats.at(-1).messages).toEqual([
      first,
      expect.objectContaining({ role: 'assistant' }),
      {
        role: 'user',
        content: [
          { type: 'text', text: '[The attached file “paper.pdf” is not included.]' },
          { type: 'text', text: 'Read' },
          { type: 'text', text: 'Go on' },
        ],
      },
    ]);
  });
});
