import { auth } from '@roster/contracts/auth';
import { secondFactor } from '@roster/contracts/second-factor';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { person } from '#web/testing/new-account.ts';
import { expectText, expectToast } from '#web/testing/page.ts';

const code = page.getByLabelText('Code', { exact: true });

async function logIn() {
  await page.getByLabelText('Email').fill(person.email);
  await page.getByLabelText('Password', { exact: true }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Login' }).click();
}

function openSignIn(path = '/auth') {
  open(path, {
    user: null,
    answers() {
      answer(auth.login, refusal('second_factor_required', 'Enter the code from your second factor.'));
      answer(secondFactor.pending, { ways: ['totp', 'recovery'] });
    },
  });
}

test('asks for a code after the password, and goes to the page that was wanted', async () => {
  openSignIn('/auth?redirect=%2Ffiles');
  await logIn();
  await code.fill('123 456');
  await page.getByLabelText('Remember this device for 30 days').click();
  const sent: unknown[] = [];
  answer(secondFactor.complete, ({ body }) => {
    sent.push(body);
    return { user: person, returnPath: '/' };
  });
  answer(auth.currentUser, person);
  await page.getByRole('button', { name: 'Login' }).click();
  await expect.poll(address).toBe('/files');
  expect(sent).toEqual([{ code: '123456', remember: true }]);
});

test('shows a wrong code at the field, and takes a recovery code', async () => {
  openSignIn();
  await logIn();
  answer(
    secondFactor.complete,
    refusal('invalid_input', 'The code is wrong.', { code: 'The code is wrong or has already been used.' }),
  );
  await code.fill('000000');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect.element(page.getByText('The code is wrong or has already been used.')).toBeVisible();
  await page.getByRole('button', { name: 'Use a recovery code' }).click();
  await expect.element(page.getByLabelText('Recovery code')).toHaveValue('');
  await expect.element(page.getByLabelText('Recovery code')).toHaveFocus();
  answer(secondFactor.complete, { user: person, returnPath: '/analytics' });
  answer(auth.currentUser, person);
  await page.getByLabelText('Recovery code').fill('K7MP-2XQD-9VHT');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect.poll(address).toMatch(/^\/analytics/);
});

test('returns to email and password when the sign-in has expired', async () => {
  openSignIn();
  await logIn();
  answer(secondFactor.complete, refusal('not_found', 'Your sign-in has expired. Enter your password again.'));
  await code.fill('123456');
  await page.getByRole('button', { name: 'Login' }).click();
  await expectToast('Login failed', 'Your sign-in has expired. Enter your password again.');
  await expect.element(page.getByLabelText('Email')).toBeVisible();
});

test('says so when there is no sign-in to complete', async () => {
  open('/auth?step=second-factor', {
    user: null,
    answers: () => answer(secondFactor.pending, refusal('not_found', 'Your sign-in has expired.')),
  });
  await expectText(page.getByRole('alert'), 'Your sign-in has expired.');
  await page.getByRole('button', { name: 'Back to login' }).click();
  await expect.element(page.getByLabelText('Email')).toBeVisible();
});
