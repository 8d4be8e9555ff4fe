import type { File as StoredFile } from '@roster/contracts/files/files';
import { expect, test, vi } from 'vitest';
import { createUploadQueue } from '#web/api/uploads/queue.ts';
import { ApiError } from '#web/lib/api-client.ts';
import { createUploadList, type UploadSummary } from './upload-list.ts';

const file = (name: string, size = 4) => new File([new Uint8Array(size)], name);

const stored: StoredFile = {
  id: 1,
  filename: 'a',
  type: 'text/plain',
  size: 4,
  date: '2026-11-01T00:00:00.000Z',
  createdAt: '2026-11-01T00:00:00.000Z',
  purpose: 'assistants',
  madeByAssistant: false,
  usedBy: 0,
  provider: { state: 'queued', error: null },
};

/** A list whose server is the test. */
function setUp() {
  const sent: { name: string; signal: AbortSignal; resolve: () => void; reject: (error: unknown) => void }[] = [];
  const ends: UploadSummary[] = [];
  const { lane } = createUploadQueue({
    person: () => 1,
    send: ({ file: { name }, signal, onProgress }) =>
      new Promise((resolve, reject) => {
        onProgress(2);
        signal.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')));
        sent.push({ name, signal, resolve: () => resolve(stored), reject });
      }),
  });
  const queue = createUploadList({
    send: lane(),
    suggest: async ({ name }) => (name.endsWith('.jsonl') ? 'fine-tune' : 'assistants'),
    onEnd: (ended) => ends.push(ended),
  });
  const states = () => queue.get().uploads.map((upload) => `${upload.file.name} ${upload.state}`);
  const answer = (at: number) => {
    const one = sent[at];
    if (!one) throw new Error(`Upload ${at} was not sent`);
    return one;
  };
  const isSent = (count: number) => expect.poll(() => sent).toHaveLength(count);
  const hasEnded = (count: number) => expect.poll(() => ends).toHaveLength(count);
  return { queue, ends, states, answer, isSent, hasEnded };
}

const refusal = (status: number, retryAfterSeconds?: number) =>
  new ApiError('No.', { status, code: 'x', hasServerMessage: true, retryAfterSeconds });

test('uploads one file at a time, and skips what the server would refuse', async () => {
  const { queue, ends, states, answer, isSent, hasEnded } = setUp();
  const large = file('large');
  Object.defineProperty(large, 'size', { value: 52_428_801 });
  await queue.add([file('a'), file('empty', 0), large, file('b.jsonl')]);
  expect(
    queue
      .get()
      .uploads.map(({ purpose }) => purpose)
      .at(-1),
  ).toBe('fine-tune');
  expect(queue.get().uploads.map(({ reason }) => reason)).toEqual([
    undefined,
    'This file is empty.',
    'This file is too large (50.00 MB); the maximum is 50MB per file.',
    undefined,
  ]);
  queue.start();
  queue.start();
  expect(states()).toEqual(['a uploading', 'empty refused', 'large refused', 'b.jsonl waiting']);
  expect(queue.get().uploads[0]?.sent).toBe(2);
  answer(0).resolve();
  await isSent(2);
  expect(states()).toEqual(['a done', 'empty refused', 'large refused', 'b.jsonl uploading']);
  answer(1).resolve();
  await hasEnded(1);
  expect(ends).toEqual([{ done: 2, failures: [] }]);
  expect(queue.get().isRunning).toBe(false);
});

test('shows why an upload failed, continues with the next and retries', async () => {
  const { queue, ends, states, answer, isSent, hasEnded } = setUp();
  await queue.add([file('a'), file('b')]);
  queue.start();
  const error = refusal(500);
  answer(0).reject(error);
  await isSent(2);
  answer(1).resolve();
  await hasEnded(1);
  expect(ends[0]).toEqual({ done: 1, failures: [error] });
  expect(states()).toEqual(['a failed', 'b done']);
  expect(queue.get().uploads[0]?.reason).toBe('No.');
  const [first] = queue.get().uploads;
  queue.retry(first?.key ?? 0);
  await isSent(3);
  expect(answer(2).name).toBe('a');
  answer(2).resolve();
  await hasEnded(2);
  expect(ends[1]).toEqual({ done: 1, failures: [] });
});

test('cancels single uploads before and during transfer, and all at once', async () => {
  const { queue, ends, states, answer, isSent, hasEnded } = setUp();
  await queue.add(['a', 'b', 'c', 'd'].map((name) => file(name)));
  const keys = queue.get().uploads.map(({ key }) => key);
  queue.start();
  queue.cancel(keys[1] ?? 0);
  queue.cancel(keys[0] ?? 0);
  await isSent(2);
  expect(answer(1).name).toBe('c');
  expect(states()).toEqual(['a cancelled', 'b cancelled', 'c uploading', 'd waiting']);
  queue.cancelAll();
  await hasEnded(1);
  expect(states().slice(2)).toEqual(['c cancelled', 'd cancelled']);
  expect(ends).toEqual([{ done: 0, failures: [] }]);
});

test('waits for a server that is rate-limiting', async () => {
  vi.useFakeTimers();
  try {
    const { queue, ends, states, answer } = setUp();
    await queue.add([file('a')]);
    queue.start();
    answer(0).reject(refusal(429, 7));
    await vi.advanceTimersByTimeAsync(0);
    expect(states()).toEqual(['a paused']);
    expect(queue.get().uploads[0]?.reason).toBe('The upload continues in 7 s.');
    await vi.advanceTimersByTimeAsync(7000);
    expect(states()).toEqual(['a uploading']);
    answer(1).resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(ends).toEqual([{ done: 1, failures: [] }]);
  } finally {
    vi.useRealTimers();
  }
});
