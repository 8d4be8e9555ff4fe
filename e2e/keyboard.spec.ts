import type { Locator, Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, goodKey, newEmail, password, test } from './fixtures.ts';
import { tabTo } from './presses.ts';

async function activate(page: Page, target: Locator) {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

test('works without a mouse from registering to another answer', async ({ page }) => {
  await page.goto('/auth');
  await tabTo(page, page.getByRole('tab', { name: 'Login' }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('heading', { name: 'Create your Roster account' })).toBeVisible();
  await tabTo(page, page.getByLabel('Email'));
  await page.keyboard.type(newEmail());
  await tabTo(page, page.getByLabel('Password', { exact: true }));
  await page.keyboard.type(password);
  await tabTo(page, page.getByLabel('Confirm Password'));
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');

  await activate(page, page.getByRole('link', { name: 'Add API key' }));
  await tabTo(page, page.getByLabel('API key', { exact: true }));
  await page.keyboard.type(goodKey);
  await page.keyboard.press('Enter');
  await expect(page.getByText('API Key is set')).toBeVisible();

  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.type('create assistant');
  await expect(page.getByRole('option', { name: 'Create assistant' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByLabel('Name'));
  await page.keyboard.type('Keys');
  await tabTo(page, page.getByRole('slider', { name: 'Temperature' }));
  await page.keyboard.press('ArrowRight');
  await activate(page, page.getByRole('button', { name: 'Create Assistant' }));
  await activate(page, page.getByRole('link', { name: 'Chat with Keys' }));

  const { message, answers, questions, untilDone } = conversation(page);
  await expect(message).toBeFocused();
  await page.keyboard.type('Plan my garden [[bench 30000]] [[delay 40]]');
  await page.keyboard.press('Enter');
  await expect(answers).toContainText('t0003');
  await page.keyboard.press('Escape');
  await expect(answers.getByText('Stopped', { exact: true })).toBeVisible();
  await expect(message).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('textbox', { name: 'Edit question' })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Plan my balcony');
  await page.keyboard.press('Enter');
  await untilDone();
  await expect(questions).toContainText('Plan my balcony');
  await activate(page, answers.getByRole('button', { name: 'Regenerate' }));
  await expect(answers.getByText('2/2')).toBeVisible();
  await untilDone();
  await activate(page, answers.getByRole('button', { name: 'Previous version of this answer' }));
  await expect(answers.getByText('1/2')).toBeVisible();

  await activate(page, page.getByRole('button', { name: 'Conversation actions' }));
  await expect(page.getByRole('menuitem', { name: 'Find in conversation' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: /Pin/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Pinned' })).toBeVisible();
  await tabTo(page, page.getByRole('searchbox', { name: 'Search conversations' }));
  await page.keyboard.type('balcony');
  await expect(page.getByRole('heading', { name: 'Search results' })).toBeVisible();
  await activate(page, page.getByRole('button', { name: 'Logout' }));
  await expect(page.getByRole('heading', { name: 'Log in to Roster' })).toBeVisible();
});
