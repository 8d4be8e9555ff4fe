import { expect, test } from 'vitest';
import type { StoredCall } from '#server/features/chat/shared/tool-call-repository';
import { atEndOf, type FullApiRun } from './runs.ts';

const chain = { currentRunId: 2, state: 'as_current', waitsUntil: null, endedAt: null } as const;
const part = (id: number) => ({
  id,
  apiRunId: 1,
  threadId: 1,
  messageId: id,
  state: 'complete' as const,
  model: 'gpt-6-sol',
  reason: 'complete',
  error: null,
  isStopping: false,
  hasText: false,
  hasCalls: true,
  usage: null,
  createdAt: '2026-11-23T10:00:00.000Z',
  finishedAt: '2026-11-23T10:00:01.000Z',
  chain,
});
const call = (runId: number, of: Partial<StoredCall> = {}): StoredCall => ({
  kind: 'function',
  callId: `call_${runId}`,
  name: 'weather',
  title: '',
  server: null,
  state: 'done',
  input: '{}',
  output: 'rain',
  at: 0,
  runId,
  messageId: runId,
  ...of,
});
const searched = call(1, { kind: 'file_search', callId: 'fs_1' });
const goneOn: FullApiRun = {
  id: 1,
  threadId: 1,
  options: '{}',
  metadata: {},
  ...chain,
  parts: [part(1), part(2)],
  calls: [call(1), searched, call(2)],
};

test('reports a part as waiting after its functions were answered elsewhere', () => {
  expect(atEndOf(goneOn, 1)).toEqual({
    ...goneOn,
    currentRunId: 1,
    state: 'waiting',
    waitsUntil: '2026-11-23T10:10:01.000Z',
    parts: [part(1)],
    calls: [call(1, { state: 'waiting', output: null }), searched],
  });
  expect(atEndOf(goneOn, 2)).toBe(goneOn);
});
