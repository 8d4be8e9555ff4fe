import { describe, expect, test } from 'vitest';
import { readMailedLink } from './mailed-link.ts';

const token = 'aZ_-'.repeat(10).concat('abc');

describe('mailed link', () => {
  test('reads the user id and token unchanged', () => {
    expect(readMailedLink(`?token=${token}&userId=12`)).toEqual({ userId: 12, token });
    expect(readMailedLink('?userId=1&token=0123')).toEqual({ userId: 1, token: '0123' });
  });

  test.each([
    '',
    '?token=abc',
    '?userId=1',
    '?token=&userId=1',
    '?token=abc&userId=',
    '?token=abc&userId=one',
    '?token=abc&userId=1.5',
    '?token=abc&userId=-1',
    '?token=abc&userId=0',
    '?token=abc&userId=1e3',
    '?token=abc&userId=99999999999',
  ])('rejects %j', (search) => {
    expect(readMailedLink(search)).toBeNull();
  });
});
