import { apiTokens } from '@roster/contracts/api-tokens';
import { freshSignIn } from '@roster/contracts/fresh-sign-in';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectHidden, expectText, press } from '#web/testing/page.ts';

const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
const name = page.getByRole('textbox', { name: 'Name' });
const rejected = refusal(
  'fresh_sign_in_required',
  'Confirm it’s you: your last sign-in was more than ten minutes ago.',
);

/** Creates a token in a session that is too old until it is confirmed. */
async function createToken(ways: ('password' | 'code' | 'google')[]) {
  let isFresh = false;
  open('/settings?tab=api-keys', {
    answers() {
      answer(apiTokens.list, []);
      answer(freshSignIn.state, () => ({ isFresh, ways }));
      answer(freshSignIn.confirm, ({ body: { password, code } }) => {
        if (password !== undefined && password !== 'right')
          return refusal('invalid_input', 'The password is incorrect.', { password: 'The password is incorrect.' });
        isFresh = password !== undefined || code !== undefined;
        return undefined;
      });
      answer(apiTokens.create, ({ body }) =>
        isFresh
          ? {
              id: 1,
              name: body.name,
              rights: body.rights,
              last4: 'abcd',
              monthlyBudgetUsd: null,
              spentUsd: 0,
              createdAt: fixtureDate,
              expiresAt: null,
              lastUsedAt: null,
              lastUsedIp: null,
              token: 'rst_given',
            }
          : rejected,
      );
    },
  });
  await page.getByRole('button', { name: 'New Token' }).click();
  await name.fill('My script');
  await page.getByRole('button', { name: 'Create Token' }).click();
}

test('asks for the password above the form, and repeats the call with what was typed', async () => {
  await createToken(['password']);
  await expect.element(dialog).toBeVisible();
  await expect.element(dialog.getByLabelText('Password', { exact: true })).toHaveFocus();
  await dialog.getByLabelText('Password', { exact: true }).fill('wrong');
  await press('Enter');
  await expectText(dialog, 'The password is incorrect.');
  await dialog.getByLabelText('Password', { exact: true }).fill('right');
  await press('Enter');
  await expectHidden(dialog);
  await expect.element(page.getByText(/^Anyone with this token/)).toBeVisible();
  expect(requestsTo(apiTokens.create).map(({ body }) => body.name)).toEqual(['My script', 'My script']);
});

test('keeps what was typed if the user declines', async () => {
  await createToken(['password']);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expectHidden(dialog);
  await expect.element(page.getByText('Failed to create the access token')).toBeVisible();
  await expect.element(name).toHaveValue('My script');
  expect(requestsTo(apiTokens.create)).toHaveLength(1);
});

test('asks for a code if the account has a second factor', async () => {
  await createToken(['code']);
  await dialog.getByRole('textbox', { name: 'Code' }).fill('123 456');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect.element(page.getByText(/^Anyone with this token/)).toBeVisible();
  expect(requestsTo(freshSignIn.confirm).map(({ body }) => body)).toEqual([{ code: '123456' }]);
});

test('leads through the login provider and back to this page', async () => {
  await createToken(['google']);
  const again = page.getByRole('alertdialog', { name: 'Confirm it’s you' });
  const submit = again.getByRole('button', { name: 'Continue with Google' });
  await expect.element(submit).toBeVisible();
  expect(submit.element().closest('form')?.getAttribute('action')).toContain('/auth/google?redirect=%2F');
  await press('Escape');
  await expect.element(name).toHaveValue('My script');
});
