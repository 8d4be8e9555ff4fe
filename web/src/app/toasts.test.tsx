import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { toast } from '#web/lib/toast.ts';
import { open } from '#web/testing/app.tsx';
import { expectCount, press, toasts } from '#web/testing/page.ts';

test('shows at most five, newest first, and dismisses them', async () => {
  open('/settings?tab=preferences');
  // Longer than a busy machine takes, so that none is gone before all are there.
  for (let number = 1; number <= 6; number++) toast({ title: `Notice ${number}`, duration: 3_600_000 });
  await expectCount(toasts, 5);
  await expectCount(toasts.filter({ hasText: 'Notice 1' }), 0);
  const newest = toasts.filter({ hasText: 'Notice 6' });
  await expectCount(newest, 1);
  const fromTheTop = toasts
    .elements()
    .map((shown) => ({ top: shown.getBoundingClientRect().top, text: shown.textContent }))
    .sort((one, other) => one.top - other.top)
    .map(({ text }) => text);
  expect(fromTheTop[0]).toContain('Notice 6');
  await newest.getByRole('button', { name: 'Dismiss' }).click();
  await expectCount(newest, 0);
});

test('shows one for each choice of theme, and several with actions', async () => {
  open('/settings?tab=preferences');
  for (const theme of ['Light', 'Dark', 'System']) await page.getByText(theme, { exact: true }).click();
  await expect.element(toasts.filter({ hasText: 'Roster now follows your device.' })).toBeVisible();
  // At once: the older ones would soon be gone by themselves.
  expect(toasts.elements()).toHaveLength(1);
  const action = { label: 'Undo', onSelect: () => undefined };
  for (let time = 1; time <= 2; time++) toast({ title: 'Deleted', description: 'Garden', action, duration: 3_600_000 });
  await expectCount(toasts.filter({ hasText: 'Deleted' }), 2);
});

test('dismisses a toast after five seconds', async () => {
  open('/settings?tab=preferences');
  await page.getByText('Light', { exact: true }).click();
  await expectCount(toasts, 1);
  await expectCount(toasts, 0);
});

test('focuses toasts with F8 and still dismisses them afterwards', async () => {
  open('/settings?tab=preferences');
  await page.getByText('Light', { exact: true }).click();
  await expectCount(toasts, 1);
  await press('F8');
  await expect.element(page.getByRole('region', { name: /Notifications/ }).getByRole('list')).toHaveFocus();
  await press('Tab');
  await press('Tab');
  await expect.element(toasts.getByRole('button', { name: 'Dismiss' })).toHaveFocus();
  await press('Enter');
  await expectCount(toasts, 0);
  await page.getByText('Dark', { exact: true }).click();
  await expectCount(toasts, 1);
  await expectCount(toasts, 0);
});
