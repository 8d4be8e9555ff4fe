import type { Page } from '@playwright/test';
import { expect, expectToast, goodKey, request, test, untilUsable } from './fixtures.ts';

const card = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) });
const model = (page: Page) => page.getByLabel('Model', { exact: true });
const temperature = (page: Page) => page.getByRole('slider', { name: 'Temperature' });

test.describe('creating', () => {
  test('creates an assistant, and makes the first one the default', { tag: '@main' }, async ({
    page,
    roster,
    signedIn: _,
  }) => {
    await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
    await page.goto('/settings?tab=assistants&view=create');
    await untilUsable(page);
    await expect(page.getByLabel('Name')).toHaveAttribute('aria-required', 'true');
    await expect(model(page)).toHaveText('gpt-4o');
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
});

test('starts a name in Arabic above its model like others, and shows it right to left', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  await request(page, roster, 'POST', '/api/assistants', { name: 'مترجم GPT', model: 'gpt-4o' });
  await page.goto('/chat');
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: `${name}gpt-4o` });
  /** The position of a text's letters, from the left edge of the window. */
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
