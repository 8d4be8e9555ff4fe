import { expect, test } from 'vitest';
import { lineReader } from '#server/features/fine-tuning/files/lines';
import { estimateOf } from '#server/features/fine-tuning/files/tokens/estimate';
import { loadCatalogue } from '#server/provider/catalogue/catalogue';
import { seeded } from '#server/testing/crash';
import { conversation, pair, preference } from '#server/testing/training-files';
import { fileCheck } from './file-check.ts';

const limits = { listed: 100, tokens: 2_000 };
/** One token per word, so that a test can count. */
const countText = (text: string) => text.split(' ').length;

function checked(content: string | Buffer, chunk = 7) {
  const check = fileCheck({ limits, countText });
  const reader = lineReader(check.take);
  const bytes = Buffer.from(content);
  for (let from = 0; from < bytes.length; from += chunk) reader.push(bytes.subarray(from, from + chunk));
  reader.end();
  return check.findings();
}
const problemsOf = (line: string | Buffer) =>
  checked(line).problems.map(({ severity, message }) => `${severity}: ${message}`);

const question = { role: 'user', content: 'Why?' };
const answer = { role: 'assistant', content: 'Because.' };
const chat = (messages: unknown, more: object = {}) => JSON.stringify({ messages, ...more });
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };
const image = (url: string) => ({ type: 'image_url', image_url: { url } });

/** Base64 of an image of this many bytes. */
const ofBytes = (bytes: number, letter = 'A') => `data:image/png;base64,${letter.repeat(Math.floor(bytes / 3) * 4)}`;
const mebibyte = 1024 * 1024;
const showing = (url: string) => chat([{ role: 'user', content: [image(url)] }, answer]);

test.each([
  ['a question and an answer', conversation('Why?', 'Because.')],
  [
    'instructions of both kinds',
    chat([{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, question, answer]),
  ],
  ['weights', chat([question, { ...answer, weight: 0 }, question, { ...answer, weight: 1 }])],
  [
    'a call and its answer',
    chat([
      question,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
      answer,
    ]),
  ],
  [
    'a call at the end',
    chat([question, { role: 'assistant', tool_calls: [call] }], {
      tools: [{ type: 'function', function: { name: 'look' } }],
      parallel_tool_calls: false,
    }),
  ],
  [
    'a function of old',
    chat(
      [
        question,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: null },
        answer,
      ],
      { functions: [] },
    ),
  ],
  ['names', chat([{ ...question, name: 'Ada_1' }, answer])],
  [
    'parts',
    chat([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What?' },
          image('https://example.com/a.png'),
          image('data:image/png;base64,AAAA'),
        ],
      },
      answer,
    ]),
  ],
  ['a refusal', chat([question, { role: 'assistant', content: null, refusal: 'No.' }])],
  [
    'what SDKs print as null',
    chat([question, { ...answer, audio: null, refusal: null, function_call: null, tool_calls: null }]),
  ],
  ['a preference', preference('Why?', 'So.', 'Because.')],
  ['a pair', pair('a', 'b')],
])('finds nothing wrong with %s', (_what, line) => {
  expect(problemsOf(line)).toEqual([]);
});

test.each<[line: string | Buffer, problem: string]>([
  ['{"messages":', 'error: The line is not valid JSON'],
  ['[]', 'error: The line is not a JSON object.'],
  ['"text"', 'error: The line is not a JSON object.'],
  ['null', 'error: The line is not a JSON object.'],
  ['{}', 'error: The line is not a training example.'],
  ['{"prompt":"a"}', 'error: The line is not a training example.'],
  [' \t', 'warning: The line is empty.'],
  [Buffer.from([0x22, 0xff, 0x22]), 'error: The line is not valid UTF-8.'],
  ['{"a":"\0"}', 'error: The line contains a NUL byte.'],
  [`{"messages":${'['.repeat(100)}${']'.repeat(100)}}`, 'error: The line is nested more than 64 levels deep.'],
  [chat([]), 'error: There are no messages.'],
  [chat('hello'), 'error: There are no messages.'],
  [chat(['hello', answer]), 'error: Message 1 is not an object.'],
  [chat([{ content: 'a' }, answer]), 'error: Message 1 has no role.'],
  [chat([{ role: 'bot', content: 'a' }, answer]), 'error: Message 1 has the unknown role “bot”.'],
  [chat([{ role: 'toString', content: 'a' }, answer]), 'error: Message 1 has the unknown role “toString”.'],
  [chat([{ role: 'user' }, answer]), 'error: Message 1 has no content.'],
  [chat([{ role: 'user', content: 5 }, answer]), 'error: Message 1 has content that is not text.'],
  [chat([question, { role: 'assistant' }]), 'error: Message 2 has no content.'],
  [chat([question, { role: 'assistant', content: ' ' }]), 'warning: Message 2 is an empty answer.'],
  [chat([question]), 'error: The last message is not from the assistant.'],
  [chat([answer, question]), 'error: The last message is not from the assistant.'],
  [chat([question, { ...answer, weight: 2 }]), 'error: Message 2 has the weight “2”.'],
  [chat([question, { ...answer, weight: 0 }]), 'error: Every answer has the weight 0, so nothing is learned.'],
  [chat([{ ...question, id: 1 }, answer]), 'error: Message 1 (user) has the unknown field “id”.'],
  [chat([question, answer], { model: 'x' }), 'error: The example has the unknown field “model”.'],
  [chat([question, answer], { tools: {} }), 'error: "tools" is not a list of functions.'],
  [chat([question, answer], { tools: [{ name: 'a' }] }), 'error: "tools" is not a list of functions.'],
  [chat([question, answer], { parallel_tool_calls: 'no' }), 'error: "parallel_tool_calls" is neither true nor false.'],
  [chat([{ ...question, name: 'two words' }, answer]), 'error: Message 1 has an invalid name.'],
  [chat([{ ...question, name: 'Zoë' }, answer]), 'error: Message 1 has an invalid name.'],
  [chat([question, answer], { functions: 'get_weather' }), 'error: "functions" is not a list of functions.'],
  [
    chat([question, { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{}' } }] }]),
    'error: Message 2 has invalid "tool_calls".',
  ],
  [showing('data:image/gif;base64,AAAA'), 'error: Part 1 of message 1 has an image of a kind that is not trained on.'],
  [showing('data:image/png;base64,A=A'), 'error: Part 1 of message 1 has an image whose base64 is damaged.'],
  [
    chat([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'ultra' } }] },
      answer,
    ]),
    'error: Part 1 of message 1 has the unknown detail “ultra”.',
  ],
  [
    chat([
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a/b.png', detail: 3 } }] },
      answer,
    ]),
    'error: Part 1 of message 1 has the unknown detail “3”.',
  ],
  [
    chat([{ role: 'user', content: Array.from({ length: 11 }, () => image('https://example.com/a.png')) }, answer]),
    'error: The example has 11 images.',
  ],
  [
    chat([question, answer], { reference_answer: 'x' }),
    'error: The line is an example for reinforcement fine-tuning, which Roster does not train.',
  ],
  [
    chat([question], { correct_label: 'x' }),
    'error: The line is an example for reinforcement fine-tuning, which Roster does not train.',
  ],
  [chat([question, { role: 'assistant', tool_calls: [] }]), 'error: Message 2 has invalid "tool_calls".'],
  [
    chat([question, { role: 'tool', tool_call_id: 'c9', content: 'x' }, answer]),
    'error: Message 2 answers the call “c9”, which is not before it.',
  ],
  [chat([question, { role: 'tool', content: 'x' }, answer]), 'error: Message 2 does not say which call it answers.'],
  [chat([{ role: 'user', content: [] }, answer]), 'error: Message 1 has an empty list as its content.'],
  [
    chat([{ role: 'user', content: [{ type: 'audio' }] }, answer]),
    'error: Part 1 of message 1 is of the unknown type “audio”.',
  ],
  [
    chat([{ role: 'user', content: [image('file:///etc/passwd')] }, answer]),
    'error: Part 1 of message 1 has no image that can be read.',
  ],
  [
    chat([question, { role: 'assistant', content: [image('https://a/b.png')] }]),
    'error: Part 1 of message 2 is an image.',
  ],
  [
    '{"messages":[{"__proto__":{"role":"user"},"content":"a"},{"role":"assistant","content":"b"}]}',
    'error: Message 1 has no role.',
  ],
  [
    '{"__proto__":1,"messages":[{"role":"assistant","content":"b"}]}',
    'error: The example has the unknown field “__proto__”.',
  ],
  [preference('a', 'b', 'b'), 'warning: Both answers are the same, so nothing is learned.'],
  [
    JSON.stringify({ preferred_output: [answer], non_preferred_output: [{ ...answer, content: 'x' }] }),
    'error: There is no input.',
  ],
  [
    JSON.stringify({
      input: { messages: [] },
      preferred_output: [answer],
      non_preferred_output: [{ ...answer, content: 'x' }],
    }),
    'error: The input has no messages.',
  ],
  [
    JSON.stringify({ input: { messages: [question] }, preferred_output: [question], non_preferred_output: [answer] }),
    'error: The preferred answer is not exactly one message of the assistant.',
  ],
  [
    JSON.stringify({
      input: { messages: [question] },
      preferred_output: [answer],
      non_preferred_output: [answer, answer],
    }),
    'error: The other answer is not exactly one message of the assistant.',
  ],
  ['{"prompt":1,"completion":"a"}', 'error: The prompt is not a text.'],
  [pair('a', ''), 'warning: The completion is empty.'],
  [
    conversation('word '.repeat(2_100), 'b'),
    'warning: The example is 2113 tokens long; only the first 2000 are trained on.',
  ],
])('%j: %s', (line, problem) => {
  expect(problemsOf(line)).toEqual([expect.stringContaining(problem)]);
});

test.each([null, 'auto', 'low', 'high'])('accepts an image with the detail %s', (detail) => {
  const part = { type: 'image_url', image_url: { url: ofBytes(3), detail } };
  expect(problemsOf(chat([{ role: 'user', content: [part] }, answer]))).toEqual([]);
});

/** In few chunks, because these lines are long. */
const reportedForLong = (line: string) => checked(line, mebibyte).problems.map(({ message }) => message);

test('accepts images of 10 MB, as many as a file has room for, and names a larger one', () => {
  const images = ['A', 'B'].map((letter) => image(ofBytes(10 * mebibyte, letter)));
  expect(reportedForLong(chat([{ role: 'user', content: images }, answer]))).toEqual([]);
  const larger = [image(ofBytes(3)), image(ofBytes(10 * mebibyte + 3))];
  expect(reportedForLong(chat([{ role: 'user', content: larger }, answer]))).toEqual([
    'Part 2 of message 1 has an image of more than 10 MB.',
  ]);
});

test('refuses text of more than 4 MB in a line, with and without images', () => {
  const text = 'word '.repeat(mebibyte);
  expect(reportedForLong(conversation(text, 'b'))).toEqual(['The line is longer than 4 MB.']);
  const content = [image(ofBytes(5 * mebibyte)), { type: 'text', text }];
  expect(reportedForLong(chat([{ role: 'user', content }, answer]))).toEqual([
    'The line is longer than 4 MB, without its images.',
  ]);
  // JSON inside a text is text.
  expect(reportedForLong(conversation(ofBytes(5 * mebibyte), 'b'))).toEqual(['The line is longer than 4 MB.']);
});

test('finds damage and repetition in long images as in short ones, however written', () => {
  for (const bytes of [12, 600, 768, 3_000, 90_000]) {
    const whole = showing(ofBytes(bytes).replace(/AA$/, '+/'));
    const escaped = whole.replaceAll('/', '\\/');
    expect(JSON.parse(escaped)).toEqual(JSON.parse(whole));
    expect(checked(`${whole}\n${escaped}`, 4096), `${bytes} bytes`).toMatchObject({
      errors: 0,
      duplicates: 1,
      withImages: 2,
    });
    const other = showing(ofBytes(bytes, 'B'));
    expect(checked(`${whole}\n${other}`, 4096)).toMatchObject({ errors: 0, duplicates: 0 });
    for (const damage of ['!', '=', ' ', 'é', '\\n', 'A'])
      expect(reportedForLong(whole.replace('AAA', `AA${damage}A`)), `${bytes} bytes, ${damage}`).toEqual([
        'Part 1 of message 1 has an image whose base64 is damaged.',
      ]);
  }
});

test('counts and cuts lines the same, whatever chunks they come in', () => {
  const content = `${conversation('ä', '漢字')}\r\n\r\n${conversation('b', 'c')}\n{\n${conversation('ä', '漢字')}`;
  const whole = checked(content, 100_000);
  for (let size = 1; size < 60; size++) expect(checked(content, size), `in pieces of ${size}`).toEqual(whole);
  expect(whole).toMatchObject({ lines: 5, duplicates: 1, errors: 1, warnings: 2 });
  expect(whole.problems.map(({ line }) => line)).toEqual([2, 4, 5]);
});

test('finds a repeated example however it is written', () => {
  const content = `{"messages":[{"role":"user","content":"\\u0061"},{"role":"assistant","content":"b"}]}\n{ "messages": [ {"content":"a","role":"user"}, {"content":"b","role":"assistant"} ] }\n${conversation('a', 'b ')}`;
  expect(checked(content)).toMatchObject({ duplicates: 1, formats: { chat: { examples: 3 } } });
});

test('lists errors before warnings, at most a hundred, and counts all', () => {
  const findings = checked(`${'\n'.repeat(500)}${'{}\n'.repeat(150)}${'\n'.repeat(50)}`, 4096);
  expect([findings.errors, findings.warnings, findings.problems.length]).toEqual([150, 550, 100]);
  expect(new Set(findings.problems.map(({ severity }) => severity))).toEqual(new Set(['error']));
});

test('reports a line beyond the limit, and reads those after it', () => {
  const lines: (number | undefined)[] = [];
  const reader = lineReader(({ bytes }) => lines.push(bytes?.length), 10);
  for (const text of ['12345', '67890', '\n', '12345678901', '\r\nab\n', 'x'.repeat(50), '\n\n1234567890\r\n'])
    reader.push(Buffer.from(text));
  reader.end();
  expect(lines).toEqual([10, undefined, 2, undefined, 0, 10]);
});

test('finds problems, but never fails, whatever a line is made of', () => {
  const below = seeded(11);
  const whole = [
    conversation('a', 'b'),
    preference('a', 'b', 'c'),
    pair('a', 'b'),
    chat([question, { role: 'assistant', tool_calls: [call] }], { tools: [] }),
  ];
  const values = ['null', '[]', '{}', '"x"', '1e999', 'true', '[[]]', '{"__proto__":[]}', '""', '-1'];
  const pick = (list: string[]) => list[below(list.length)] ?? '';
  for (let number = 0; number < 3_000; number++) {
    // Replaces one value of an example by another, or cuts out a piece of the text.
    const line = pick(whole);
    const spoiled = below(2)
      ? line.replace(/"[^"]*"(?=[,}\]])|\[[^[\]]*\]|\{[^{}]*\}/g, (value) => (below(4) ? value : pick(values)))
      : line.slice(0, below(line.length)) + line.slice(below(line.length));
    const { lines, formats, errors, otherObjects } = checked(spoiled, 64);
    const examples = formats.chat.examples + formats.preference.examples + formats.prompt_completion.examples;
    expect([lines <= 1, examples === 1 || errors > 0 || lines === 0, otherObjects <= 1], spoiled).toEqual([
      true,
      true,
      true,
    ]);
  }
});

test.each([
  [0, 3],
  [1, 25],
  [10, 10],
  [33, 3],
  [34, 3],
  [100, 3],
  [8_333, 3],
  [8_334, 2],
  [20_000, 1],
  [100_000, 1],
])('expects for %i examples %i epochs', (examples, epochs) => {
  expect(estimateOf(loadCatalogue(), { examples, tokens: 0 }, {}).epochs).toBe(epochs);
});
