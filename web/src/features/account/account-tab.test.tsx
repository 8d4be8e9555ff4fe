import { account, type SecurityEvent } from '@roster/contracts/account';
import { auth } from '@roster/contracts/auth';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText } from '#web/testing/page.ts';

test('shows the account and when it was created', async () => {
  open('/settings');
  await expect.element(page.getByRole('heading', { name: 'Account Information' })).toBeVisible();
  const main = page.getByRole('main');
  await expect.element(main.getByText(person.email)).toBeVisible();
  await expect.element(main.getByText('November 2, 2026')).toBeVisible();
});

test('shows the version below the settings', async () => {
  open('/settings');
  await expect.element(page.getByText('Roster 1.2.3')).toBeVisible();
});

test('shows why sessions failed to load, and retries', async () => {
  open('/settings?tab=sessions', {
    answers: () => answer(auth.sessions, refusal('unavailable', 'The database is being moved.')),
  });
  await expect.element(page.getByText('Error loading sessions: The database is being moved.')).toBeVisible();
  answer(auth.sessions, [
    {
      id: 'session-one',
      userAgent: null,
      device: 'Chrome on Linux',
      ipAddress: '127.0.0.1',
      lastActive: fixtureDate,
      createdAt: fixtureDate,
      isCurrent: true,
    },
  ]);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect.element(page.getByText('Chrome on Linux')).toBeVisible();
});

test('pages through security activity, and shows why it failed to load', async () => {
  const event = (id: number): SecurityEvent => ({
    id,
    event: id === 1 ? 'account_created' : 'sign_in_failed',
    by: 'self',
    device: 'Chrome on Linux',
    ipAddress: '127.0.0.1',
    detail: null,
    at: fixtureDate,
  });
  const events = Array.from({ length: 12 }, (_, index) => event(12 - index));
  open('/settings', {
    answers: () => answer(account.securityEvents, refusal('unavailable', 'The database is being moved.')),
  });
  const card = page.getByRole('main');
  await expectText(card.getByRole('alert'), 'The database is being moved.');
  answer(account.securityEvents, ({ query }) =>
    query.cursor === undefined
      ? { items: events.slice(0, 10), nextCursor: 'second' }
      : { items: events.slice(10), nextCursor: null },
  );
  await card.getByRole('button', { name: 'Try Again' }).click();
  await expectCount(card.getByText('Sign-in failed'), 10);
  await card.getByRole('button', { name: 'Show more' }).click();
  await expectCount(card.getByText('Sign-in failed'), 11);
  const made = card.getByRole('listitem').filter({ hasText: 'Account created' });
  await expectText(made, 'By you · ');
  await expect.element(made.getByTitle(/\d{4} at \d/)).toBeVisible();
  await expectHidden(card.getByRole('button', { name: 'Show more' }));
});
