import { conversation } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts';

test('shows the used context, and summarizes, edits and takes back on a phone', async ({ page, withAssistant }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { ask, answers, untilDone } = conversation(page);
  await ask('Which fruit do I like? Quinces [[bench 20]]');
  await untilDone();
  await expect(page.getByRole('button', { name: /context/i })).toBeVisible();
  await ask('Is that too long? [[context]]');
  await untilDone();
  await page.getByRole('button', { name: 'Summarize earlier messages' }).click();
  const card = page.getByRole('region', { name: 'Summary of earlier messages' });
  await expect(card).toContainText('models get a summary instead of the messages above');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);

  await card.getByRole('button', { name: 'Edit summary' }).press('Enter');
  await card.getByRole('textbox', { name: 'Edit summary' }).fill('Only quinces.');
  await card.getByRole('button', { name: 'Save' }).press('Enter');
  await expect(card.getByRole('textbox')).toBeHidden();
  await page.reload();
  await card.getByText('Read the summary').click();
  await expect(card).toContainText('Only quinces.');
  await ask('And now? [[bench 20]]');
  await untilDone();
  await expect(answers.last()).toContainText('t0019');
  await card.getByRole('button', { name: 'Remove summary' }).click();
  await expect(card).toBeHidden();
});
