import { expect, test } from 'vitest';
import { fieldsOf, fillDefaults, moveFields, type PromptField, stopsOf, textIn } from './fields.ts';
import { slashWordAt } from './slash-word.ts';

const day = '2026-11-27';

/** Types into a message: `|` in `after` is the caret. */
function typed(fields: readonly PromptField[], before: string, after: string, active = fields[0]) {
  const caret = after.indexOf('|');
  const text = after.replace('|', '');
  const moved = moveFields(fields, { before, after: text, caret, active });
  return moved.fields.map((field) => [field.variable.name, textIn(text, field)]);
}

test.each([
  [
    'replaces the first',
    'Dear Ada|, on {{day: date}}',
    [
      ['name', 'Ada'],
      ['day', '{{day: date}}'],
    ],
  ],
  [
    'empties the first',
    'Dear |, on {{day: date}}',
    [
      ['name', ''],
      ['day', '{{day: date}}'],
    ],
  ],
  [
    'writes before both',
    'Hi! |Dear {{name}}, on {{day: date}}',
    [
      ['name', '{{name}}'],
      ['day', '{{day: date}}'],
    ],
  ],
  [
    'writes behind both',
    'Dear {{name}}, on {{day: date}}!|',
    [
      ['name', '{{name}}'],
      ['day', '{{day: date}}'],
    ],
  ],
  ['deletes across one', 'Dear {{na|{{day: date}}', [['day', '{{day: date}}']]],
  ['deletes everything', '|', []],
] as const)('follows the fields when somebody %s', (_, after, expected) => {
  const before = 'Dear {{name}}, on {{day: date}}';
  expect(typed(fieldsOf(before, 0), before, after)).toEqual(expected);
});

test('gives a character between adjoining fields to the active one', () => {
  const before = '{{a}}{{b}}';
  const fields = fieldsOf(before, 0);
  expect(typed(fields, before, '{{a}}}|{{b}}', fields[0])).toEqual([
    ['a', '{{a}}}'],
    ['b', '{{b}}'],
  ]);
  expect(typed(fields, before, '{{a}}{|{{b}}', fields[1])).toEqual([
    ['a', '{{a}}'],
    ['b', '{{{b}}'],
  ]);
});

test('stops once at each name, and fills in defaults and equal names when the message is sent', () => {
  const text = 'Hi {{who}}: {{tone: kind | short}} {{day: date}} {{n=3}}{{note=}} {{who}}';
  const fields = fieldsOf(text, 0);
  expect(stopsOf(fields).map(({ variable }) => variable.name)).toEqual(['who', 'tone', 'day', 'n', 'note']);
  const open = fillDefaults(text, fields, day);
  expect([open.text, open.missing?.start]).toEqual([`Hi {{who}}: kind ${day} 3 {{who}}`, 3]);
  const filled = text.replace('{{who}}', 'Ada');
  const { fields: moved } = moveFields(fields, { before: text, after: filled, caret: 6, active: fields[0] });
  expect(fillDefaults(filled, moved, day)).toEqual({ text: `Hi Ada: kind ${day} 3 Ada`, missing: undefined });
});

test.each([
  ['/', 1, ''],
  ['/sum', 4, 'sum'],
  ['Hello\n/über-1\nMore', 13, 'über-1'],
  ['／要約', 3, '要約'],
  ['/sum ', 4, 'sum'],
  ['/a/b', 4, null],
  ['and/or', 6, null],
  ['/sum of', 4, null],
  [' /sum', 5, null],
  ['', 0, null],
])('finds in %j at %i the word %j', (text, caret, word) => {
  expect(slashWordAt(text, caret)?.word ?? null).toBe(word);
});
