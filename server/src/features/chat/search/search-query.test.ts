import { parseSearch, searchPattern, searchTerms } from '@roster/contracts/text/search-query';
import { describe, expect, test } from 'vitest';
import { isMatch, searchQueryOf } from './tokenize.ts';

const term = (text: string, more = {}) => ({ text, isPhrase: false, isExcluded: false, place: 'anywhere', ...more });

test.each([
  ['apple pie', [term('apple'), term('pie')]],
  ['"apple pie"', [term('apple pie', { isPhrase: true })]],
  [
    '“apple pie” „Apfel“ «pomme»「林檎」',
    ['apple pie', 'Apfel', 'pomme', '林檎'].map((text) => term(text, { isPhrase: true })),
  ],
  ['-apple', [term('apple', { isExcluded: true })]],
  ['-"apple pie"', [term('apple pie', { isPhrase: true, isExcluded: true })]],
  ['title:apple', [term('apple', { place: 'title' })]],
  ['-TITLE:"apple pie"', [term('apple pie', { isPhrase: true, isExcluded: true, place: 'title' })]],
  ['apple - pie', [term('apple'), term('-'), term('pie')]],
  ['--verbose well-known', [term('--verbose'), term('well-known')]],
  ['"apple pi', [term('"apple'), term('pi')]],
  ['title: apple', [term('title:'), term('apple')]],
  ['subtitle:apple', [term('subtitle:apple')]],
  ['5"3 a"b c"', [term('5"3'), term('a"b'), term('c"')]],
  ['""', [term('', { isPhrase: true })]],
])('reads %s', (query, terms) => expect(searchTerms(query)).toEqual(terms));

test('splits every query into pieces that together are the query', () => {
  const parts = [
    'a',
    '"',
    '“',
    '”',
    '-',
    'title:',
    ' ',
    '\n',
    '𝒳',
    '👨‍👩‍👧',
    '\ud83d',
    '\udc4d',
    '据',
    'ก็',
    '\u0000',
    '»',
  ];
  const check = (query: string, left: number) => {
    const pieces = parseSearch(query);
    expect(pieces.map(({ source }) => source).join('')).toBe(query);
    for (const { source, term: read } of pieces) {
      expect(source).not.toBe('');
      expect(read === null).toBe(source.trim() === '');
      expect(source).toContain(read?.text ?? '');
      expect(source.startsWith('-') || !read?.isExcluded).toBe(true);
    }
    // Neither throws for halves of characters or odd quotes.
    isMatch(query, searchQueryOf(query).anywhere);
    searchPattern(query, 'title')?.exec(query);
    if (left > 0) for (const part of parts) check(query + part, left - 1);
  };
  check('', 3);
});

describe('texts that are not indexed', () => {
  test.each<[string, string, boolean]>([
    ['"red apple"', 'A Red, apple', true],
    ['"red apple"', 'An apple, red', false],
    ['"red app"', 'A red apple', false],
    ['red app', 'An apple, red', true],
    ['apple -pear', 'Apples and pears', true],
    ['apple -pears', 'Apples and pears', false],
    ['apple -"red pear"', 'Apples, pears and a red pear', false],
    ['course -c++', 'A course on C', true],
    ['course -c++', 'A course on C++', false],
    ['"数据库"', 'GPT模型的数据库设计', true],
    ['"库数据"', 'GPT模型的数据库设计', false],
    ['模型 -数据库', 'GPT模型的数据库设计', false],
    ['"東京タワー"', '東京タワーに行く', true],
    ['"สวัสดี"', 'สวัสดีครับ', true],
    ['"한국어"', '한국어교육은 재미있다', true],
  ])('matches %s in %s: %s', (query, text, is) => expect(isMatch(text, searchQueryOf(query).anywhere)).toBe(is));
});

describe('search pattern', () => {
  const found = (query: string, text: string, where?: 'title' | 'message') => {
    const pattern = searchPattern(query, where);
    return pattern && text.match(pattern);
  };
  test.each<[string, string, string[] | null]>([
    ['C++', 'C, c++ and C++17', ['c++', 'C++']],
    ['c#', 'A C# class', ['C#']],
    ['.net', 'net, .NET', ['.NET']],
    ['node.js', 'A node in Node.js', ['Node.js']],
    ['"node.js"?', 'Node.js', ['Node.js']],
    ['C++.', 'C++', ['C++']],
    ['node. js', 'Node.js', ['Node', 'js']],
    ['Ärger.txt', 'Ärger.txt', ['Ärger', 'txt']],
    ['c', 'c', null],
    ['数据', '数据库', ['数据']],
    ['👍', 'ok 👍', ['👍']],
    ['a(b [x', 'a(b [x xx', null],
    ['"red apple"', 'red apples, an apple; red, Apple', ['red, Apple']],
    ['"a cat"', 'a catalog or a cat', ['a cat']],
    ['"数据"', '数据库', ['数据']],
    ['"สวัสดี"', 'สวัสดีครับ', ['สวัสดี']],
    ['apple -pear', 'apple and pear', ['apple']],
    ['title:apple pear', 'apple and pear', ['pear']],
  ])('marks %s in %s', (query, text, parts) => expect(found(query, text)?.slice() ?? null).toEqual(parts));

  test('marks words of the title in a title', () =>
    expect(found('title:apple pear', 'apple and pear', 'title')).toEqual(['apple', 'pear']));
});
