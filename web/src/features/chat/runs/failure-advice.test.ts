import { expect, test } from 'vitest';
import { adviceFor, splitMessage } from './failure-advice.ts';

test('shows the failure, then the provider’s message, then the advice', () => {
  expect(splitMessage('The provider rejected the API key. Incorrect key: sk-….')).toEqual({
    title: 'The provider rejected the API key.',
    rest: 'Incorrect key: sk-….',
  });
  expect(splitMessage('The answer failed.')).toEqual({ title: 'The answer failed.', rest: '' });
  expect(adviceFor('key_rejected').steps).toContain('settings');
});
