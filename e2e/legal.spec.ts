import { expect, test } from './fixtures.ts';

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
  test(`${title} can be read without an account and lead home`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await expect(page.getByText('Last updated May 17, 2025')).toBeVisible();
    for (const text of says) await expect(page.getByRole('main')).toContainText(text);
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await expect(page).toHaveURL('/auth');
  });

test('the terms lead a signed-in person home', async ({ page, signedIn }) => {
  await page.goto('/terms');
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await expect(page.getByRole('heading', { name: `Welcome, ${signedIn.email}` })).toBeVisible();
});
