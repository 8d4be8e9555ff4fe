import { describe, expect, test } from 'vitest';
import { noTools } from '../testing.ts';
import { answerTo, longAnswer } from './answers.ts';
import { asksForTitle, titleFor } from './title.ts';
import { countTokens, tokensOf } from './tokens.ts';

function answer(text: string, hostile = false): string {
  return answerTo(
    {
      model: 'gpt-4o',
      instructions: '',
      turns: [{ role: 'user', text }],
      attachments: [],
      effort: null,
      wantsSummary: false,
      maxTokens: undefined,
      tools: noTools,
      schema: null,
    },
    hostile,
  );
}

describe('words that select an answer', () => {
  test.each([
    ['table', 'Compare them in a table', /^\|[^\n]+\|\n\|[-:| ]+\|$/m],
    ['code', 'Show me some code', /```python\n[\s\S]+```[\s\S]+```sql/],
    ['math', 'Explain the math', /\$\$[\s\S]+\\frac/],
    ['a diagram', 'Draw a diagram', /```mermaid\nflowchart/],
    ['a list', 'Give me a list', /^- \[x\] /m],
    ['Markdown', 'Show me markdown', /^> > /m],
    ['a greeting', 'hello', /simulated model/],
  ])('select %s', (_name, text, pattern) => {
    expect(answer(text)).toMatch(pattern);
  });

  test('combine several answers', () => {
    expect(answer('A table and some code, please')).toMatch(/\| Way \|[\s\S]+```ts/);
  });

  test('select a long answer of more than 600 tokens', () => {
    expect(countTokens(answer('Tell me a long story'))).toBeGreaterThan(600);
  });

  test('select nothing if they are part of another word', () => {
    expect(answer('Is the hotel listed as stable?')).toContain('You wrote');
  });
});

test('answers an ordinary question by its words', () => {
  expect(answer('How do tides work near Bristol?')).toContain('**tides**, **work**, **near** and **Bristol**');
  expect(answer('?!')).toContain('Ask me something');
});

test('contains in the hostile answer what must never run', () => {
  const text = answer('[[hostile]]', true);
  for (const part of [
    '<script>',
    'onerror=',
    'javascript:',
    'data:text/html',
    'pixel.gif',
    'click a href',
    '\\href',
    '\u202e',
  ]) {
    expect(text).toContain(part);
  }
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeGreaterThan(1_500);
});

test('gives a long answer exactly the requested length', () => {
  for (const count of [1, 600, 5_000]) expect(longAnswer(count)).toHaveLength(count);
});

test('splits text into tokens that add up and never cut a character', () => {
  const text = 'Grüße 👩‍💻🏳️‍🌈 \n\n  你好, "x" \t\n';
  expect(tokensOf(text).join('')).toBe(text);
  expect(countTokens(text)).toBe(tokensOf(text).length);
  for (const token of tokensOf(text)) expect(token.isWellFormed()).toBe(true);
});

test.each([
  ['You write short titles.', false],
  ['Suggest a title for this chat in at most six words.', true],
  ['Give a concise title.', true],
  ['You are a helpful assistant.', false],
])('recognizes in %j a request for a title: %s', (instructions, asked) => {
  expect(asksForTitle(instructions)).toBe(asked);
});

test.each([
  ['hi', 'Friendly greeting'],
  ['Can you explain how photosynthesis works?', 'Explain photosynthesis works'],
  ['[[drop after 3]] plan my Garden', 'Plan Garden'],
])('makes of %j the title %j', (text, title) => {
  expect(titleFor(text)).toBe(title);
});
