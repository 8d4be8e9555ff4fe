import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UnavailableError } from '#server/lib/errors';
import { Secret } from '#server/security/secret';
import { createEventWriter } from './event-writer.ts';
import { LiveRun } from './live-run.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const place = { userId: 1, threadId: 1, messageId: 1, assistantId: null, comparisonId: null, judgingId: null };

test('does not retry a failed write while the end of the run is being stored', async () => {
  const input = {
    kind: 'prompt' as const,
    apiKey: new Secret('sk-unused'),
    turns: [],
    responseSchema: null,
    knowledgeOf: null,
    variables: null,
    at: '2026-01-02T03:04:05.000Z',
  };
  const prompt = { ...input, model: 'gpt-6-sol', instructions: '', temperature: null, effort: null };
  const run = new LiveRun({ ...place, apiRunId: null, runId: 1, input: prompt });
  run.publish([{ type: 'text', text: 'Hello' }]);
  const live = new Map<number, LiveRun>([[1, run]]);
  const storing = Promise.withResolvers<undefined>();
  const store = vi.fn(() => storing.promise);
  const existing = async () => new Set([1]);
  const log = pino({ level: 'silent' });
  const writer = createEventWriter({ events: { store }, existing, presence: { send: () => undefined }, log, live });
  writer.add(run);
  await vi.advanceTimersByTimeAsync(200);
  expect(store).toHaveBeenCalledOnce();

  const leaving = writer.detach(run);
  storing.reject(new UnavailableError('database', new Error('unavailable')));
  await leaving;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(store).toHaveBeenCalledOnce();

  // A run that starts another step is stored again.
  writer.add(run);
  await vi.advanceTimersByTimeAsync(200);
  expect(store).toHaveBeenCalledTimes(2);
});
