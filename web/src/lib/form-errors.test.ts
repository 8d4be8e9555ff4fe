import { createFormControl } from 'react-hook-form';
import { expect, test } from 'vitest';
import { ApiError } from './api-client.ts';
import { showFieldErrors } from './form-errors.ts';

test('shows server errors at every field, however nested', () => {
  const form = createFormControl({ defaultValues: { name: '', reasoningEffort: null, beta: 'auto' } });
  const fields = { reasoningEffort: 'Not here.', 'hyperparameters.beta': 'Too much.', other: 'No.' };
  const error = new ApiError('Wrong.', { status: 400, code: 'invalid', hasServerMessage: true, fields });
  expect(showFieldErrors(form, error)).toBe(true);
  expect(form.getFieldState('reasoningEffort').error?.message).toBe('Not here.');
  expect(form.getFieldState('beta').error?.message).toBe('Too much.');
  expect(form.getFieldState('name').error).toBeUndefined();
  expect(showFieldErrors(form, new Error('Wrong.'))).toBe(false);
});
