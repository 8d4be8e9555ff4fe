import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
  pickModel,
  request,
  test,
} from './fixtures.ts';

const phone = { width: 390, height: 844 };
const desk = { width: 1440, height: 900 };

async function looksGood(page: Page) {
  await page.setViewportSize(phone);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.setViewportSize(desk);
  await expectAccessibleInBothThemes(page);
}

test('saves and runs questions, and shows before saving how a change affects their answers', async ({
  page,
  roster,
  withAssistant,
}) => {
  const id = withAssistant.assistantId;
  await followDevice(page);
  await page.setViewportSize(desk);
  const { body: thread } = await request(page, roster, 'POST', '/api/threads', { assistantId: id });
  const question = { message: 'What do you keep to? [[delay 0]]', clientId: 'client-0001' };
  await request(page, roster, 'POST', `/api/threads/${thread.id}/messages`, question);
  await expect
    .poll(async () => (await request(page, roster, 'GET', `/api/assistants/${id}/questions`)).body.items.length)
    .toBe(1);

  await page.goto(`/settings?tab=assistants&edit=${id}`);
  const panel = page.getByRole('dialog', { name: 'Edit Assistant' });
  await panel.getByRole('link', { name: 'Create a test set' }).click();
  await expect(page.getByText('No test sets yet')).toBeVisible();
  await looksGood(page);

  await page.getByRole('button', { name: 'New test set' }).click();
  const making = page.getByRole('dialog', { name: 'New test set' });
  await making.getByLabel('Name').fill('Basics');
  await making.getByRole('textbox', { name: 'Question 1' }).fill('=Always the same [[bench 4]] [[delay 0]]');
  await making.getByRole('button', { name: 'From conversations' }).click();
  await making.getByRole('checkbox', { name: /^What do you keep to/ }).check();
  await expect(making.getByText('Questions (2 of at most 50)')).toBeVisible();
  await looksGood(page);
  await making.getByRole('button', { name: 'Create test set' }).click();

  await page.getByRole('link', { name: 'Basics' }).click();
  await expect(page.getByText('Not run yet')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Run', exact: true }).first().press('Enter');
  const running = page.getByRole('dialog', { name: 'Run ‘Basics’' });
  await expect(running.getByText(/^2 answers: about \$/)).toBeVisible();
  await looksGood(page);
  await running.getByRole('button', { name: 'Start' }).click();
  const first = page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: 'Version 1' });
  await expect(first).toContainText('2 new');
  await looksGood(page);

  await page.getByRole('link', { name: 'Test sets of Tutor' }).click();
  await expect(page.getByText('2 questions · run 1 time')).toBeVisible();
  await looksGood(page);

  await page.goto(`/settings?tab=assistants&edit=${id}`);
  await panel
    .getByLabel('Instructions', { exact: true })
    .fill('Explain with many long examples, and be very friendly.');
  await panel.getByRole('button', { name: 'Try the draft on ‘Basics’...' }).click();
  const trying = page.getByRole('dialog', { name: 'Try the draft' });
  await pickModel(trying.getByLabel('Who decides which is better'), 'gpt-4o');
  await expect(trying.getByText(/^2 answers: about .* 2 earlier answers cost nothing\./)).toBeVisible();
  await looksGood(page);
  await trying.getByRole('button', { name: 'Start' }).click();
  const line = panel.getByRole('status').filter({ hasText: 'Before you save' });
  await expect(line).toContainText('1 of 2 unchanged, 1 better, 0 worse.');
  await looksGood(page);

  await line.getByRole('button', { name: 'See all answers' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\/comparisons\/\d+$/);
  const results = page.getByRole('region', { name: 'Results' });
  await expect(results.getByRole('table', { name: 'Results by question' })).toContainText('Same words');
  await looksGood(page);
  const download = page.waitForEvent('download');
  await results.getByRole('button', { name: 'Save CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toContain(`\r\n'=Always the same`);
  expect(csv).toContain('Better,Judge');

  await page.getByRole('button', { name: /Save draft as version 2/ }).click();
  await results.getByRole('link', { name: 'Basics' }).click();
  const draft = page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: 'Draft of version 1' });
  await expect(draft).toContainText('+1');
  await page.getByRole('button', { name: 'Delete test set' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No test sets yet')).toBeVisible();
});
