import { expect, test } from 'vitest';
import { at, expectSchema, listAt, startedSimulator } from '../testing.ts';

test('judges each text, with a model of its own if none is named', async () => {
  const { post } = await startedSimulator();
  const { body } = await post('/moderations', { input: ['I love you', 'I attack you'] });
  expectSchema('CreateModerationResponse', body);
  expect(body.model).toBe('omni-moderation-2024-09-26');
  expect(listAt(body, 'results').map((one) => at(one, 'flagged'))).toEqual([false, true]);
});
