import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UnavailableError } from '#server/lib/errors';
import { LiveRun } from './live-run.ts';
import { eventSaver } from './save.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const place = { userId: 1, threadId: 1, messageId: 1, assistantId: null, comparisonId: null, judgingId: null };

test('what fails while the end of its run is being stored is not stored again beside the end', async () => {
  const prepare = () => Promise.reject(new Error('Nobody asks'));
  const run = new LiveRun({ ...place, programRunId: null, runId: 1, prepare });
  run.publish([{ type: 'text', text: 'Hello' }]);
  const live = new Map<number, LiveRun>([[1, run]]);
  const storing = Promise.withResolvers<undefined>();
  const store = vi.fn(() => storing.promise);
  const existing = async () => new Set([1]);
  const log = pino({ level: 'silent' });
  const saver = eventSaver({ events: { store }, existing, presence: { send: () => undefined }, log, live });
  saver.add(run);
  await vi.advanceTimersByTimeAsync(200);
  expect(store).toHaveBeenCalledOnce();

  const leaving = saver.leaveOut(run);
  storing.reject(new UnavailableError('database', new Error('away')));
  await leaving;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(store).toHaveBeenCalledOnce();

  // A run that goes on with another step is stored again.
  saver.add(run);
  await vi.advanceTimersByTimeAsync(200);
  expect(store).toHaveBeenCalledTimes(2);
});
