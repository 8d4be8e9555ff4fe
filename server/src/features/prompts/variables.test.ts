import { defaultValue, type PromptVariable, parsePrompt, promptVariables } from '@roster/contracts/prompts/variables';
import { expect, test } from 'vitest';
import { seeded } from '#server/testing/generated';

const variableIn = (text: string): PromptVariable | null | undefined => parsePrompt(text)[0]?.variable;

test.each([
  ['{{topic}}', { name: 'topic', kind: 'text', default: null }],
  ['{{ größter Wunsch }}', { name: 'größter Wunsch', kind: 'text', default: null }],
  ['{{テーマ=猫}}', { name: 'テーマ', kind: 'text', default: '猫' }],
  ['{{note=}}', { name: 'note', kind: 'text', default: '' }],
  ['{{url=https://example.com/?a=b}}', { name: 'url', kind: 'text', default: 'https://example.com/?a=b' }],
  ['{{tone: friendly | formal|short }}', { name: 'tone', kind: 'choice', options: ['friendly', 'formal', 'short'] }],
  ['{{tone: a | a}}', { name: 'tone', kind: 'choice', options: ['a'] }],
  ['{{day: Date}}', { name: 'day', kind: 'date' }],
])('reads the variable %s', (text, variable) => expect(variableIn(text)).toEqual(variable));

test.each([
  '{{',
  '{{topic',
  '{{topic}',
  '{topic}',
  '{{}}',
  '{{ }}',
  '{{a{b}}',
  '{{a\nb}}',
  '{{#if x}}',
  '{{x:}}',
  '{{x: a || b}}',
])('leaves %j as text', (text) => expect(parsePrompt(text)).toEqual([{ source: text, variable: null }]));

test('splits a text into pieces, and names each variable once', () => {
  const text = 'Dear {{name}}, {{{tone: kind | short}}} on {{day: date}}. Yours, {{name=Ada}}';
  expect(parsePrompt(text).map(({ source }) => source)).toEqual([
    ...['Dear ', '{{name}}', ', {', '{{tone: kind | short}}', '} on ', '{{day: date}}', '. Yours, ', '{{name=Ada}}'],
  ]);
  expect(promptVariables(text).map((one) => [one.name, defaultValue(one, '2026-11-27')])).toEqual([
    ...[
      ['name', null],
      ['tone', 'kind'],
      ['day', '2026-11-27'],
    ],
  ]);
  expect(defaultValue({ name: 'name', kind: 'text', default: 'Ada' }, '2026-11-27')).toBe('Ada');
  expect(parsePrompt('')).toEqual([]);
});

test('keeps every character of any text, in pieces that are text or a variable', () => {
  const random = seeded('prompts');
  const parts = [
    '{{',
    '}}',
    '{',
    '}',
    'topic',
    ' ',
    '=',
    ':',
    '|',
    'date',
    '\n',
    'é',
    '猫',
    '😀',
    '\ud800',
    '{{a}}',
    '{{b: c | d}}',
  ];
  const pick = () => parts[Math.floor(random() * parts.length)] ?? '';
  for (let round = 0; round < 4_000; round++) {
    const text = Array.from({ length: Math.floor(random() * 14) }, pick).join('');
    const pieces = parsePrompt(text);
    const seen = JSON.stringify(text);
    expect(pieces.map(({ source }) => source).join(''), seen).toBe(text);
    for (const { source, variable } of pieces) {
      expect(source, seen).not.toBe('');
      if (variable) expect(parsePrompt(source), seen).toEqual([{ source, variable }]);
      else expect(promptVariables(source), seen).toEqual([]);
    }
    if (!text.includes('{{')) expect(pieces.length, seen).toBe(text === '' ? 0 : 1);
  }
});

test('reads braces without end as quickly as text', () => {
  const text = `${'{{'.repeat(8_000)}${'{{a'.repeat(5_000)}`;
  expect(parsePrompt(text)).toEqual([{ source: text, variable: null }]);
});
