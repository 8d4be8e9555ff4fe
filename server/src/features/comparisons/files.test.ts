import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { comparisonOf, comparisonsPath as path } from '#server/testing/comparisons';
import { uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';

const line = (value: unknown) => JSON.stringify(value);
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const chat = (index: number) =>
  line({
    messages: [{ role: 'system', content: 'Be brief.' }, user(`Question ${index}`), assistant(`Answer ${index}`)],
  });

describe.each(engines)('prompts from a file on %s', (engine) => {
  let app: TestApp;
  let ada: HttpClient;
  beforeAll(async () => {
    app = await startApp(engine);
    ada = await app.as('ada');
  });
  afterAll(() => app.stop());

  async function prepared(lines: (string | Buffer)[], count?: number) {
    const content = Buffer.concat(lines.map((part) => Buffer.concat([Buffer.from(part), Buffer.from('\n')])));
    const file = await uploaded(app, ada, { filename: 'validation.jsonl', content, purpose: 'fine-tune' });
    const prompts = { fileId: file.id, ...(count !== undefined && { count }) };
    return ada.post(path, {
      candidateModel: 'gpt-4o-mini',
      baselineModel: 'gpt-4o',
      instructions: 'Not these',
      prompts,
    });
  }
  async function taken(lines: (string | Buffer)[], count?: number) {
    const { status, body } = await prepared(lines, count);
    expect(status).toBe(201);
    return (await comparisonOf(ada, body.id)).items;
  }

  test('takes lines evenly from the whole file, with the file’s own answers', async () => {
    const items = await taken(
      Array.from({ length: 100 }, (_, index) => chat(index)),
      5,
    );
    expect(items.map(({ expected }) => expected)).toEqual([
      'Answer 10',
      'Answer 30',
      'Answer 50',
      'Answer 70',
      'Answer 90',
    ]);
    expect(items[0]).toMatchObject({
      instructions: 'Be brief.',
      turns: [{ role: 'user', text: 'Question 10' }],
      candidate: null,
      baseline: null,
    });
  });

  test('takes ten unless told otherwise, and all if there are no more', async () => {
    expect(await taken(Array.from({ length: 25 }, (_, index) => chat(index)))).toHaveLength(10);
    const all = await taken([chat(1), chat(2), chat(3)], 50);
    expect(all.map(({ expected }) => expected)).toEqual(['Answer 1', 'Answer 2', 'Answer 3']);
  });

  test('ends before the last answer, and joins parts of text', async () => {
    const parts = [
      { type: 'text', text: 'And ' },
      { type: 'text', text: 'then?' },
    ];
    const [item] = await taken([
      `\uFEFF${line({ messages: [user('Once?'), assistant('Yes.'), user(parts), assistant('The end.'), user('Thanks')] })}`,
    ]);
    expect(item).toMatchObject({
      instructions: '',
      turns: [
        { role: 'user', text: 'Once?' },
        { role: 'assistant', text: 'Yes.' },
        { role: 'user', text: 'And then?' },
      ],
      expected: 'The end.',
    });
  });

  test('accepts preference pairs: the preferred answer is the expected one', async () => {
    const [item] = await taken([
      line({
        input: { messages: [{ role: 'developer', content: 'Be kind.' }, user('How am I?')] },
        preferred_output: [assistant('Splendid.')],
        non_preferred_output: [assistant('Meh.')],
      }),
    ]);
    expect(item).toMatchObject({
      instructions: 'Be kind.',
      turns: [{ role: 'user', text: 'How am I?' }],
      expected: 'Splendid.',
    });
  });

  const unusable: [string, string | Buffer][] = [
    ['nothing', ''],
    ['no JSON', '{"messages": ['],
    ['another value', '42'],
    ['no question', line({ messages: [{ role: 'system', content: 'Be brief.' }, assistant('Hello')] })],
    ['an empty question', line({ messages: [user('  '), assistant('Hello')] })],
    ['an image', line({ messages: [user([{ type: 'image_url', image_url: { url: 'x' } }]), assistant('A cat')] })],
    [
      'a tool call',
      line({
        messages: [user('Weather?'), { ...assistant(''), tool_calls: [{ id: '1' }] }, { role: 'tool', content: '9' }],
      }),
    ],
    ['tools', line({ messages: [user('Weather?'), assistant('Fine')], tools: [{ type: 'function' }] })],
    ['an old pair', line({ prompt: 'Once', completion: 'upon' })],
    ['a line that is too long', line({ messages: [user('x'.repeat(300_000)), assistant('Long')] })],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x01])],
  ];

  test('leaves out lines that cannot be asked', async () => {
    const items = await taken(
      [...unusable.map(([, bad]) => bad), chat(1), ...unusable.map(([, bad]) => bad), chat(2)],
      10,
    );
    expect(items.map(({ expected }) => expected)).toEqual(['Answer 1', 'Answer 2']);
  });

  test.each(unusable.slice(1))('refuses a file with only %s', async (_, bad) => {
    const { status, body } = await prepared([bad]);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(body.message).toBe(
      'No line of “validation.jsonl” can be used. Choose a JSONL file with one chat example or preference pair per line, without images or tool calls.',
    );
    expect(body.fields.prompts).toBe(body.message);
  });

  test('accepts only the user’s own files', async () => {
    const bob = await app.as('bob');
    const { id: fileId } = await uploaded(app, bob, { filename: 'theirs.jsonl', content: chat(1) });
    for (const foreign of [fileId, 2_000_000_000]) {
      const { status, body } = await ada.post(path, {
        candidateModel: 'a',
        baselineModel: 'b',
        prompts: { fileId: foreign },
      });
      expect([status, body.message]).toEqual([404, 'This file does not exist.']);
    }
  });
});
