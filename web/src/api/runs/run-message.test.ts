import type { Message } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { mergeLiveRun } from './run-message.ts';
import type { LiveRun } from './run-store.ts';

const message: Message = {
  id: 2,
  threadId: 1,
  parentId: 1,
  role: 'assistant',
  text: 'One',
  reasoning: '',
  state: 'running',
  run: { id: 7, state: 'running' },
  model: 'gpt-5',
  usage: null,
  error: null,
  notes: [],
  files: [],
  sources: [],
  rating: null,
  together: [],
  chosenId: null,
  siblings: [2],
  createdAt: '2026-11-20T10:00:00.000Z',
  finishedAt: null,
  endedEarly: null,
};
const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 2, reasoningTokens: 0, costUsd: null, estimated: true };
const run: LiveRun = {
  text: 'One two',
  reasoning: 'Hm.',
  notes: ['Left out.'],
  sources: ['notes.pdf'],
  links: [{ url: 'https://example.org', title: '', at: 3 }],
  calls: [],
  thoughtMs: 1_200,
  usage,
  connection: 'open',
  end: null,
};

test('merges everything a run streamed into its message, before and after its end', () => {
  const { connection: _, end: __, calls: ___, ...brought } = run;
  expect(mergeLiveRun(message, run)).toEqual({ ...message, ...brought });
  expect(mergeLiveRun(message, { ...run, end: { state: 'complete', error: null, endedEarly: 'length' } })).toEqual({
    ...message,
    ...brought,
    state: 'complete',
    endedEarly: 'length',
    run: { id: 7, state: 'complete' },
  });
});

test('keeps the stored text until the stream catches up', () => {
  const ahead = { ...message, text: 'One two three', sources: ['notes.pdf'] };
  const behind = { ...run, text: 'One', sources: [] };
  expect(mergeLiveRun(ahead, behind)).toMatchObject({ text: 'One two three', sources: ['notes.pdf'] });
});
