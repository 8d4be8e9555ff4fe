import { attachedBytesLimit } from '@roster/contracts/chat';
import { fileSizeLimit } from '@roster/contracts/files/files';
import { expect, test } from 'vitest';
import { refusalReason, uploadRules } from './rules.ts';

const places = ['files', 'training', 'knowledge', 'message'] as const;

test('enforces each place’s size limit with its own message', () => {
  expect(places.map((place) => [place, uploadRules[place].limit])).toEqual([
    ['files', fileSizeLimit],
    ['training', fileSizeLimit],
    ['knowledge', fileSizeLimit],
    ['message', attachedBytesLimit],
  ]);
  for (const place of places)
    expect(refusalReason({ name: 'a.jsonl', size: uploadRules[place].limit }, place), place).toBeUndefined();
  const beyond = (place: (typeof places)[number]) =>
    refusalReason({ name: 'a.jsonl', size: uploadRules[place].limit + 1 }, place);
  expect(places.map(beyond)).toEqual([
    'This file is too large (50.00 MB); the maximum is 50MB per file.',
    'This file is too large (50.00 MB); the maximum is 50MB per file.',
    'Larger than 50.00 MB.',
    'Larger than 20.00 MB, the maximum for a message.',
  ]);
  expect(places.map((place) => refusalReason({ name: 'a.jsonl', size: 0 }, place))).toEqual([
    'This file is empty.',
    'This file is empty.',
    'The file is empty.',
    'The file is empty.',
  ]);
});

test('checks the file name for training only', () => {
  const wrong = { name: 'examples.json', size: 1 };
  expect(refusalReason(wrong, 'training')).toBe('A training file is JSONL: its name ends in .jsonl.');
  expect(refusalReason({ ...wrong, name: 'EXAMPLES.JSONL' }, 'training')).toBeUndefined();
  for (const place of ['files', 'knowledge', 'message'] as const) expect(refusalReason(wrong, place)).toBeUndefined();
});
