import { expect, test } from 'vitest';
import { searchPattern } from './search-pattern.ts';

const found = (query: string, text: string) => {
  const pattern = searchPattern(query);
  return pattern ? text.match(pattern) : null;
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
])('finds %s in %s', (query, text, parts) => expect(found(query, text)?.slice() ?? null).toEqual(parts));
