import type { RunEvent } from '@roster/contracts/chat';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readRunEvents } from './run-events.ts';

type Answer = Response | (() => Response);
let asked: (string | null)[] = [];

const lines = (...events: [number, RunEvent][]) =>
  events.map(([id, event]) => `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const text = (word: string): RunEvent => ({ type: 'text', text: word });
const finished: RunEvent = { type: 'finished', reason: 'complete' };
const ok = (body: string) => new Response(body, { headers: { 'content-type': 'text/event-stream' } });

/** Answers calls in order, one each. */
function answerWith(...answers: Answer[]) {
  vi.stubGlobal('fetch', (_address: string, init: RequestInit) => {
    asked.push(new Headers(init.headers).get('last-event-id'));
    const answer = answers.shift();
    if (!answer) return Promise.reject(new TypeError('network'));
    return Promise.resolve(typeof answer === 'function' ? answer() : answer);
  });
}

async function read(signal = new AbortController().signal) {
  const words: string[] = [];
  const states: string[] = [];
  let refusedWith: number | null = null;
  const reading = readRunEvents(
    7,
    {
      onEvent: (event) => words.push(event.type === 'text' ? event.text : event.type),
      onConnection: (state) => states.push(state),
      onRefused: (error) => {
        refusedWith = error.status;
      },
    },
    signal,
  );
  await vi.runAllTimersAsync();
  await reading;
  return { words, states, refusedWith };
}

beforeEach(() => {
  asked = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('run events', () => {
  test('reads to the last event', async () => {
    answerWith(ok(lines([1, text('a')], [2, text('b')], [3, finished])));
    expect(await read()).toEqual({ words: ['a', 'b', 'finished'], states: ['open'], refusedWith: null });
    expect(asked).toEqual([null]);
  });

  test('resumes after a broken connection without repeating events', async () => {
    answerWith(
      ok(lines([1, text('a')], [2, text('b')])),
      ok(lines([2, text('b')], [3, text('c')])),
      ok(lines([4, finished])),
    );
    const { words, states } = await read();
    expect(words).toEqual(['a', 'b', 'c', 'finished']);
    expect(asked).toEqual([null, '2', '3']);
    expect(states).toEqual(['open', 'lost', 'open', 'lost', 'open']);
  });

  test('reconnects while the server is down', async () => {
    answerWith(
      () => new Response('', { status: 503 }),
      () => {
        throw new TypeError('refused');
      },
      () => new Response('', { status: 429, headers: { 'retry-after': '3' } }),
      ok(lines([1, finished])),
    );
    expect((await read()).words).toEqual(['finished']);
  });

  test('stops if the server refuses the run', async () => {
    answerWith(() => new Response(JSON.stringify({ code: 'not_found', message: 'Not found' }), { status: 404 }));
    expect(await read()).toEqual({ words: [], states: [], refusedWith: 404 });
  });

  test('ignores unknown events', async () => {
    answerWith(ok(`id: 1\ndata: {"type":"hologram"}\n\nid: 2\ndata: {\n\n${lines([3, finished])}`));
    expect((await read()).words).toEqual(['finished']);
  });

  test('stops at once when the reader leaves', async () => {
    const leaving = new AbortController();
    answerWith(() => {
      leaving.abort();
      throw new TypeError('aborted');
    });
    expect((await read(leaving.signal)).words).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});
