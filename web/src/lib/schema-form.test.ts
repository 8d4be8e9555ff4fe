import { zodResolver } from '@hookform/resolvers/zod';
import { createFormControl } from 'react-hook-form';
import { expect, test } from 'vitest';
import { ApiError } from './api-client.ts';
import { showFieldErrors } from './form-errors.ts';
import { amountText, optionalAmountText, problemsSchema } from './schema-form.ts';

const messageOf = (result: { error?: { issues: { message: string }[] } | undefined }) =>
  result.error?.issues[0]?.message;

test('reads typed amounts', () => {
  expect(amountText('Enter an amount').parse('$1,200')).toBe(1200);
  expect(messageOf(amountText('Enter an amount').safeParse('many'))).toBe('Enter an amount');
  expect(messageOf(amountText('Enter an amount').safeParse(' '))).toBe('Enter an amount');
  expect(optionalAmountText('Enter an amount').parse(' ')).toBeNull();
  expect(optionalAmountText('Enter an amount').parse('0,15')).toBe(0.15);
});

test('shows the problems of a form whose fields differ from the contract, and no others', async () => {
  const form = createFormControl({
    defaultValues: { name: '', address: 'http://a' },
    resolver: zodResolver(
      problemsSchema(({ name }: { name: string; address: string }) =>
        name === '' ? { name: 'Name is required' } : {},
      ),
    ),
  });
  const sent: unknown[] = [];
  const submit = form.handleSubmit((values) => void sent.push(values));
  await submit();
  expect(form.getFieldState('name').error?.message).toBe('Name is required');
  expect(sent).toEqual([]);
  form.setValue('name', 'Tools');
  await submit();
  expect(sent).toEqual([{ name: 'Tools', address: 'http://a' }]);
});

test('finds the field of a refusal by a path of its own', () => {
  const form = createFormControl({ defaultValues: { headerName: '', name: '' } });
  const error = new ApiError('Wrong.', {
    status: 400,
    code: 'invalid',
    hasServerMessage: true,
    fields: { 'auth.name': 'No such header.' },
  });
  const fieldOf = (path: string) => (path === 'auth.name' ? 'headerName' : undefined);
  expect(showFieldErrors(form, error, fieldOf)).toBe(true);
  expect(form.getFieldState('headerName').error?.message).toBe('No such header.');
  expect(form.getFieldState('name').error).toBeUndefined();
});
