import { secondFactor } from '@roster/contracts/second-factor';
import { type ManagedUser, users } from '@roster/contracts/users';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectToast, press } from '#web/testing/page.ts';

const rows = page
  .getByRole('table', { name: 'Accounts' })
  .getByRole('row')
  .filter({ has: page.getByRole('cell') });

const { id, email, name, hasPassword, emailVerified } = person;
const me: ManagedUser = {
  id,
  email,
  name,
  hasPassword,
  emailVerified,
  secondFactor: false,
  accessTokens: 0,
  role: 'Admin',
  status: 'Active',
  lastActive: fixtureDate,
  createdAt: fixtureDate,
};
const count = { total: 1, active: 1, administrators: 1, recent: 1 };

test('keeps the last administrator, and prevents deleting oneself', async () => {
  open(`/users?q=${email}`, {
    user: { ...person, role: 'Admin' },
    answers() {
      answer(users.list, { items: [me], nextCursor: null });
      answer(users.summary, count);
      answer(users.change, refusal('last_administrator', 'There has to be an administrator who is active.'));
    },
  });
  await page.getByRole('button', { name: `Actions for ${email}` }).click();
  const remove = page.getByRole('menuitem', { name: 'Delete' });
  await expect.element(remove).toHaveAttribute('aria-disabled', 'true');
  await expectText(remove, 'Close your own account under Settings, Account');
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog', { name: 'Edit User', exact: true });
  await form.getByLabelText('Role').selectOptions('Editor');
  await form.getByRole('button', { name: 'Save Changes' }).click();
  await expectToast('Failed to update user');
  await expectText(form.getByRole('alert'), /administrator/i);
  await press('Escape');
  await expectText(rows.filter({ hasText: email }), 'Admin');
});

test('shows that loading failed, and retries', async () => {
  const down = refusal('unavailable', 'The database is being moved.');
  open('/users', {
    user: { ...person, role: 'Admin' },
    answers() {
      answer(users.list, down);
      answer(users.summary, down);
    },
  });
  await expect.element(page.getByText('Failed to load users')).toBeVisible();
  await expect.element(page.getByText('The database is being moved.').first()).toBeVisible();
  answer(users.list, { items: [me], nextCursor: null });
  answer(users.summary, count);
  await page.getByRole('alert').filter({ hasText: 'Failed to load users' }).getByRole('button').click();
  await expect.element(rows.first()).toBeVisible();
});

test('requires a second factor from a day on, and checks the grace period', async () => {
  open('/users?tab=second-factor', {
    user: { ...person, role: 'Admin' },
    answers() {
      answer(users.summary, count);
      answer(secondFactor.policy, { requiredOf: 'nobody', graceDays: 14, without: 1 });
      answer(secondFactor.setPolicy, undefined);
    },
  });
  await expect.element(page.getByText('1 active account has no second factor.')).toBeVisible();
  const grace = page.getByLabelText('Grace period (days)');
  await expectHidden(grace);
  await page.getByRole('tabpanel').getByText('Administrators', { exact: true }).click();
  await grace.fill('91');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.element(page.getByText('Enter a number from 0 to 90')).toBeVisible();
  expect(requestsTo(secondFactor.setPolicy)).toEqual([]);
  await grace.fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast('Saved', 'The rule applies from now on.');
  expect(requestsTo(secondFactor.setPolicy)).toMatchObject([{ body: { requiredOf: 'administrators', graceDays: 7 } }]);
});
