import { auth } from '@roster/contracts/auth';
import { invitations } from '@roster/contracts/invitations';
import { passkeys } from '@roster/contracts/passkeys';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { fixtureDate, person, signInOptions } from '#web/testing/new-account.ts';
import { expectToast } from '#web/testing/page.ts';

const token = 'A'.repeat(43);
const link = `/invitation#token=${token}`;
const password = 'correct horse battery';
const invitation = { email: person.email, role: 'Viewer', invitedBy: 'Ada', expiresAt: fixtureDate } as const;

test('creates the account with name and password, and offers a passkey', async () => {
  open(link, {
    user: null,
    answers() {
      answer(invitations.read, invitation);
      answer(invitations.accept, person);
    },
  });
  await expect.element(page.getByText('Ada invites you to Roster as a Viewer.')).toBeVisible();
  expect(address()).toBe('/invitation');
  await expect.element(page.getByLabelText('Email')).toHaveValue(person.email);
  await page.getByLabelText('Name').fill('Grace Hopper');
  await page.getByLabelText('Password', { exact: true }).fill(password);
  await page.getByLabelText('Confirm Password').fill(`${password}!`);
  const submit = page.getByRole('button', { name: 'Create Account' });
  await submit.click();
  await expect.element(page.getByText("Passwords don't match")).toBeVisible();
  await page.getByLabelText('Confirm Password').fill(password);
  await submit.click();
  await expect.element(page.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Add a passkey' })).toBeVisible();
  expect(requestsTo(invitations.accept).map(({ body }) => body)).toEqual([{ token, name: 'Grace Hopper', password }]);
});

test('creates the account without a password, and goes on to the passkey', async () => {
  open(link, {
    user: null,
    answers() {
      answer(invitations.read, invitation);
      answer(invitations.accept, person);
    },
  });
  const instead = page.getByRole('button', { name: 'Use a Passkey Instead' });
  await instead.click();
  await expect.element(page.getByText('Name must be at least 2 characters')).toBeVisible();
  await page.getByLabelText('Name').fill('Grace Hopper');
  await instead.click();
  await expect.element(page.getByRole('heading', { name: 'Add your passkey' })).toBeVisible();
  expect(requestsTo(invitations.accept).at(-1)?.body).toEqual({ token, name: 'Grace Hopper' });
  answer(passkeys.addOptions, refusal('unavailable', 'Back soon.'));
  await page.getByRole('button', { name: 'Add Passkey' }).click();
  await expectToast('Failed to add the passkey', 'Back soon.');
  await expect.element(page.getByRole('link', { name: 'Set a password instead' })).toBeVisible();
});

test.each([
  ['invalid_token', 'This invitation cannot be used'],
  ['email_taken', 'You already have an account'],
] as const)('explains a refusal (%s)', async (code, heading) => {
  open(link, { user: null, answers: () => answer(invitations.read, refusal(code, 'Why it is refused.')) });
  await expect.element(page.getByRole('heading', { name: heading })).toBeVisible();
  await expect.element(page.getByText('Why it is refused.')).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Go to login' })).toBeVisible();
});

test('retries while the server is unavailable, and asks nothing without a token', async () => {
  open(link, { user: null, answers: () => answer(invitations.read, refusal('unavailable', 'Back soon.')) });
  await expect.element(page.getByText('Back soon.')).toBeVisible();
  answer(invitations.read, invitation);
  await page.getByRole('alert').getByRole('button').click();
  await expect.element(page.getByLabelText('Name')).toBeVisible();
  const before = requestsTo(invitations.read).length;
  open('/invitation', { user: null });
  await expect.element(page.getByRole('heading', { name: 'Invalid invitation link' })).toBeVisible();
  expect(requestsTo(invitations.read).length).toBeLessThanOrEqual(before);
});

test('starts at a login provider with the token in the body', async () => {
  open(link, {
    user: null,
    answers() {
      answer(invitations.read, invitation);
      answer(invitations.acceptAtProvider, refusal('provider_failed', 'The login provider is not responding.'));
      const openId = [{ id: 'oidc' as const, name: 'Acme' }];
      answer(auth.options, { ...signInOptions, registration: 'invited', google: true, openId });
    },
  });
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await expectToast('Sign-in failed', 'The login provider is not responding.');
  expect(requestsTo(invitations.acceptAtProvider).map(({ body }) => body)).toEqual([{ token, provider: 'oidc' }]);
  await expect.element(page.getByRole('button', { name: 'Continue with Google' })).toBeVisible();
});
