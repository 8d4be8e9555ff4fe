import type { ComparedAnswer, ComparisonPrompt } from '@roster/contracts/fine-tuning/comparisons';
import { expect, test } from 'vitest';
import { figuresOf, formatSeconds, orderOf, tallyOf } from './figures.ts';

const answer = (more: Partial<ComparedAnswer> = {}): ComparedAnswer => ({
  runId: 1,
  state: 'complete',
  text: 'Hello',
  usage: {
    inputTokens: 10,
    cachedTokens: 0,
    outputTokens: 5,
    reasoningTokens: 0,
    costUsd: 0.25,
    estimated: false,
  },
  error: null,
  createdAt: '2026-11-20T10:00:00.000Z',
  finishedAt: '2026-11-20T10:00:02.000Z',
  ...more,
});
const prompt = (more: Partial<ComparisonPrompt> = {}): ComparisonPrompt => ({
  id: 1,
  instructions: '',
  turns: [{ role: 'user', text: 'Hi' }],
  expected: null,
  tuned: null,
  base: null,
  vote: null,
  ...more,
});

test('sums hold whole answers only, and an unknown price is not zero', () => {
  const usage = answer().usage;
  const unpriced = usage && { ...usage, costUsd: null };
  const prompts = [
    prompt({ tuned: answer(), base: answer({ usage: unpriced }) }),
    prompt({ tuned: answer({ finishedAt: '2026-11-20T10:00:04.000Z' }), base: answer({ state: 'failed' }) }),
    prompt({ tuned: answer({ state: 'running', usage: null, finishedAt: null }) }),
  ];
  expect(figuresOf(prompts, 'tuned')).toEqual({
    answers: 2,
    inputTokens: 20,
    outputTokens: 10,
    costUsd: 0.5,
    isPartlyPriced: false,
    isEstimated: false,
    averageMs: 3000,
  });
  expect(figuresOf(prompts, 'base')).toMatchObject({ answers: 1, costUsd: null, averageMs: 2000 });
  expect(figuresOf([], 'base')).toMatchObject({ answers: 0, costUsd: 0, averageMs: null });
});

test('votes are counted', () => {
  const votes = [prompt({ vote: 'tuned' }), prompt({ vote: 'tie' }), prompt({ vote: 'tuned' }), prompt()];
  expect(tallyOf(votes)).toEqual({ tuned: 2, base: 0, tie: 1 });
});

test('a blind order is the same every time, and turned for about half of the prompts', () => {
  const ids = Array.from({ length: 1000 }, (_, index) => index + 1);
  const turned = ids.filter((id) => orderOf(id, true)[0] === 'base').length;
  expect(turned).toBeGreaterThan(400);
  expect(turned).toBeLessThan(600);
  expect(ids.map((id) => orderOf(id, true))).toEqual(ids.map((id) => orderOf(id, true)));
  expect(new Set(ids.map((id) => orderOf(id, false)[0]))).toEqual(new Set(['tuned']));
});

test('times are short and exact', () => {
  expect([formatSeconds(840), formatSeconds(12_420)]).toEqual(['0.84 s', '12.4 s']);
});
