import { expect, expectAccessible, expectNoSidewaysScroll, newEmail, password, request, test } from './fixtures.ts';

const sizes = [
  ['a wide page', { width: 1440, height: 900 }, 'row'],
  ['a phone', { width: 390, height: 844 }, 'listitem'],
] as const;

for (const [name, size, entry] of sizes)
  test(`invites somebody, who accepts in another browser, on ${name}`, async ({
    page,
    elsewhere,
    roster,
    administrator,
  }) => {
    await page.setViewportSize(size);
    await elsewhere.setViewportSize(size);
    await request(page, roster, 'POST', '/api/login', { email: administrator.email, password });
    await page.goto('/users?tab=invitations');
    const email = newEmail();
    await page.getByRole('button', { name: 'Invite' }).click();
    const form = page.getByRole('dialog', { name: 'Invite', exact: true });
    await form.getByRole('textbox', { name: 'Email' }).fill(email);
    await form.getByLabel('Role').selectOption('Viewer');
    await form.getByRole('button', { name: 'Create Link' }).click();
    const shown = page.getByRole('dialog', { name: 'Invitation Link' });
    const link = await shown.getByLabel('Link', { exact: true }).inputValue();
    await expectAccessible(page);
    await shown.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByText(email).filter({ visible: true }).first()).toBeVisible();
    await expectNoSidewaysScroll(page);

    await elsewhere.goto(link);
    await expect(elsewhere.getByLabel('Email')).toHaveValue(email);
    await expect(elsewhere).toHaveURL((url) => url.pathname === '/invitation' && url.hash === '');
    await expectAccessible(elsewhere);
    await expectNoSidewaysScroll(elsewhere);
    await elsewhere.getByLabel('Name').fill('Grace Hopper');
    await elsewhere.getByLabel('Password', { exact: true }).fill(password);
    await elsewhere.getByLabel('Confirm Password').fill(password);
    await elsewhere.getByRole('button', { name: 'Create Account' }).click();
    await expect(elsewhere.getByRole('heading', { name: 'Your account is ready' })).toBeVisible();
    await elsewhere.getByRole('link', { name: 'Go to Home' }).click();
    await expect(elsewhere.getByRole('heading', { name: 'Welcome, Grace Hopper' })).toBeVisible();

    await page.goto(`/users?q=${email}`);
    await expect(page.getByRole(entry).filter({ hasText: email })).toContainText('Viewer');
    await page.goto('/users?tab=invitations');
    await expect(page.getByRole('button', { name: 'Invite' })).toBeVisible();
    await expect(page.getByText(email)).toHaveCount(0);
    await elsewhere.goto('about:blank');
    await elsewhere.goto(link);
    await expect(elsewhere.getByRole('heading', { name: 'This invitation cannot be used' })).toBeVisible();
  });
