import { chat, type DisplayedToolCall } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer as answerCall } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectTexts } from '#web/testing/page.ts';

const answer = page.getByRole('article', { name: 'Answer' });
const lines = answer.getByRole('list', { name: 'Tool calls' }).getByRole('listitem');
const weather: DisplayedToolCall = {
  kind: 'function',
  callId: 'call_1',
  name: 'get_weather',
  title: '',
  server: null,
  state: 'waiting',
  input: '{"city":"Utrecht"}',
  output: null,
  at: 0,
};

test('shows a function call as one line with collapsed arguments and output', async () => {
  const answered = { ...weather, state: 'done' } as const;
  const time: DisplayedToolCall = {
    ...answered,
    callId: 'call_2',
    name: 'get_time',
    input: '{}',
    output: 'five past two',
  };
  const calls = [{ ...answered, output: '{"rain":true}' }, time];
  open('/chat/1', { answers: () => oneAnswer({ notes: ['Called get_weather and get_time', 'Another note'], calls }) });
  await expectTexts(lines, [/^Called get_weather/, /^Called get_time/]);
  // Shown once, and not as an empty answer.
  await expectTexts(answer.getByRole('listitem').filter({ hasText: /^(Called get_weather and|Another)/ }), [
    'Another note',
  ]);
  await expectCount(answer.getByText('The model returned an empty answer.'), 0);
  const given = lines.first().getByRole('region', { name: 'Arguments' });
  await expectHidden(given);
  await lines.first().getByText('get_weather').click();
  await expectText(given, '"city": "Utrecht"');
  await expectText(lines.first().getByRole('region', { name: 'Answer' }), '"rain": true');
  await lines.last().getByText('get_time').click();
  await expectText(lines.last().getByRole('region', { name: 'Answer' }), 'five past two');
});

test('says until when it waits for a function, and that it was not answered', async () => {
  const waitsUntil = new Date(Date.now() + 60_000).toISOString();
  open('/chat/1', { answers: () => oneAnswer({ calls: [weather], waitsUntil }) });
  await expectTexts(lines, [/^Called get_weather · the program can answer until \d+:\d\d/]);
  open('/chat/1', { answers: () => oneAnswer({ calls: [weather] }) });
  await expectTexts(lines, [/^Called get_weather · no response from the program/]);
});

test('shows built-in tool calls where the model made them', async () => {
  const ran: DisplayedToolCall = {
    ...weather,
    kind: 'code_interpreter',
    state: 'done',
    name: '',
    at: 'Let me see. '.length,
    input: 'print(2 + 2)',
    output: '[{"type":"logs","logs":"4"}]',
  };
  open('/chat/1', { answers: () => oneAnswer({ text: 'Let me see. It is four.', calls: [ran] }) });
  await expectText(answer, /Let me see\.[\s\S]*Ran code[\s\S]*It is four\./);
  await lines.getByText('Ran code').click();
  await expectText(lines.getByRole('region', { name: 'Code' }), 'print(2 + 2)');
  await expectText(lines.getByRole('region', { name: 'Output' }), '"logs": "4"');
});

test('lists sources of a web search, linking only web addresses without referrer', async () => {
  const searched: DisplayedToolCall = {
    ...weather,
    kind: 'web_search',
    name: 'web_search',
    state: 'done',
    input: '["rain"]',
    output: JSON.stringify([
      { url: 'https://example.org/rain', title: 'Rain' },
      { url: 'javascript:alert(1)', title: 'Not this' },
    ]),
  };
  open('/chat/1', { answers: () => oneAnswer({ text: 'It rains.', calls: [searched] }) });
  await lines.getByText('Searched the web').click();
  const links = lines.getByRole('region', { name: 'Found' }).getByRole('link');
  await expectTexts(links, ['Rain']);
  expect(links.element().getAttribute('rel')).toBe('noreferrer noopener');
});

test('names the query of a search and running code, during and after', async () => {
  const search = { ...weather, kind: 'web_search', name: 'web_search', state: 'running', input: '' } as const;
  const running: DisplayedToolCall[] = [
    search,
    { ...search, callId: 'call_2', input: '["rain in Utrecht"]' },
    { ...search, callId: 'call_3', input: JSON.stringify(['r'.repeat(200), 'wind', 'snow']), state: 'done' },
    { ...search, callId: 'call_4', input: '["https://example.org/rain"]', state: 'done' },
    { ...search, callId: 'call_5', input: '[]', state: 'failed' },
    { ...search, callId: 'call_6', kind: 'file_search', input: '["the storm"]', state: 'done' },
    { ...search, callId: 'call_7', kind: 'code_interpreter' },
  ];
  const live = { state: 'running', run: { id: 1, state: 'running' }, finishedAt: null, text: '' } as const;
  // The answer continues, and nothing more arrives.
  answerCall(chat.events, () => new Promise(() => undefined));
  open('/chat/1', { answers: () => oneAnswer({ ...live, calls: running }, { runId: 1 }) });
  await expectTexts(lines, [
    /^Searching the web$/,
    /^Searching the web: rain in Utrecht$/,
    /^Searched the web: r{100}… and 2 more$/,
    /^Searched the web: the page https:\/\/example.org\/rain$/,
    /^Searched the web · not finished$/,
    /^Searched files: the storm$/,
    /^Running code$/,
  ]);
  await expectCount(answer.getByText('Waiting for the model'), 0);
});

test('keeps expanded parts in place at the end of a long answer', async () => {
  const text = Array.from({ length: 60 }, (_, index) => `Line ${index}`).join('\n\n');
  open('/chat/1', { answers: () => oneAnswer({ text, calls: [{ ...weather, at: text.length }] }) });
  const line = lines.getByText('get_weather');
  const messages = page.getByRole('region', { name: 'Messages' });
  const left = () => messages.element().scrollHeight - messages.element().scrollTop - messages.element().clientHeight;
  // True also for a page without the answer yet.
  await expect.element(line).toBeVisible();
  await expect.poll(left).toBeLessThan(2);
  const { top } = line.element().getBoundingClientRect();
  await line.click();
  await expectText(lines.getByRole('region', { name: 'Arguments' }), '"city": "Utrecht"');
  await expect.poll(left).toBeGreaterThan(50);
  expect(line.element().getBoundingClientRect().top).toBeCloseTo(top, 0);
});
