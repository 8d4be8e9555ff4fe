import { attachedBytesLimit, attachedTextLimit } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { attachmentProblem, guessKind } from './attachable.ts';

const file = (filename: string, size = 1_000, type = 'application/octet-stream') => ({ filename, size, type });
const why = (...[given, others = []]: [ReturnType<typeof file>, { size: number }[]?]) =>
  attachmentProblem(given, others);

test.each([
  ['moss.PNG', 'application/octet-stream', 'Image'],
  ['picture', 'image/jpeg', 'Image'],
  ['drawing.svg', 'image/svg+xml', 'Text'],
  ['report.pdf', 'application/pdf', 'Document'],
  ['table.xlsx', 'application/octet-stream', 'Document'],
  ['old.doc', 'application/msword', 'Other'],
  ['song', 'audio/mpeg', 'Other'],
  ['data.tar.gz', 'application/gzip', 'Other'],
  ['main.ts', 'video.not/a-type', 'Text'],
  ['Makefile', 'application/octet-stream', 'Text'],
])('guesses the kind of %s (%s): %s', (filename, type, kind) => {
  expect(guessKind({ filename, type })).toBe(kind);
});

test('limits the attachments of a message', () => {
  expect(why(file('notes.txt'))).toBeUndefined();
  expect(why(file('film.mp4'))).toContain('Models cannot read');
  expect(why(file('moss.png', attachedBytesLimit))).toBeUndefined();
  expect(why(file('moss.png', attachedBytesLimit + 1))).toContain('Larger than 20.00 MB');
  expect(why(file('notes.txt', attachedTextLimit))).toBeUndefined();
  expect(why(file('notes.txt', attachedTextLimit + 1))).toContain('A text file in a message can have at most 4.00 MB');
});

test('counts the other attachments', () => {
  const others = (count: number, size = 1) => Array.from({ length: count }, () => ({ size }));
  expect(why(file('notes.txt'), others(19))).toBeUndefined();
  expect(why(file('notes.txt'), others(20))).toContain('at most 20 files');
  expect(why(file('moss.png', 10), others(1, attachedBytesLimit - 10))).toBeUndefined();
  expect(why(file('moss.png', 11), others(1, attachedBytesLimit - 10))).toContain('in total');
});
