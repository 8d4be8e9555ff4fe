import type { ShownCall } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectTexts } from '#web/testing/page.ts';

const answer = page.getByRole('article', { name: 'Answer' });
const lines = answer.getByRole('list', { name: 'Tool calls' }).getByRole('listitem');
const weather: ShownCall = { kind: 'function', name: 'get_weather', input: '{"city":"Utrecht"}', output: null };

test('a function that was called is one line, with what it was given and has answered folded away', async () => {
  const time: ShownCall = { kind: 'function', name: 'get_time', input: '{}', output: 'five past two' };
  const calls = [{ ...weather, output: '{"rain":true}' }, time];
  open('/chat/1', { answers: () => oneAnswer({ notes: ['Called get_weather and get_time', 'Another note'], calls }) });
  await expectTexts(lines, [/^Called get_weather/, /^Called get_time/]);
  // Once, and not as an answer without words.
  await expectTexts(answer.getByRole('listitem').filter({ hasText: /^(Called get_weather and|Another)/ }), [
    'Another note',
  ]);
  await expectCount(answer.getByText('The model gave an empty answer.'), 0);
  const given = lines.first().getByRole('region', { name: 'Arguments' });
  await expectHidden(given);
  await lines.first().getByText('get_weather').click();
  await expectText(given, '"city": "Utrecht"');
  await expectText(lines.first().getByRole('region', { name: 'Answer' }), '"rain": true');
  await lines.last().getByText('get_time').click();
  await expectText(lines.last().getByRole('region', { name: 'Answer' }), 'five past two');
});

test('a function that is waited for says until when, and afterwards that it was not answered', async () => {
  const waitsUntil = new Date(Date.now() + 60_000).toISOString();
  open('/chat/1', { answers: () => oneAnswer({ calls: [weather], waitsUntil }) });
  await expectTexts(lines, [/^Called get_weather · its program can answer until \d+:\d\d/]);
  open('/chat/1', { answers: () => oneAnswer({ calls: [weather] }) });
  await expectTexts(lines, [/^Called get_weather · its program has not answered/]);
});

test('what the provider ran stands before the answer', async () => {
  const ran: ShownCall = {
    kind: 'code_interpreter',
    name: '',
    input: 'print(2 + 2)',
    output: '[{"type":"logs","logs":"4"}]',
  };
  open('/chat/1', { answers: () => oneAnswer({ text: 'It is four.', calls: [ran] }) });
  await expectText(answer, /Ran code[\s\S]*It is four\./);
  await lines.getByText('Ran code').click();
  await expectText(lines.getByRole('region', { name: 'Code' }), 'print(2 + 2)');
  await expectText(lines.getByRole('region', { name: 'Output' }), '"logs": "4"');
});

test('what is unfolded at the end of a long answer stays where it was pressed', async () => {
  const text = Array.from({ length: 60 }, (_, index) => `Line ${index}`).join('\n\n');
  open('/chat/1', { answers: () => oneAnswer({ text, calls: [weather] }) });
  const line = lines.getByText('get_weather');
  const messages = page.getByRole('region', { name: 'Messages' });
  const left = () => messages.element().scrollHeight - messages.element().scrollTop - messages.element().clientHeight;
  await expect.poll(left).toBeLessThan(2);
  const { top } = line.element().getBoundingClientRect();
  await line.click();
  await expectText(lines.getByRole('region', { name: 'Arguments' }), '"city": "Utrecht"');
  await expect.poll(left).toBeGreaterThan(50);
  expect(line.element().getBoundingClientRect().top).toBeCloseTo(top, 0);
});
