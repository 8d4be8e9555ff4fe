import { expect, expectAccessible, goodKey, password, request, test } from './fixtures.ts';

const reason = 'As a Viewer you can chat. Only Editors and Admins can make changes here.';

test('shows Viewers what they may not do, disabled and with the reason', async ({
  page,
  elsewhere,
  roster,
  administrator,
  withAssistant,
}) => {
  await request(elsewhere, roster, 'POST', '/api/login', { email: administrator.email, password });
  const { body: me } = await request(page, roster, 'GET', '/api/user');
  await request(page, roster, 'DELETE', '/api/settings/apikey');
  const { status } = await request(elsewhere, roster, 'PATCH', `/api/admin/users/${me.id}`, { role: 'Viewer' });
  expect(status).toBe(200);

  await page.goto('/');
  const main = page.getByRole('main');
  await expect(main.getByText('Manage user access and permissions. For administrators.')).toBeVisible();
  await expect(main.getByRole('link', { name: 'Add API key' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.type('create assistant');
  const command = page.getByRole('option', { name: 'Create assistant' });
  await expect(command).toHaveAttribute('aria-disabled', 'true');
  await expect(command).toContainText(reason);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/');

  await page.goto('/settings?tab=assistants');
  await expect(main.getByText(reason, { exact: true }).first()).toBeVisible();
  for (const name of ['Create New', 'Import', 'Edit Tutor', 'Delete Tutor'])
    await expect(main.getByRole('button', { name, exact: true })).toHaveAttribute('aria-disabled', 'true');
  await expect(main.getByRole('button', { name: 'Edit Tutor' })).toHaveAccessibleDescription(reason);
  await expectAccessible(page);
  for (const view of ['create', 'import']) {
    await page.goto(`/settings?tab=assistants&view=${view}`);
    await expect(main.getByText(reason, { exact: true }).first()).toBeVisible();
  }
  await page.goto('/users');
  await expect(page).toHaveURL('/');

  // They may still chat.
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('gpt-4o');
});
