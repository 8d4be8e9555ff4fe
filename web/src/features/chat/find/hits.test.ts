import { countMatches, countMatchesInMessage, findPattern } from '@roster/contracts/text/find-text';
import { expect, test } from 'vitest';
import { countHits, hitNumber, type MessageHits, nearestHit, nextHit, type Place, sortHits } from './hits.ts';

const places: MessageHits[] = [
  { messageId: 2, count: 1 },
  { messageId: 5, count: 3 },
  { messageId: 9, count: 2 },
];
const at = (messageId: number, nth: number): Place => ({ messageId, nth });

test.each([1, -1] as const)('steps through all matches and wraps around, direction %i', (direction) => {
  const walked: number[] = [];
  let place: Place | null = at(5, 1);
  for (let count = 0; count < 7 && place; count++) {
    walked.push(hitNumber(places, place));
    place = nextHit(places, place, direction);
  }
  expect(walked).toEqual(direction === 1 ? [3, 4, 5, 6, 1, 2, 3] : [3, 2, 1, 6, 5, 4, 3]);
});

test('continues from a match that no longer exists', () => {
  expect(nextHit(places, at(5, 7), 1)).toEqual(at(9, 0));
  expect(nextHit(places, at(6, 0), 1)).toEqual(at(9, 0));
  expect(nextHit(places, at(6, 0), -1)).toEqual(at(5, 2));
  expect(nextHit(places, at(10, 0), 1)).toEqual(at(2, 0));
  expect(nextHit(places, at(1, 0), -1)).toEqual(at(9, 1));
  expect(nextHit([], at(1, 0), 1)).toBeNull();
  expect(hitNumber(places, at(5, 7))).toBe(0);
  expect(hitNumber(places, null)).toBe(0);
});

test('starts at the message in view', () => {
  expect([1, 5, 6, 10].map((id) => nearestHit(places, id))).toEqual([at(2, 0), at(5, 0), at(9, 0), at(9, 1)]);
  expect(nearestHit([], 1)).toBeNull();
});

test('orders messages and drops those without matches', () => {
  const mixed = sortHits([{ messageId: 9, count: 2 }, { messageId: 3, count: 0 }, ...places.slice(0, 2)]);
  expect(mixed).toEqual(places);
  expect(countHits(mixed)).toBe(6);
});

test.each<[string, string, number]>([
  ['C++', 'C, c++ and C++17', 2],
  ['a.b', 'a.b axb', 1],
  ['two  words', 'two\nwords, Two words', 2],
  ['c', 'c C', 2],
  ['größe', 'GRÖSSE Größe', 1],
  ['привет', 'Привет', 1],
  ['数据', '数据库', 1],
  ['👍🏽', 'ok 👍🏽', 1],
  ['bold word', 'a **bold** word', 1],
  ['snake_case', '`snake_case`', 1],
  ['H2O', 'H<sub>2</sub>O', 1],
  ['see the docs page', 'see the [docs](https://a.example/b) page', 1],
  ['costs $5', 'costs \\$5', 1],
  ['**', '**a**', 2],
  ['[x', '[x] (y', 1],
])('counts matches of %s in %j', (query, text, count) => {
  const pattern = findPattern(query);
  expect(pattern && countMatches(text, pattern)).toBe(count);
});

test('finds nothing for a blank query', () => expect([findPattern(''), findPattern(' \n')]).toEqual([null, null]));

test('searches every text of a message', () => {
  const message = {
    text: 'x',
    reasoning: 'x and x',
    files: [{ filename: 'x.pdf' }],
    calls: [
      { input: '{"q":"x"}', output: null },
      { input: '', output: 'x' },
    ],
  };
  const pattern = findPattern('x');
  expect(pattern && countMatchesInMessage(message, pattern)).toBe(6);
});
