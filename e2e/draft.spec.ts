import { expect, expectAccessible, expectNoSidewaysScroll, expectToast, request, test } from './fixtures.ts';

test('tries a draft next to the current version, keeps it, and saves it as compared', async ({
  page,
  roster,
  withAssistant,
}) => {
  const id = withAssistant.assistantId;
  await page.goto(`/settings?tab=assistants&edit=${id}`);
  const panel = page.getByRole('dialog', { name: 'Edit Assistant' });
  const instructions = panel.getByLabel('Instructions', { exact: true });
  await expect(panel.getByRole('button', { name: 'Compare with current version' })).toHaveCount(0);
  await instructions.fill('Answer like a pirate.');
  await panel.getByRole('button', { name: 'Compare with current version' }).click();
  const dialog = page.getByRole('dialog', { name: /Compare with version \d+/ });
  await dialog.getByRole('button', { name: 'Prepare comparison' }).click();
  await expect(dialog.getByText('Enter or choose at least one question')).toBeVisible();
  await dialog.getByLabel('Prompt 1').fill('What is a parrot? [[bench 5]] [[delay 0]]');
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await dialog.getByRole('button', { name: 'Prepare comparison' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\/comparisons\/\d+$/);
  await page.getByRole('button', { name: 'Ask all' }).click();
  await expect(page.getByText('1 of 1 prompt answered')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Draft answer' })).toContainText('t0000');
  await expect(page.getByRole('region', { name: 'Current answer' })).toContainText('t0000');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Back to the form' }).click();
  await expect(instructions).toHaveValue('Answer like a pirate.');
  await expect(panel.getByRole('button', { name: 'Cancel' })).toBeInViewport({ ratio: 1 });
  await page.goBack();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: /Save draft as version \d+/ }).click();
  await expectToast(page, 'Draft saved', 'is now at version');
  await expect(page.getByText('Saved: version 2 contains all its changes.')).toBeVisible();
  const { body } = await request(page, roster, 'GET', '/api/assistants');
  expect(body).toMatchObject([{ id, instructions: 'Answer like a pirate.' }]);
});
