import { type Invitation, invitations } from '@roster/contracts/invitations';
import { users } from '@roster/contracts/users';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectText, expectToast } from '#web/testing/page.ts';

const email = 'grace@example.org';
const invitation: Invitation = {
  id: 7,
  email,
  role: 'Viewer',
  state: 'open',
  invitedBy: 'Ada',
  createdAt: fixtureDate,
  expiresAt: fixtureDate,
};
const link = `https://roster.example/invitation#token=${'A'.repeat(43)}`;
const empty = { items: [], nextCursor: null };

const rowOf = (address: string) =>
  page.getByRole('table', { name: 'Invitations' }).getByRole('row').filter({ hasText: address });
const openTab = (answers: () => void) =>
  open('/users?tab=invitations', {
    user: { ...person, role: 'Admin' },
    answers() {
      answer(users.summary, { total: 1, active: 1, administrators: 1, recent: 1 });
      answers();
    },
  });

async function choose(action: string) {
  await page.getByRole('button', { name: `Actions for ${email}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test('invites somebody, and shows the link once where there is no mail', async () => {
  openTab(() => {
    answer(invitations.list, empty);
    answer(invitations.create, { invitation, link });
  });
  await expect.element(page.getByText('No open invitations.')).toBeVisible();
  await page.getByRole('button', { name: 'Invite' }).click();
  const form = page.getByRole('dialog', { name: 'Invite', exact: true });
  const submit = form.getByRole('button', { name: /Send Invitation|Create Link/ });
  await submit.click();
  await expect.element(form.getByText('Invalid email address')).toBeVisible();
  await form.getByLabelText('Email').fill(email);
  await form.getByLabelText('Role').selectOptions('Viewer');
  await form.getByLabelText('Valid for (days)').fill('31');
  await submit.click();
  await expect.element(form.getByText('Enter a number from 1 to 30')).toBeVisible();
  await form.getByLabelText('Valid for (days)').fill('3');
  answer(invitations.list, { items: [invitation], nextCursor: null });
  await submit.click();
  const shown = page.getByRole('dialog', { name: 'Invitation Link' });
  await expect.element(shown.getByLabelText('Link', { exact: true })).toHaveValue(link);
  await expect.element(shown.getByRole('button', { name: 'Copy' })).toBeVisible();
  await shown.getByRole('button', { name: 'Done' }).click();
  await expectText(rowOf(email), /Viewer.*Open/);
  const asked = requestsTo(invitations.create).map(({ body }) => body);
  expect(asked).toEqual([{ email, role: 'Viewer', expiresInDays: 3 }]);
});

test('resends and revokes, and says what failed', async () => {
  openTab(() => {
    answer(invitations.list, { items: [{ ...invitation, state: 'expired' }], nextCursor: null });
    answer(invitations.resend, { invitation, link: null });
    answer(invitations.revoke, refusal('not_found', 'It was accepted meanwhile.'));
  });
  await expectText(rowOf(email), /Expired/);
  await choose('Resend');
  answer(invitations.list, { items: [invitation], nextCursor: null });
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /Resend|Create Link/ })
    .click();
  await expectToast('Invitation sent', `A new link was emailed to ${email}.`);
  await expectText(rowOf(email), /Open/);
  await choose('Revoke');
  const question = page.getByRole('alertdialog', { name: 'Revoke Invitation' });
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expectToast('Failed to revoke the invitation', 'It was accepted meanwhile.');
});

test('shows that loading failed, and retries', async () => {
  openTab(() => answer(invitations.list, refusal('unavailable', 'The database is being moved.')));
  const failure = page.getByRole('alert').filter({ hasText: 'Failed to load the invitations' });
  await expect.element(failure).toBeVisible();
  answer(invitations.list, { items: [invitation], nextCursor: null });
  await failure.getByRole('button').click();
  await expectText(rowOf(email), /Ada/);
});
