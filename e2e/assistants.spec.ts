import type { Page } from '@playwright/test';
import { expect, expectToast, goodKey, request, test } from './fixtures.ts';

const card = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) });
const model = (page: Page) => page.getByLabel('Model', { exact: true });
const temperature = (page: Page) => page.getByRole('slider', { name: 'Temperature' });

async function openList(page: Page) {
  await page.goto('/settings?tab=assistants');
  await expect(page.getByRole('tab', { name: 'Your Assistants' })).toHaveAttribute('aria-selected', 'true');
}

test('an empty list says what to do', async ({ page, signedIn }) => {
  await openList(page);
  await expect(page.getByText(signedIn.email).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No assistants found' })).toBeVisible();
  await expect(page.getByText('You have not created any assistants yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Import from OpenAI' }).click();
  await expect(page.getByRole('tab', { name: 'Import' })).toHaveAttribute('aria-selected', 'true');
  await openList(page);
  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await expect(page.getByRole('heading', { name: 'Create Assistant' })).toBeVisible();
});

test('a list that does not load says why, and tries again', async ({ page, withAssistant }) => {
  await page.route('**/api/assistants?*', (route) =>
    route.fulfill({ status: 503, json: { code: 'internal', message: 'The database is being moved.' } }),
  );
  await openList(page);
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load assistants' });
  await expect(panel).toContainText('The database is being moved.');
  await page.unroute('**/api/assistants?*');
  await panel.getByRole('button', { name: 'Try Again' }).click();
  await expect(card(page, 'Tutor')).toBeVisible();
});

test.describe('creating', () => {
  test('makes an assistant, and the first one the default', async ({ page, roster, signedIn }) => {
    await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
    await page.goto('/settings?tab=assistants&view=create');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    await expect(page.getByLabel('Name')).toHaveAttribute('aria-required', 'true');
    await expect(model(page)).toHaveValue('gpt-4o');
    await expect(temperature(page)).toHaveValue('0.7');
    await page.getByLabel('Name').fill('Editor in chief');
    await page.getByLabel('Description').fill('Shortens what is too long.');
    await temperature(page).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect(page.getByRole('main').getByText('0.5', { exact: true })).toBeVisible();
    await page.getByLabel('Instructions').fill('Be brief.');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expectToast(page, 'Assistant created', 'Editor in chief is ready to chat.');
    const created = card(page, 'Editor in chief');
    await expect(created).toContainText('Default');
    await expect(created).toContainText('Shortens what is too long.');
    await expect(created).toContainText('gpt-4o');
    await expect(created).toContainText('0.5');
    await expect(created.getByRole('button', { name: /Set Default/ })).toHaveCount(0);
    await created.getByRole('link', { name: 'Chat' }).click();
    await expect(page.getByPlaceholder('Message Editor in chief')).toBeVisible();
  });

  test('offers the successor of a model that shuts down', async ({ page, withAssistant }) => {
    await page.goto('/settings?tab=assistants&view=create');
    await expect(page.getByText(withAssistant.email).first()).toBeVisible();
    await expect(
      page.getByText('This model shuts down on January 14, 2027. gpt-6.1-terra takes its place.'),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Use gpt-6.1-terra' }).click();
    await expect(model(page)).toHaveValue('gpt-6.1-terra');
    await expect(model(page)).toBeFocused();
    await expect(page.getByText('takes its place')).toBeHidden();
  });

  test('keeps to the limits and says them', async ({ page, signedIn }) => {
    await page.goto('/settings?tab=assistants&view=create');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    const create = page.getByRole('button', { name: 'Create Assistant' });
    await create.click();
    await expect(page.getByText('Name is required')).toBeVisible();
    await expect(page.getByLabel('Name')).toBeFocused();
    // Characters as people count them: an emoji is one.
    await page.getByLabel('Name').fill('🦉'.repeat(101));
    await expect(page.getByText('101/100')).toBeVisible();
    await expect(page.getByText('Name cannot exceed 100 characters')).toBeVisible();
    await page.getByLabel('Description').fill('d'.repeat(501));
    await expect(page.getByText('501/500')).toBeVisible();
    await page.getByLabel('Instructions').fill('i'.repeat(1501));
    await expect(page.getByText('1,501/1,500')).toBeVisible();
    await create.click();
    await expect(page.getByText('Description cannot exceed 500 characters')).toBeVisible();
    await expect(page.getByText('Instructions cannot exceed 1500 characters')).toBeVisible();

    await page.getByLabel('Name').fill('🦉'.repeat(100));
    await page.getByLabel('Description').fill('d'.repeat(500));
    await page.getByLabel('Instructions').fill('i'.repeat(1500));
    await create.click();
    await expect(card(page, '🦉'.repeat(100))).toBeVisible();
  });

  test('offers a reasoning effort where the model takes no temperature', async ({ page, withAssistant }) => {
    await page.goto('/settings?tab=assistants&view=create');
    await expect(page.getByText(withAssistant.email).first()).toBeVisible();
    await expect(page.getByLabel('Reasoning effort')).toBeHidden();
    await model(page).selectOption('gpt-6-astra');
    await expect(page.getByText('gpt-6-astra does not take a temperature.')).toBeVisible();
    await expect(temperature(page)).toBeHidden();
    await page.getByLabel('Name').fill('Thinker');
    await page.getByLabel('Reasoning effort').selectOption('High');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect(card(page, 'Thinker')).toContainText('no effect with this model');
    await expect(card(page, 'Thinker')).toContainText('high');
  });

  test('asks before it throws away what was typed', async ({ page, signedIn }) => {
    await page.goto('/settings?tab=assistants&view=create');
    await expect(page.getByText(signedIn.email).first()).toBeVisible();
    await page.getByLabel('Name').fill('Half done');
    await page.getByRole('link', { name: 'Files' }).click();
    const question = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await expect(page.getByLabel('Name')).toHaveValue('Half done');
    await page.getByRole('link', { name: 'Files' }).click();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect(page).toHaveURL('/files');
  });
});

test('another assistant becomes the default', async ({ page, roster, withAssistant }) => {
  await request(page, roster, 'POST', '/api/assistants', { name: 'Second', model: 'gpt-4o' });
  await openList(page);
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  await expect(card(page, 'Tutor')).toContainText('Default');
  await card(page, 'Second').getByRole('button', { name: 'Set Default: Second' }).click();
  await expectToast(page, 'Default assistant updated', 'Your default assistant has been updated successfully');
  await expect(card(page, 'Tutor').getByRole('button', { name: 'Set Default: Tutor' })).toBeVisible();
  await expect(card(page, 'Second').getByRole('button', { name: /Set Default/ })).toHaveCount(0);
  await expect(card(page, 'Second').getByText('Default', { exact: true })).toBeVisible();
  await expect(card(page, 'Tutor').getByText('Default', { exact: true })).toHaveCount(0);
});

test('editing opens the form filled in and saves what was changed', async ({ page, withAssistant }) => {
  await openList(page);
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  await page.getByRole('button', { name: 'Edit Tutor' }).click();
  const panel = page.getByRole('dialog', { name: 'Edit Assistant' });
  await expect(panel.getByLabel('Name')).toHaveValue('Tutor');
  await expect(panel.getByLabel('Instructions')).toHaveValue('Explain with one example.');
  await panel.getByLabel('Name').fill('');
  await panel.getByRole('button', { name: 'Save Changes' }).click();
  await expect(panel.getByText('Name is required')).toBeVisible();
  await panel.getByLabel('Name').fill('Professor');
  await panel.getByRole('button', { name: 'Save Changes' }).click();
  await expectToast(page, 'Assistant updated', 'Your changes have been saved.');
  await expect(panel).toBeHidden();
  await expect(card(page, 'Professor')).toBeVisible();
});

test('an assistant whose model ends soon can be moved to its successor', async ({ page, roster, withAssistant }) => {
  await openList(page);
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  await expect(card(page, 'Tutor')).toContainText('This model shuts down on January 14, 2027.');
  const move = card(page, 'Tutor').getByRole('button', { name: /^Move to / });
  const successor = (await move.textContent())?.replace('Move to ', '') ?? '';
  await move.click();
  await expect(card(page, 'Tutor').getByText(successor)).toBeVisible();
  await expect(move).toBeHidden();
  const { body } = await request(page, roster, 'GET', '/api/assistants');
  expect(body[0].model).toBe(successor);
});

test('deleting asks first', async ({ page, withAssistant }) => {
  await openList(page);
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  const dialog = page.getByRole('alertdialog', { name: 'Delete Assistant' });
  await page.getByRole('button', { name: 'Delete Tutor' }).click();
  await expect(dialog).toContainText('Are you sure you want to delete this assistant? This action cannot be undone.');
  await expect(dialog).toContainText('Tutor');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(card(page, 'Tutor')).toBeVisible();
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/assistants/*', async (route) => {
    await answered.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Delete Tutor' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(dialog.getByRole('button', { name: 'Deleting...' })).toBeVisible();
  answered.resolve();
  await expectToast(page, 'Assistant deleted', 'The assistant has been deleted successfully');
  await expect(page.getByRole('heading', { name: 'No assistants found' })).toBeVisible();
});

test('a name in Arabic begins above its model like the others, and reads from right to left', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  await request(page, roster, 'POST', '/api/assistants', { name: 'مترجم GPT', model: 'gpt-4o' });
  await page.goto('/chat');
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: `${name}gpt-4o` });
  /** Where letters of a text are drawn, from the left edge of the window. */
  const drawnAt = (name: string, letters: [number, number]) =>
    row(name)
      .getByText(name, { exact: true })
      .evaluate((element, [from, to]) => {
        const range = document.createRange();
        const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode() ?? element;
        range.setStart(text, from);
        range.setEnd(text, to);
        return range.getBoundingClientRect().left;
      }, letters);
  const whole = await drawnAt('مترجم GPT', [0, 9]);
  expect(whole).toBeCloseTo(await drawnAt('Tutor', [0, 5]), 0);
  expect(await drawnAt('مترجم GPT', [0, 1])).toBeGreaterThan(await drawnAt('مترجم GPT', [6, 9]));
});
