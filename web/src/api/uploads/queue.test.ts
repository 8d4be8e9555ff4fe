import type { File as StoredFile } from '@roster/contracts/files/files';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#web/lib/api-client.ts';
import { createUploadQueue } from './queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (status: number, retryAfterSeconds?: number) =>
  new ApiError('No.', { status, code: 'x', hasServerMessage: true, retryAfterSeconds });
const busy = refusal(429, 7);

/** A queue with the test as its server. */
function setUp() {
  type Answer = { name: string; resolve: () => void; reject: (error: unknown) => void };
  let signedIn: number | null = 1;
  const sent: Answer[] = [];
  const { lane } = createUploadQueue({
    person: () => signedIn,
    send: ({ file, purpose, signal, onProgress }) =>
      new Promise((resolve, reject) => {
        const { name: filename, size, type } = file;
        const at = '2026-11-01T00:00:00.000Z';
        const provider = { state: 'queued', error: null } as const;
        const stored: StoredFile = {
          id: 1,
          filename,
          type,
          size,
          date: at,
          createdAt: at,
          purpose,
          madeByAssistant: false,
          usedBy: 0,
          provider,
        };
        signal.addEventListener('abort', () => reject(signal.reason));
        onProgress(size);
        sent.push({ name: filename, resolve: () => resolve(stored), reject });
      }),
  });
  return {
    lane,
    sent: () => sent.map(({ name }) => name),
    answer: (at: number) => {
      const one = sent[at];
      if (!one) throw new Error(`Upload ${at} was not sent`);
      return one;
    },
    signIn: (id: number | null) => {
      signedIn = id;
    },
    settle: () => vi.advanceTimersByTimeAsync(0),
  };
}

/** Starts an upload and records what happens to it. */
function upload(lane: ReturnType<ReturnType<typeof setUp>['lane']>, name: string) {
  const abort = new AbortController();
  const received: (number | string)[] = [];
  const end = lane({
    file: new File(['1234'], name),
    purpose: 'assistants',
    signal: abort.signal,
    onProgress: (bytes) => received.push(bytes),
    onPause: (seconds) => received.push(`${seconds} s`),
  }).then(
    ({ filename }) => `${filename} stored`,
    (error: Error) => error.name,
  );
  return { abort, received, end };
}

test('uploads one file at a time per lane, and two lanes in parallel', async () => {
  const { lane, sent, answer, settle } = setUp();
  const [a, b, c] = [lane(), lane(), lane()];
  const first = upload(a, 'a1');
  upload(a, 'a2');
  upload(b, 'b1');
  upload(c, 'c1');
  expect(sent()).toEqual(['a1', 'b1']);
  answer(0).resolve();
  await settle();
  expect(await first.end).toBe('a1 stored');
  expect(sent()).toEqual(['a1', 'b1', 'a2']);
  answer(2).reject(refusal(500));
  await settle();
  expect(sent()).toEqual(['a1', 'b1', 'a2', 'c1']);
});

test('waits as long as the server asks, repeatedly', async () => {
  const { lane, sent, answer } = setUp();
  const { received, end } = upload(lane(), 'a');
  answer(0).reject(busy);
  await vi.advanceTimersByTimeAsync(6_999);
  expect(sent()).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  answer(1).reject(refusal(429, 0));
  await vi.advanceTimersByTimeAsync(1_000);
  answer(2).resolve();
  expect(await end).toBe('a stored');
  expect(received).toEqual([0, 4, '7 s', 0, 4, '1 s', 0, 4]);
});

test.each([refusal(429), refusal(429, 121), refusal(503, 7)])(
  'rejects if the server does not say when to retry',
  async (error) => {
    const { lane, answer } = setUp();
    const { received, end } = upload(lane(), 'a');
    answer(0).reject(error);
    expect(await end).toBe('ApiError');
    expect(received).toEqual([0, 4]);
  },
);

test('cancels at once: while queued, while paused and while uploading', async () => {
  const { lane, sent, answer, settle } = setUp();
  const place = lane();
  const paused = upload(place, 'paused');
  const waiting = upload(place, 'waiting');
  upload(place, 'last');
  answer(0).reject(busy);
  await settle();
  waiting.abort.abort();
  expect(await waiting.end).toBe('AbortError');
  paused.abort.abort();
  expect(await paused.end).toBe('AbortError');
  await settle();
  expect(sent()).toEqual(['paused', 'last']);
  const other = upload(lane(), 'other');
  other.abort.abort();
  expect(await other.end).toBe('AbortError');
  const late = upload(lane(), 'late');
  await settle();
  expect(sent()).toEqual(['paused', 'last', 'other', 'late']);
  answer(3).resolve();
  expect(await late.end).toBe('late stored');
});

test('never uploads a file after another user has signed in', async () => {
  const { lane, sent, answer, signIn, settle } = setUp();
  const place = lane();
  const paused = upload(place, 'paused');
  const waiting = upload(place, 'waiting');
  answer(0).reject(busy);
  await settle();
  signIn(2);
  const own = upload(lane(), 'own');
  await vi.advanceTimersByTimeAsync(7_000);
  expect(await paused.end).toBe('AbortError');
  expect(await waiting.end).toBe('AbortError');
  expect(sent()).toEqual(['paused', 'own']);
  answer(1).resolve();
  expect(await own.end).toBe('own stored');
});
