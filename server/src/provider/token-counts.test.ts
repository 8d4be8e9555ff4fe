import { describe, expect, test } from 'vitest';
import { countsToRecord, findUsage, parseUsage } from './token-counts.ts';

const counts = { inputTokens: 12, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 0 };

describe('reading usage', () => {
  test.each([
    ['of Chat Completions', { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }, {}],
    ['of Responses', { input_tokens: 12, output_tokens: 5 }, {}],
    [
      'with its parts',
      {
        input_tokens: 12,
        input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
      },
      { cachedTokens: 4, cacheWriteTokens: 3, reasoningTokens: 2 },
    ],
    [
      'with the parts of Chat Completions',
      {
        prompt_tokens: 12,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 12, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { cachedTokens: 12, reasoningTokens: 5 },
    ],
    [
      'whose parts are zero',
      { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 0 } },
      {},
    ],
    ['whose parts are null', { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: null }, {}],
    ['whose parts are a list', { prompt_tokens: 12, completion_tokens: 5, completion_tokens_details: [] }, {}],
    [
      'with cache hits at the top',
      { prompt_tokens: 12, completion_tokens: 5, prompt_cache_hit_tokens: 8 },
      { cachedTokens: 8 },
    ],
    [
      'with cached tokens at the top',
      { prompt_tokens: 12, completion_tokens: 5, cached_tokens: 8 },
      { cachedTokens: 8 },
    ],
    [
      'with the names of both, one of them unfilled',
      { prompt_tokens: 12, completion_tokens: 5, input_tokens: 0, output_tokens: 0 },
      {},
    ],
    ['with an output of 0', { prompt_tokens: 12, completion_tokens: 0 }, { outputTokens: 0 }],
    ['whose total is smaller', { prompt_tokens: 12, completion_tokens: 5, total_tokens: 0 }, {}],
    ['whose total cannot be read', { prompt_tokens: 12, completion_tokens: 5, total_tokens: '99' }, {}],
    [
      'that counts thoughts in the total alone',
      { prompt_tokens: 12, completion_tokens: 5, total_tokens: 217 },
      { outputTokens: 205, reasoningTokens: 200 },
    ],
    [
      'whose output is without its reasoning',
      {
        prompt_tokens: 12,
        completion_tokens: 5,
        total_tokens: 217,
        completion_tokens_details: { reasoning_tokens: 200 },
      },
      { outputTokens: 205, reasoningTokens: 200 },
    ],
  ])('%s', (_title, usage, more) => expect(parseUsage(usage)).toEqual({ ...counts, ...more }));

  test('reads no parts larger than the whole', () => {
    const usage = {
      prompt_tokens: 12,
      prompt_tokens_details: { cached_tokens: 13, cache_write_tokens: 14 },
      completion_tokens: 5,
      completion_tokens_details: { reasoning_tokens: 6 },
    };
    expect(parseUsage(usage)).toEqual(counts);
    const details = { cached_tokens: 10, cache_write_tokens: 3 };
    expect(parseUsage({ ...usage, prompt_tokens_details: details })).toEqual({ ...counts, cachedTokens: 10 });
  });
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', '12'],
  ['a list', [12, 5]],
  ['an empty object', {}],
  ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ['zeros of Responses', { input_tokens: 0, output_tokens: 0 }],
  ['an input of 0', { prompt_tokens: 0, completion_tokens: 5 }],
  ['texts', { prompt_tokens: '12', completion_tokens: '5' }],
  ['fractions', { prompt_tokens: 12.5, completion_tokens: 5.5 }],
  ['one fraction', { prompt_tokens: 12, completion_tokens: 5.5 }],
  ['negative counts', { prompt_tokens: -12, completion_tokens: 5 }],
  ['one count alone', { prompt_tokens: 12 }],
  ['the total alone', { total_tokens: 17 }],
  ['counts that nobody has used', { prompt_tokens: 200_000_000, completion_tokens: 5 }],
  ['other names', { tokens: 17 }],
])('treats a usage that is %s as unknown', (_title, usage) => expect(parseUsage(usage)).toBeNull());

describe('finding usage', () => {
  const usage = { prompt_tokens: 12, completion_tokens: 5 };
  test.each([
    ['beside the choices', { choices: [], usage }],
    ['under a name of the provider', { choices: [], usage: null, x_groq: { id: 'req_1', usage } }],
    ['in the choice', { choices: [{ delta: {}, finish_reason: 'stop', usage }] }],
  ])('%s', (_title, answer) => expect(findUsage(answer)).toEqual(counts));

  test.each([[{}], [null], [{ choices: 'none', x_groq: 5 }], [{ choices: [null] }]])('finds none in %j', (answer) =>
    expect(findUsage(answer)).toBeNull(),
  );
});

test('keeps known fields among unknown ones, in any order', () => {
  const others = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
  const odd: unknown[] = [null, 'x', -1, 0.5, [], {}, { cached_tokens: 'many' }, 1e300, true];
  const names = [
    'cost_details',
    'queue_time',
    'prompt_tokens_details',
    'completion_tokens_details',
    'num_sources_used',
  ];
  for (const name of names)
    for (const value of odd) {
      expect(parseUsage({ [name]: value, ...others })).toEqual(counts);
      expect(parseUsage({ ...others, [name]: value })).toEqual(counts);
    }
});

test.each([
  ['a number', 0.00123, 0.00123],
  ['free', 0, 0],
  ['an object with the total', { request_cost: 0.005, total_cost: 0.0061 }, 0.0061],
  ['nothing', null, undefined],
  ['a text', '0.1', undefined],
  ['below zero', -1, undefined],
  ['more than any answer has cost', 1e9, undefined],
])('reads a stated cost that is %s', (_title, cost, expected) => {
  const usage = { prompt_tokens: 12, completion_tokens: 5, cost };
  expect(parseUsage(usage)).toEqual({ ...counts, ...(expected !== undefined && { statedUsd: expected }) });
});

test('counts output for an answer with text, whatever is reported', () => {
  const estimated = { ...counts, inputTokens: 10, outputTokens: 7 };
  const none = { ...estimated, outputTokens: 0 };
  expect(countsToRecord(counts, estimated)).toEqual({ counts, estimated: false });
  expect(countsToRecord(null, estimated)).toEqual({ counts: estimated, estimated: true });
  expect(countsToRecord({ ...counts, outputTokens: 0 }, estimated)).toEqual({ counts: estimated, estimated: true });
  expect(countsToRecord({ ...counts, outputTokens: 0 }, none)).toEqual({
    counts: { ...counts, outputTokens: 0 },
    estimated: false,
  });
});
