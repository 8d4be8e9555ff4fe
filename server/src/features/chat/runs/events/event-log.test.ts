import type { RunEvent, ToolCall } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { cutCalls, emptyLog, fold, parseFrames, unfold } from './event-log.ts';

const search: ToolCall = {
  kind: 'web_search',
  callId: 'ws_1',
  name: 'web_search',
  title: '',
  server: null,
  state: 'running',
  input: '[]',
  output: null,
};
const code: ToolCall = { ...search, kind: 'code_interpreter', callId: 'ci_1', name: 'code_interpreter' };
const found: ToolCall = { ...search, state: 'done', input: '["rain"]', output: '[]' };
const tool = (call: ToolCall): RunEvent => ({ type: 'tool', call });
const words = (text: string): RunEvent => ({ type: 'text', text });

test('replays a call in its place with its final state, and numbers unchanged', () => {
  const log = emptyLog();
  for (const event of [words('One 🐦 '), tool(search), tool(code), tool(found), words('two')]) fold(log, event);
  expect(log.calls).toEqual([
    { ...found, at: 7 },
    { ...code, at: 7 },
  ]);
  const end = { number: 6, event: { type: 'finished', reason: 'complete' } } as const;
  expect(parseFrames(unfold(log, null, end, 0))).toEqual([
    { number: 1, event: words('One 🐦 ') },
    { number: 2, event: tool(found) },
    { number: 3, event: tool(code) },
    { number: 5, event: words('two') },
    end,
  ]);
  expect(cutCalls(log, new Set())).toEqual([{ ...code, state: 'failed', at: 7 }]);
});

test('sends the end of a call to a reader that saw it start, and no other call again', () => {
  const log = emptyLog();
  for (const event of [tool(search), tool(code), tool(found), words('two')]) fold(log, event);
  const end = { number: 5, event: { type: 'finished', reason: 'complete' } } as const;
  const after = (number: number) => parseFrames(unfold(log, null, end, number));
  const last = [{ number: 4, event: words('two') }, end];
  expect(after(2)).toEqual([{ number: 3, event: tool(found) }, ...last]);
  expect(after(1)).toEqual([{ number: 2, event: tool(code) }, { number: 3, event: tool(found) }, ...last]);
  expect(after(3)).toEqual(last);
  // Marks of older logs, without the call's number.
  const older = { ...log, marks: log.marks.replace('k0', 'k') };
  expect(parseFrames(unfold(older, null, end, 2))).toEqual(last);
});

test('replays a cited web page at its position and under its number', () => {
  const log = emptyLog();
  const link = (url: string): RunEvent => ({ type: 'link', url, title: 'Rain' });
  const events = [words('It rains.'), link('https://example.org/1'), words(' Or not.'), link('https://example.org/2')];
  for (const event of events) fold(log, event);
  expect(log.links.map(({ url, at }) => [url, at])).toEqual([
    ['https://example.org/1', 9],
    ['https://example.org/2', 17],
  ]);
  const end = { number: 5, event: { type: 'finished', reason: 'complete' } } as const;
  expect(parseFrames(unfold(log, null, end, 1)).map(({ event }) => event)).toEqual([...events.slice(1), end.event]);
});
