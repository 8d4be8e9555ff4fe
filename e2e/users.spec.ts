import type { Page } from '@playwright/test';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  newEmail,
  openAtRest,
  password,
  request,
  test,
  toasts,
} from './fixtures.ts';

const table = (page: Page) => page.getByRole('table', { name: 'Accounts' });
/** The users shown, in order; without the header. */
const rows = (page: Page) =>
  table(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
const rowOf = (page: Page, email: string) => rows(page).filter({ hasText: email });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function find(page: Page, text: string) {
  await page.getByRole('searchbox', { name: 'Search users' }).fill(text);
  await expect(page).toHaveURL(new RegExp(`q=${encodeURIComponent(text).replaceAll('.', '\\.')}`));
}

async function choose(page: Page, email: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${email}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

test.beforeEach(async ({ page, roster, administrator }) => {
  await request(page, roster, 'POST', '/api/login', { email: administrator.email, password });
});

test('adds a user with a link with which they set their password and sign in', { tag: '@main' }, async ({
  page,
  elsewhere,
  roster,
}) => {
  await page.goto('/users');
  const total = page.getByRole('definition').first();
  await expect(total).toHaveText(/^\d+$/);
  const before = Number(await total.textContent());
  await page.getByRole('button', { name: 'Add User' }).click();
  const form = dialog(page, 'Add User');
  await form.getByLabel('Name').fill('A');
  await form.getByRole('textbox', { name: 'Email' }).fill('nobody');
  await form.getByRole('button', { name: 'Add User' }).click();
  await expectToast(page, 'Validation Error', 'name: Name must be at least 2 characters, email: Invalid email address');
  await expect(form.getByText('Name must be at least 2 characters')).toBeVisible();
  await expect(form.getByText('Invalid email address')).toBeVisible();
  await expect(form.getByLabel('Name')).toBeFocused();

  const email = newEmail();
  await form.getByLabel('Name').fill('Ada Lovelace');
  await form.getByRole('textbox', { name: 'Email' }).fill(email);
  await form.getByRole('button', { name: 'Add User' }).click();
  const shown = dialog(page, 'Link to Set a Password');
  await expect(shown).toBeVisible();
  const link = new URL(await shown.getByLabel('Link').inputValue());
  expect(link.origin).toBe(roster.url);
  await expectAccessible(page);
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(total).toHaveText(String(before + 1));
  await find(page, email);
  await expect(rowOf(page, email)).toContainText('Ada Lovelace');
  await expect(rowOf(page, email)).toContainText('Editor');
  await expect(rowOf(page, email)).toContainText('Never signed in');

  // Until then the address can be corrected.
  await choose(page, email, 'Edit');
  await expect(dialog(page, 'Edit User').getByRole('textbox', { name: 'Email' })).toBeEditable();
  await page.keyboard.press('Escape');

  const chosen = 'a password of her own';
  const reset = await request(elsewhere, roster, 'POST', '/api/reset-password/reset', {
    password: chosen,
    userId: Number(link.searchParams.get('userId')),
    token: link.searchParams.get('token'),
  });
  expect(reset.status).toBe(204);
  await elsewhere.goto('/auth');
  await elsewhere.getByLabel('Email').fill(email);
  await elsewhere.getByLabel('Password', { exact: true }).fill(chosen);
  await elsewhere.getByRole('button', { name: 'Login' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Welcome, Ada Lovelace' })).toBeVisible();

  await page.reload();
  await expect(rowOf(page, email)).toContainText('just now');
  await choose(page, email, 'Edit');
  await expect(dialog(page, 'Edit User').getByRole('textbox', { name: 'Email' })).not.toBeEditable();
  await expect(dialog(page, 'Edit User')).toContainText('This address has been used to sign in');
  await page.keyboard.press('Escape');

  await choose(page, email, 'Reset Password');
  await page.getByRole('button', { name: 'Create Link' }).click();
  await expect(dialog(page, 'Link to Set a New Password').getByLabel('Link')).toHaveValue(/token=/);
});

test('signs a user out everywhere, and tells the owner about a shown link until it is read', async ({
  page,
  elsewhere,
  roster,
  administrator,
}) => {
  const email = newEmail();
  await request(elsewhere, roster, 'POST', '/api/register', { email, password });
  await openAtRest(elsewhere, '/settings');
  await page.goto(`/users?q=${email}`);
  await choose(page, email, 'Reset Password');
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Anyone who opens it can sign in to that account');
  await question.getByRole('button', { name: 'Create Link' }).click();
  await dialog(page, 'Link to Set a New Password').getByRole('button', { name: 'Done' }).click();
  await choose(page, email, 'Sign Out Everywhere');
  await expect(question).toContainText('Access tokens of this account keep working.');
  await question.getByRole('button', { name: 'Sign Out', exact: true }).click();
  await expectToast(page, 'Signed out', `${email} has been signed out on all devices.`);

  await elsewhere.getByRole('tab', { name: 'Sessions' }).click();
  await expect(elsewhere).toHaveURL(/\/auth/);
  await elsewhere.getByLabel('Email').fill(email);
  await elsewhere.getByLabel('Password', { exact: true }).fill(password);
  await elsewhere.getByRole('button', { name: 'Login' }).click();
  const notice = elsewhere.getByRole('alertdialog', { name: 'Someone was shown a password link for your account' });
  await expect(notice).toContainText(administrator.email);
  await expectAccessible(elsewhere);
  await expect(notice.getByRole('button')).toHaveCount(1);
  await elsewhere.keyboard.press('Escape');
  await elsewhere.reload();
  await notice.getByRole('button', { name: 'I have read this' }).click();
  await expect(notice).toBeHidden();
  const asked = elsewhere.waitForResponse('**/api/user/notices');
  await elsewhere.reload();
  expect(await (await asked).json()).toEqual([]);
  await expect(notice).toBeHidden();
});

test('applies roles, deactivation and deletion at once', async ({ page, elsewhere, roster }) => {
  const email = newEmail();
  await request(elsewhere, roster, 'POST', '/api/register', { email, password });
  await openAtRest(elsewhere, '/');
  await page.goto(`/users?q=${email}`);
  await choose(page, email, 'Edit');
  const form = dialog(page, 'Edit User');
  // An account without a name may stay without one.
  await form.getByLabel('Role').selectOption('Viewer');
  await expect(form).toContainText('Can chat with their assistants');
  await form.getByRole('button', { name: 'Save Changes' }).click();
  await expectToast(page, 'User updated', email);
  await expect(rowOf(page, email)).toContainText('Viewer');
  expect((await request(elsewhere, roster, 'GET', '/api/user')).body.role).toBe('Viewer');

  await choose(page, email, 'Edit');
  await form.getByLabel('Status').selectOption('Inactive');
  await expect(form).toContainText('All devices are signed out');
  await form.getByRole('button', { name: 'Save Changes' }).click();
  await expect(rowOf(page, email)).toContainText('Inactive');
  await elsewhere.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(elsewhere).toHaveURL(/\/auth/);
  await elsewhere.getByLabel('Email').fill(email);
  await elsewhere.getByLabel('Password', { exact: true }).fill(password);
  await elsewhere.getByRole('button', { name: 'Login' }).click();
  await expect(toasts(elsewhere).filter({ hasText: 'Login failed' })).toBeVisible();

  // The log shows both, and is deleted with the account.
  await page.getByRole('tab', { name: 'Activity' }).click();
  const activity = page.getByRole('table', { name: 'Activity' }).getByRole('row').filter({ hasText: email });
  await expect(activity.filter({ hasText: 'Role changed' })).toContainText('Editor to Viewer');
  await expect(activity.filter({ hasText: 'Status changed' })).toContainText('An administrator');
  await expectAccessible(page);

  await page.goto(`/users?q=${email}`);
  await choose(page, email, 'Delete');
  const question = page.getByRole('alertdialog', { name: 'Delete User' });
  await expect(question).toContainText(email);
  await expect(question).toContainText('conversations, assistants, files');
  await question.getByRole('button', { name: 'Delete User' }).click();
  await expectToast(page, 'User deleted', email);
  await expect(page.getByText(`No name or address contains “${email}”.`)).toBeVisible();
  await page.getByRole('button', { name: 'Clear Search', exact: true }).click();
  await expect(rows(page).first()).toBeVisible();
});

test('searches, sorts and pages many accounts, by keyboard too, and in cards on a phone', async ({ page, roster }) => {
  const crowd = `crowd${Date.now()}`;
  for (let number = 10; number < 70; number++) {
    const { status } = await request(page, roster, 'POST', '/api/admin/users', {
      name: `Person ${number}`,
      email: `${crowd}-${number}@example.com`,
      role: number % 2 ? 'Viewer' : 'Editor',
    });
    expect(status).toBe(201);
  }
  await page.goto('/users');
  await find(page, crowd);
  await expect(rows(page)).toHaveCount(25);
  await expect(rows(page).first()).toContainText('Person 10');
  const more = page.getByRole('button', { name: 'Load more users' });
  await more.click();
  await expect(rows(page)).toHaveCount(50);
  await more.click();
  await expect(rows(page)).toHaveCount(60);
  await expect(more).toHaveCount(0);
  await expect(rows(page).last()).toContainText('Person 69');

  const name = page.getByRole('columnheader', { name: 'Name' });
  await expect(name).toHaveAttribute('aria-sort', 'ascending');
  await name.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(name).toHaveAttribute('aria-sort', 'descending');
  await expect(rows(page).first()).toContainText('Person 69');
  await page.getByRole('columnheader', { name: 'Role' }).getByRole('button').click();
  await expect(page).toHaveURL(/sort=role/);
  await page.reload();
  await expect(page.getByRole('searchbox', { name: 'Search users' })).toHaveValue(crowd);
  await expect(page.getByRole('columnheader', { name: 'Role' })).toHaveAttribute('aria-sort', 'ascending');
  await expectAccessible(page);

  // The header stays in view above the rows that have scrolled by.
  await rows(page).nth(20).scrollIntoViewIfNeeded();
  await expect(name).toBeInViewport();
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Edit' })).toBeFocused();
  await page.keyboard.press('Escape');

  await page.setViewportSize({ width: 390, height: 844 });
  const cards = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem');
  await expect(cards).toHaveCount(25);
  await page.getByLabel('Sort by').selectOption('Name');
  await expect(cards.first()).toContainText('Person 10');
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
  await page.evaluate(() => localStorage.setItem('app-theme', 'light'));
  await page.reload();
  await expect(cards).toHaveCount(25);
  await expectAccessible(page);
});
