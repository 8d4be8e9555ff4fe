import {
  fillInstructions,
  type InstructionContext,
  instructionValues,
  instructionVariables,
  misspelledIn,
  parseInstructions,
  variablesIn,
} from '@roster/contracts/assistants/variables';
import { expect, test } from 'vitest';
import { seeded } from '#server/testing/generated';

const context: InstructionContext = {
  now: new Date('2026-11-28T17:45:00Z'),
  timeZone: 'Europe/Berlin',
  language: 'de-CH',
  userName: 'Ada {{model}}',
  assistantName: 'Tutor',
  model: 'gpt-4o',
};
const values = instructionValues(context);

test('knows the moment in the time zone of the user', () => {
  expect(values).toEqual({
    current_date: 'Saturday, November 28, 2026',
    current_time: '18:45 (Europe/Berlin)',
    current_weekday: 'Saturday',
    time_zone: 'Europe/Berlin',
    user_name: 'Ada {{model}}',
    language: 'Swiss High German',
    assistant_name: 'Tutor',
    model: 'gpt-4o',
  });
});

test('falls back to UTC and to words until a page has named zone and language', () => {
  const late = { ...context, now: new Date('2026-12-31T23:59:00Z'), language: null };
  const utc = { current_date: 'Thursday, December 31, 2026', current_time: '23:59 (UTC)', time_zone: 'UTC' };
  expect(instructionValues({ ...late, timeZone: null })).toMatchObject({
    ...utc,
    language: 'the language of the user',
  });
  expect(instructionValues({ ...late, timeZone: 'Mars/Olympus' })).toMatchObject(utc);
  const tokyo = { current_date: 'Friday, January 1, 2027', current_time: '08:59 (Asia/Tokyo)' };
  expect(instructionValues({ ...late, timeZone: 'Asia/Tokyo' })).toMatchObject(tokyo);
  expect(instructionValues({ ...late, now: new Date('2026-12-31T00:05:00Z'), timeZone: null }).current_time).toBe(
    '00:05 (UTC)',
  );
});

test.each([
  ['Today is {{current_date}}.', 'Today is Saturday, November 28, 2026.'],
  ['{{ CURRENT_WEEKDAY }}, {{Time_Zone}}', 'Saturday, Europe/Berlin'],
  ['{{{model}}}', '{gpt-4o}'],
  // A value that looks like a variable stays.
  ['{{user_name}} and {{assistant_name}}', 'Ada {{model}} and Tutor'],
])('fills in %j', (text, filled) => expect(fillInstructions(text, values)).toBe(filled));

test.each([
  'Dear {{name}}, {{topic=model}} and {{model=gpt}}',
  '{{model: a | b}} {{current_date: date}}',
  '{{current date}} {{current-date}} {{current_date }',
  '{{user_email}} {{#if model}} {{mod\nel}} {model} {{{}}}',
  '',
  'Ünïcode 😀 \ud800 ohne Variablen\r\n',
])('leaves %j to the letter', (text) => {
  expect(fillInstructions(text, values)).toBe(text);
  expect(variablesIn(text)).toEqual([]);
});

test('leaves a variable without a value as it is written', () =>
  expect(fillInstructions('I am {{ Assistant_Name }}.', { ...values, assistant_name: null })).toBe(
    'I am {{ Assistant_Name }}.',
  ));

test('keeps every character of any text outside of known variables', () => {
  const random = seeded('instructions');
  const parts = ['{{', '}}', '{', '}', ' ', '=', ':', '|', '\n', 'é', '😀', '\ud800', 'x', ...instructionVariables];
  const placeholders = instructionVariables.flatMap((name) => [`{{${name}}}`, `{{ ${name.toUpperCase()} }}`]);
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  for (let round = 0; round < 4_000; round++) {
    const text = Array.from({ length: Math.floor(random() * 14) }, () =>
      pick(random() < 0.2 ? placeholders : parts),
    ).join('');
    const pieces = parseInstructions(text);
    const seen = JSON.stringify(text);
    expect(pieces.map(({ source }) => source).join(''), seen).toBe(text);
    const marked = fillInstructions(text, {
      ...values,
      ...Object.fromEntries(instructionVariables.map((name) => [name, `<${name}>`])),
    });
    expect(marked, seen).toBe(
      pieces.map(({ source, variable: name }) => (name === null ? source : `<${name}>`)).join(''),
    );
    if (variablesIn(text).length === 0) expect(fillInstructions(text, values), seen).toBe(text);
  }
});

test('recognizes names that look like known ones, once each', () => {
  const text = '{{current_dat}} {{Current Date}} {{current_dat}} {{userName}} {{current_datetime}} {{USER_LANGUAGE}}';
  expect(misspelledIn(text)).toEqual([
    { source: '{{current_dat}}', instead: '{{current_date}}' },
    { source: '{{Current Date}}', instead: '{{current_date}}' },
    { source: '{{userName}}', instead: '{{user_name}}' },
    { source: '{{current_datetime}}', instead: '{{current_date}}, {{current_time}}' },
    { source: '{{USER_LANGUAGE}}', instead: '{{language}}' },
  ]);
  expect(misspelledIn('{{name}} {{topic}} {{model}} {{CURRENT_DATE}} {{model=x}} {{customer}} {{date}}')).toEqual([]);
});

test('reads the longest instructions quickly', () => {
  const text = '{{model}} {{'.repeat(20_000);
  expect(fillInstructions(text, values)).toBe('gpt-4o {{'.repeat(20_000));
});
