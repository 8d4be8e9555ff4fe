import type { Endpoint } from '@roster/contracts/endpoint';
import { isBlank, visibleLength } from '@roster/contracts/text/blank';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startApp, type TestApp } from '#server/testing/app';

/** Each is invisible, alone or combined. */
const nothing = [
  '\u200b',
  '\u2060\ufeff',
  '\u00ad',
  ' \u200d\u00a0',
  '\u3164',
  '\u2800',
  '\ufe0f',
  '\u202e',
  '\u{e0041}',
];

const textOf = (schema: z.ZodType) =>
  z
    .object({ type: z.literal('string'), minLength: z.number().min(1), pattern: z.never().optional() })
    .safeParse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).success;

/** The text fields that a call requires; secrets are excluded, because they are compared by characters, not looks. */
function requiredTexts({ body, method, path }: Endpoint) {
  if (!(body instanceof z.ZodObject)) return [];
  const fields = z.record(z.string(), z.instanceof(z.ZodType)).parse(body.shape);
  return Object.entries(fields)
    .filter(([name, schema]) => !/password|key|token|code/i.test(name) && textOf(schema))
    .map(([name, schema]) => ({ where: `${method} ${path} ${name}`, schema }));
}

test('tells invisible text from visible text', () => {
  for (const text of [...nothing, nothing.join('')]) expect(isBlank(text), JSON.stringify(text)).toBe(true);
  for (const text of ['a', '\u200bא\u200b', '👩‍💻', '.', '\u0301']) expect(isBlank(text)).toBe(false);
  expect(visibleLength('a\u200bb')).toBe(2);
});

describe('invisible text', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp('sqlite');
  });
  afterAll(() => app.stop());

  test('counts as missing wherever text is required', () => {
    const all = app.endpoints.flatMap(requiredTexts);
    expect(all.length).toBeGreaterThanOrEqual(12);
    const taken = all.flatMap(({ where, schema }) =>
      nothing.filter((text) => schema.safeParse(text).success).map((text) => `${where} ${JSON.stringify(text)}`),
    );
    expect(taken).toEqual([]);
  });

  test.each([
    ['an assistant', '/api/assistants', { name: '\u200b', model: 'gpt-4o' }, { name: 'Name is required' }],
    ['an assistant without a name', '/api/assistants', { model: 'gpt-4o' }, { name: 'Name is required' }],
    [
      'a message',
      '/api/threads/1/messages',
      { message: ' \u2060\n', clientId: 'abcdefgh' },
      { message: 'Message is required' },
    ],
    [
      'a person',
      '/api/admin/users',
      { name: '\u200b\u200bA\u200b', email: 'new@example.com', role: 'Viewer' },
      { name: 'Name must be at least 2 characters' },
    ],
  ])('is rejected for %s', async (_what, path, body, fields) => {
    const answer = await (await app.as('ada')).post(path, body);
    expect([answer.status, answer.body.fields]).toEqual([400, fields]);
  });
});
