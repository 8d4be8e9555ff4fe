import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filePlaces, startFileApp, uploaded } from '#server/testing/files';
import type { HttpClient } from '#server/testing/http-client';
import { conversation, pair, preference } from '#server/testing/training-files';

const examples = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => conversation(`What is ${n + from}?`, `It is ${n + from}.`));
const preferences = Array.from({ length: 60 }, (_, n) => preference(`Which ${n}?`, 'This.', 'That.'));

/** An installation with these places for its data, and a user who has files checked. */
function startedWith(...[engine, store]: (typeof filePlaces)[number]) {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  let ada: HttpClient;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    ada = await place.app.as('ada');
  });
  afterAll(() => place.stop());

  const saved = async (content: string[] | Buffer) =>
    (
      await uploaded(place.app, ada, {
        filename: 'a.jsonl',
        content: Buffer.isBuffer(content) ? content : content.join('\n'),
        purpose: 'fine-tune',
      })
    ).id;
  const check = (trainingFileId: number, more: object = {}) =>
    ada.post('/api/fine-tuning/validate', { trainingFileId, ...more });
  const messages = (report: { problems: { message: string }[] }) => report.problems.map(({ message }) => message);
  return { saved, check, messages };
}

describe.each(filePlaces)('checking a training file on %s and %s', (engine, store) => {
  const { saved, check, messages } = startedWith(engine, store);

  test('counts, and estimates the cost', async () => {
    const id = await saved(examples(60));
    const { status, body } = await check(id, { baseModel: 'gpt-4o-mini-2024-07-18' });
    // Both messages with their roles are 2 × 4 tokens, the answer to come 3; "What is 10?" and "It is 10." are 5 each.
    expect([status, body.ok, body.training]).toEqual([
      200,
      true,
      expect.objectContaining({
        fileId: id,
        filename: 'a.jsonl',
        format: 'chat',
        lines: 60,
        examples: 60,
        tokens: 1260,
      }),
    ]);
    expect(body.estimate).toMatchObject({ epochs: 3, tokens: 3780, pricePerMillionUsd: 3 });
    expect(body.estimate.costUsd).toBeCloseTo(0.01134, 10);
    const given = (await check(id, { baseModel: 'somebody-else', epochs: 7 })).body.estimate;
    expect(given).toEqual({ epochs: 7, tokens: 8820, costUsd: null, pricePerMillionUsd: null, priceAsOf: null });
  });

  test('refuses images for a model that is trained on text only', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const shown = (n: number) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: [{ type: 'text', text: `${n}?` }, image] },
          { role: 'assistant', content: `${n}.` },
        ],
      });
    const id = await saved([...examples(60), shown(1), shown(2)]);
    const message = '2 examples have images, and gpt-4.1-2025-04-14 can be trained on text only.';
    const refused = (await check(id, { baseModel: 'gpt-4.1-2025-04-14' })).body;
    expect([refused.ok, refused.training.errors, refused.training.problems[0]]).toEqual([
      false,
      1,
      { line: null, severity: 'error', message, fix: 'Choose gpt-4o-2024-08-06, or remove the images.' },
    ]);
    for (const baseModel of ['gpt-4o-2024-08-06', 'somebody-else', undefined])
      expect((await check(id, { baseModel })).body.ok, baseModel).toBe(true);
    const validation = { baseModel: 'gpt-4o-mini-2024-07-18', validationFileId: await saved([shown(3)]) };
    const { body } = await check(await saved(examples(60)), validation);
    expect([body.ok, messages(body.validation)]).toEqual([
      false,
      ['One example has images, and gpt-4o-mini-2024-07-18 can be trained on text only.'],
    ]);
  });

  test('continues after a line that is too long, and counts the lines right', async () => {
    const content = [...examples(60), 'x'.repeat(9_000_000), ...examples(5, 60), 'no JSON'];
    const { training } = (await check(await saved(content))).body;
    expect([training.lines, training.examples]).toEqual([67, 65]);
    expect(training.problems.map(({ line }: { line: number }) => line)).toEqual([61, 67]);
  });

  test('names examples of the validation file that are in the training file too', async () => {
    const [training, validation] = [await saved(examples(60)), await saved(['', ...examples(5, 58)])];
    const { body } = await check(training, { validationFileId: validation });
    expect([body.ok, body.overlap]).toEqual([
      true,
      {
        examples: 2,
        lines: [
          { training: 59, validation: 2 },
          { training: 60, validation: 3 },
        ],
      },
    ]);
    expect(messages(body.validation)).toContain(
      '2 examples are also in the training file, so they cannot validate the model.',
    );
    const other = (await check(training, { validationFileId: await saved(preferences) })).body;
    expect([other.ok, messages(other.validation)]).toEqual([
      false,
      ['The file and the training file have different formats.'],
    ]);
    expect((await check(training, { validationFileId: null })).body.validation).toBeNull();
  });
});

// The content of a file does not depend on where it is stored.
describe('the report on a training file', () => {
  const { saved, check, messages } = startedWith('sqlite', 'disk');

  test.each([
    [
      'nine examples',
      examples(9),
      {},
      false,
      'There are 9 examples that can be used; the provider trains on 10 at least.',
    ],
    ['twenty examples', examples(20), {}, true, 'There are 20 examples.'],
    [
      'conversations for preference training',
      examples(60),
      { method: 'dpo' },
      false,
      'Preference training needs pairs of answers, but the file has conversations.',
    ],
    [
      'preferences for supervised training',
      preferences,
      { method: 'supervised' },
      false,
      'Supervised training needs conversations, but the file has preference pairs.',
    ],
    [
      'old pairs',
      Array.from({ length: 60 }, (_, n) => pair(`${n}`, 'x')),
      {},
      false,
      'The file has prompt-completion pairs, which current models do not accept.',
    ],
    [
      'a mixture',
      [...examples(60), ...preferences],
      {},
      false,
      'The file mixes formats: 60 conversations ("messages") and 60 preference pairs.',
    ],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]), {}, false, 'The file is not text.'],
    ['UTF-16', Buffer.from(`\ufeff${examples(60).join('\n')}`, 'utf16le'), {}, false, 'The file is UTF-16 text.'],
    ['a list', [`[${examples(60).join(',\n')}]`], {}, false, 'The file is one JSON list.'],
    ['an example over several lines', ['{', '"messages": []', '}'], {}, false, 'An example goes over several lines.'],
    [
      'a mark at the beginning',
      [`\ufeff${examples(60).join('\r\n')}\r\n`],
      {},
      true,
      'The file begins with a byte order mark.',
    ],
    [
      'a line of 5 MB',
      [...examples(60), `{"a":"${'x'.repeat(5_000_000)}"}`, ...examples(5, 60)],
      {},
      false,
      'The line is longer than 4 MB.',
    ],
    [
      'a line with a million values',
      [...examples(60), `{"messages":[${'{},'.repeat(1_000_000)}{}]}`],
      {},
      false,
      'The line contains more than 100000 values.',
    ],
    [
      'a line of a million levels',
      [...examples(60), `{"messages":${'['.repeat(1_000_000)}`],
      {},
      false,
      'The line is nested more than 64 levels deep.',
    ],
  ])('says what to change about %s', async (_what, content, more, ok, message) => {
    const { status, body } = await check(await saved(content), more);
    expect([status, body.ok]).toEqual([200, ok]);
    expect(messages(body.training)).toContain(message);
    for (const { fix } of body.training.problems) expect(fix).not.toBe('');
  });

  test.each([
    ['an unknown file', { trainingFileId: 2_000_000_000 }, 404, 'not_found'],
    ['no file', { trainingFileId: undefined }, 400, 'invalid_input'],
    ['a text', { trainingFileId: '1' }, 400, 'invalid_input'],
    ['a method there is not', { method: 'magic' }, 400, 'invalid_input'],
    ['no epochs', { epochs: 0 }, 400, 'invalid_input'],
    ['an unknown field', { userId: 1 }, 400, 'invalid_input'],
  ])('refuses %s', async (_what, more, status, code) => {
    const { status: answered, body } = await check(1, more);
    expect([answered, body.code]).toEqual([status, code]);
  });
});
