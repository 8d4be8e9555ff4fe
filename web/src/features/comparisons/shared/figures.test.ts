import type { ComparedAnswer, ComparisonPrompt } from '@roster/contracts/comparisons/comparisons';
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
  stored: null,
  ...more,
});
const prompt = (more: Partial<ComparisonPrompt> = {}): ComparisonPrompt => ({
  id: 1,
  instructions: '',
  turns: [{ role: 'user', text: 'Hi' }],
  expected: null,
  candidate: null,
  baseline: null,
  hasBaseline: true,
  vote: null,
  isDue: false,
  ...more,
});

test('sums complete answers only, and never counts an unknown price as zero', () => {
  const usage = answer().usage;
  const unpriced = usage && { ...usage, costUsd: null };
  const prompts = [
    prompt({ candidate: answer(), baseline: answer({ usage: unpriced }) }),
    prompt({ candidate: answer({ finishedAt: '2026-11-20T10:00:04.000Z' }), baseline: answer({ state: 'failed' }) }),
    prompt({ candidate: answer({ state: 'running', usage: null, finishedAt: null }) }),
  ];
  expect(figuresOf(prompts, 'candidate')).toEqual({
    answers: 2,
    inputTokens: 20,
    outputTokens: 10,
    costUsd: 0.5,
    isPartlyPriced: false,
    isEstimated: false,
    averageMs: 3000,
  });
  expect(figuresOf(prompts, 'baseline')).toMatchObject({ answers: 1, costUsd: null, averageMs: 2000 });
  expect(figuresOf([], 'baseline')).toMatchObject({ answers: 0, costUsd: 0, averageMs: null });
});

test('counts votes', () => {
  const votes = [prompt({ vote: 'candidate' }), prompt({ vote: 'tie' }), prompt({ vote: 'candidate' }), prompt()];
  expect(tallyOf(votes)).toEqual({ candidate: 2, baseline: 0, tie: 1 });
});

test('keeps a stable blind order, reversed for about half of the prompts', () => {
  const ids = Array.from({ length: 1000 }, (_, index) => index + 1);
  const turned = ids.filter((id) => orderOf(id, true)[0] === 'baseline').length;
  expect(turned).toBeGreaterThan(400);
  expect(turned).toBeLessThan(600);
  expect(ids.map((id) => orderOf(id, true))).toEqual(ids.map((id) => orderOf(id, true)));
  expect(new Set(ids.map((id) => orderOf(id, false)[0]))).toEqual(new Set(['candidate']));
});

test('formats short, exact durations', () => {
  expect([formatSeconds(840), formatSeconds(12_420)]).toEqual(['0.84 s', '12.4 s']);
});
