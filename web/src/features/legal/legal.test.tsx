import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { address, open } from '#web/testing/app.tsx';
import { person } from '#web/testing/new-account.ts';
import { expectText } from '#web/testing/page.ts';

const pages = [
  {
    path: '/terms',
    title: 'Terms of Use',
    says: [
      'stored encrypted',
      'not for people under 16',
      'retained while your account is active',
      'correction',
      'deletion',
    ],
  },
  {
    path: '/privacy',
    title: 'Privacy Policy',
    says: [
      'stored encrypted',
      'not for people under 16',
      'retained while your account is active',
      'correction',
      'portability',
    ],
  },
];

for (const { path, title, says } of pages)
  test(`${title} can be read without an account and lead home`, async () => {
    open(path, { user: null });
    await expect.element(page.getByRole('heading', { name: title })).toBeVisible();
    await expect.element(page.getByText('Last updated May 17, 2025')).toBeVisible();
    for (const text of says) await expectText(page.getByRole('main'), text);
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await expect.poll(address).toBe('/auth');
  });

test('leads signed-in users home from the terms', async () => {
  open('/terms');
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await expect.element(page.getByRole('heading', { name: `Welcome, ${person.email}` })).toBeVisible();
});
