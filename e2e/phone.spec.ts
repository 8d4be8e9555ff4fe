import { conversation } from './conversation.ts';
import { expect, goodKey, newEmail, password, test } from './fixtures.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test('on a phone everything from registering to another answer works by touch', async ({ page }) => {
  await page.goto('/auth?tab=register');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await page.getByRole('button', { name: 'Register' }).tap();
  await page.getByRole('link', { name: 'Add API key' }).tap();
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await page.getByRole('button', { name: 'Save API Key' }).tap();
  await expect(page.getByText('API Key is set')).toBeVisible();
  await page.getByRole('tab', { name: 'Assistants' }).tap();
  await page.getByRole('button', { name: 'Create Assistant' }).tap();
  await page.getByLabel('Name').fill('Pocket');
  await page.getByRole('button', { name: 'Create Assistant' }).tap();
  await expect(page.getByRole('heading', { name: 'Pocket' })).toBeVisible();

  await page.getByRole('button', { name: 'Open sidebar' }).tap();
  await page.getByRole('dialog', { name: 'Sidebar' }).getByRole('link', { name: 'Chat', exact: true }).tap();
  await expect(page.getByText('No conversations yet')).toBeVisible();
  await page.getByRole('button', { name: 'New Chat' }).tap();
  await page.getByRole('button', { name: 'Start Chat' }).tap();
  const { message, send, answers, questions, growth, stop, untilDone } = conversation(page);
  await message.fill('Plan my garden [[bench 900]] [[delay 40]]');
  await send.tap();
  await expect(answers).toContainText('t0003');
  await growth();
  await page.reload();
  await growth();
  await stop.tap();
  await expect(answers.getByText('Stopped', { exact: true })).toBeVisible();
  await questions.getByRole('button', { name: 'Edit question' }).tap();
  await page.getByRole('textbox', { name: 'Edit question' }).fill('Plan my balcony');
  await page.getByRole('button', { name: 'Save & send' }).tap();
  await untilDone();
  await expect(answers).toContainText('You wrote: “Plan my balcony”');
  await answers.getByRole('button', { name: 'Regenerate' }).tap();
  await expect(answers.getByText('2/2')).toBeVisible();
  await untilDone();

  await page.getByRole('button', { name: 'Back to the conversations' }).tap();
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('balcony');
  await expect(page.getByRole('heading', { name: 'Found' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Recent conversations' }).getByRole('link').tap();
  await expect(questions).toContainText('Plan my balcony');
});
