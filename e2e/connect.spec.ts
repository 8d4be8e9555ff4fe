import { expect, expectAccessible, test } from './fixtures.ts';
import { shellFor, snippet } from './snippets.ts';

test('leads from an assistant to what a client needs, and runs the Node snippets as shown', async ({
  page,
  roster,
  withAssistant,
}) => {
  await page.goto('/settings?tab=assistants');
  await page.getByRole('link', { name: 'Use Tutor from a program' }).click();
  await expect(page).toHaveURL(`${roster.url}/connect?assistant=${withAssistant.assistantId}`);
  await expect(page.getByRole('heading', { name: 'Connect', level: 1 })).toBeVisible();
  const model = await page.getByRole('textbox', { name: 'Model in your program' }).inputValue();
  expect(model).toMatch(/^asst_/);
  await expect(page.getByRole('textbox', { name: 'Base URL' })).toHaveValue(`${roster.url}/v1`);
  await expect(page.getByText('Also by name: Tutor@roster')).toBeVisible();
  await expectAccessible(page);

  const inShell = await shellFor(page, roster);
  for (const name of ['Node', 'LangChain']) {
    const code = await snippet(page, name);
    expect(await inShell(`"${process.execPath}" --input-type=module -e "$1"`, code), name).toMatch(/\w{3}/);
  }
});

test('tries a message with an unlisted token, and shows both sides of the call', {
  tag: '@main',
}, async ({ page, withAssistant }) => {
  await page.goto(`/connect?assistant=${withAssistant.assistantId}`);
  const card = page.getByRole('region', { name: 'Try it' });
  await card.getByLabel('Message').fill('');
  await card.getByRole('button', { name: 'Send' }).click();
  await expect(card.getByText('Write a message')).toBeVisible();
  await card.getByLabel('Message').fill('Say hello.');
  await card.getByRole('button', { name: 'Send' }).click();
  await expect(card.getByRole('region', { name: 'Answer' })).toContainText('chat.completion');
  await expect(card.getByRole('region', { name: 'Answer' })).toContainText(/200 · \d+\.\d s/);
  await expect(card.getByRole('region', { name: 'Request' })).toContainText('Say hello.');
  expect(await page.content()).not.toMatch(/rst_[0-9A-Za-z]{38}/);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.goto('/settings?tab=api-keys');
  await expect(page.getByText('No access tokens yet.')).toBeVisible();
  await page.getByRole('link', { name: 'How to connect a program' }).click();
  await expect(page.getByRole('heading', { name: 'Connect', level: 1 })).toBeVisible();
});
