import { expect, test } from 'vitest';
import { applyEvent, type LiveRun } from './run-store.ts';

const nothing: LiveRun = {
  text: '',
  reasoning: '',
  notes: [],
  sources: [],
  links: [],
  calls: [],
  thoughtMs: null,
  usage: null,
  connection: 'open',
  end: null,
};

test('builds the answer from events', () => {
  const usage = {
    inputTokens: 1,
    cachedTokens: 0,
    outputTokens: 2,
    reasoningTokens: 0,
    costUsd: null,
    estimated: true,
  };
  const run = [
    { type: 'reasoning' as const, text: 'Hm.' },
    { type: 'text' as const, text: 'One ' },
    { type: 'note' as const, text: 'Left out.' },
    { type: 'text' as const, text: 'two' },
    { type: 'usage' as const, ...usage },
    { type: 'finished' as const, reason: 'length' as const },
  ].reduce(applyEvent, nothing);
  expect(run).toEqual({
    ...nothing,
    text: 'One two',
    reasoning: 'Hm.',
    notes: ['Left out.'],
    usage,
    end: { state: 'complete', error: null, endedEarly: 'length' },
  });
});

test.each([
  ['stopped' as const, 'stopped', null],
  ['complete' as const, 'complete', null],
  ['content_filter' as const, 'complete', 'content_filter'],
])('shows a run that finished as %s as %s', (reason, state, endedEarly) =>
  expect(applyEvent(nothing, { type: 'finished', reason }).end).toEqual({ state, error: null, endedEarly }),
);

test('reports how long the model thought', () => {
  const thought = [
    { type: 'reasoning' as const, text: 'Hm.' },
    { type: 'reasoning' as const, text: '', thoughtMs: 2_400 },
  ].reduce(applyEvent, nothing);
  expect(thought).toMatchObject({ reasoning: 'Hm.', thoughtMs: 2_400 });
});

test('reports our own crash as interrupted and other errors as failed', () => {
  const failed = (code: 'interrupted' | 'rate_limited') =>
    applyEvent(nothing, { type: 'failed', error: { code, message: 'No.' } }).end?.state;
  expect(failed('interrupted')).toBe('interrupted');
  expect(failed('rate_limited')).toBe('failed');
});
