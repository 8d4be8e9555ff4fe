import { expect, test } from 'vitest';
import { adviceFor, splitMessage } from './failure-advice.ts';

test('a failure says what it is, then what the provider said, then what helps', () => {
  expect(splitMessage('The provider rejected the API key. Incorrect key: sk-….')).toEqual({
    title: 'The provider rejected the API key.',
    rest: 'Incorrect key: sk-….',
  });
  expect(splitMessage('The answer failed.')).toEqual({ title: 'The answer failed.', rest: '' });
  expect(adviceFor('key_rejected').steps).toContain('settings');
});
