import { expect, test } from 'vitest';
import { streamMessages } from './run-events.ts';

const stream =
  ': hello\r\n\r\nid: 1\r\nevent: text\r\ndata: {"a":1}\r\n\r\nid:2\ndata: x\ndata:y\n\n:\n\nretry: 3\n\nid: 3\rdata\r\r\n';
const messages = [
  { id: '1', data: '{"a":1}' },
  { id: '2', data: 'x\ny' },
  { id: '3', data: '' },
];

test.each([1, 2, 3, 5, 1000])('parses messages from pieces of %i characters', (size) => {
  const take = streamMessages();
  const taken = [];
  for (let start = 0; start < stream.length; start += size) taken.push(...take(stream.slice(start, start + size)));
  expect(taken).toEqual(messages);
});

test('does not return an incomplete message', () => {
  const take = streamMessages();
  expect(take('id: 1\ndata: x\n')).toEqual([]);
  expect(take('\n')).toEqual([{ id: '1', data: 'x' }]);
});
