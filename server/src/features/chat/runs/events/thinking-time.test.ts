import type { RunEvent } from '@roster/contracts/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { foldBatches } from './event-log.ts';
import { thinkingTime } from './thinking-time.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const thought: RunEvent = { type: 'reasoning', text: 'Hm' };
const word: RunEvent = { type: 'text', text: 'Yes' };
const call: RunEvent = {
  type: 'tool',
  call: {
    kind: 'function',
    callId: 'a',
    name: 'look',
    title: '',
    server: null,
    state: 'running',
    input: '{}',
    output: null,
  },
};
const note: RunEvent = { type: 'note', text: 'The temperature was left out.' };

/** Measures events with delays in milliseconds between them. */
function timesOf(line: readonly (readonly [after: number, event: RunEvent | 'end'])[], before: number | null = null) {
  const log = { ...foldBatches([]), thoughtMs: before };
  const thinking = thinkingTime(log);
  const times: number[] = [];
  for (const [after, event] of line) {
    vi.advanceTimersByTime(after);
    for (const measured of event === 'end' ? thinking.end() : thinking.measured([event])) {
      if (measured.type !== 'reasoning' || measured.thoughtMs === undefined) continue;
      times.push(measured.thoughtMs);
      log.thoughtMs = measured.thoughtMs;
    }
  }
  return times;
}

test.each<[string, Parameters<typeof timesOf>[0], number[]]>([
  [
    'from the first thought to the first word',
    [
      [5000, thought],
      [1200, thought],
      [800, word],
      [9000, word],
    ],
    [2000],
  ],
  [
    'to a call of a tool',
    [
      [0, thought],
      [700, call],
    ],
    [700],
  ],
  [
    'to the end, where no word follows',
    [
      [0, thought],
      [300, 'end'],
      [400, 'end'],
    ],
    [300],
  ],
  [
    'across notes',
    [
      [0, thought],
      [100, note],
      [100, word],
    ],
    [200],
  ],
  [
    'in parts of a millisecond, rounded',
    [
      [0, thought],
      [0.6, word],
    ],
    [1],
  ],
  [
    'not at all without a thought',
    [
      [100, word],
      [100, call],
      [100, 'end'],
    ],
    [],
  ],
  [
    'a thought that is followed at once',
    [
      [100, thought],
      [0, word],
    ],
    [0],
  ],
  [
    'in all steps, without what the tools take',
    [
      [0, thought],
      [500, call],
      [60_000, thought],
      [250, word],
    ],
    [500, 750],
  ],
])('measures %s', (_, line, times) => expect(timesOf(line)).toEqual(times));

test('adds to the thinking time before a continuation', () => {
  expect(
    timesOf(
      [
        [0, thought],
        [500, word],
      ],
      2000,
    ),
  ).toEqual([2500]);
});

test('inserts the time before the event that ends thinking', () => {
  const thinking = thinkingTime({ thoughtMs: null });
  expect(thinking.measured([thought, word, word])).toEqual([
    thought,
    { type: 'reasoning', text: '', thoughtMs: 0 },
    word,
    word,
  ]);
});
