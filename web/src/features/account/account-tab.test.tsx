import { auth } from '@roster/contracts/auth';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { givenDay, person } from '#web/testing/new-account.ts';

test('the account tab says who and since when', async () => {
  open('/settings');
  await expect.element(page.getByRole('heading', { name: 'Account Information' })).toBeVisible();
  const main = page.getByRole('main');
  await expect.element(main.getByText(person.email)).toBeVisible();
  await expect.element(main.getByText('November 2, 2026')).toBeVisible();
});

test('sessions say why they could not be loaded, and try again', async () => {
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
      lastActive: givenDay,
      createdAt: givenDay,
      isCurrent: true,
    },
  ]);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect.element(page.getByText('Chrome on Linux')).toBeVisible();
});
