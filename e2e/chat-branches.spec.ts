import type { Locator } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, test } from './fixtures.ts';

const version = (message: Locator) => message.getByText(/^Version \d+ of \d+$/);

const brokeOff = 'The text received so far is kept. Try again for a complete answer.';

test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
});

test('shows another answer next to the first one', async ({ page }) => {
  const { ask, answers, untilDone } = conversation(page);
  await ask('Describe the sea [[drop after 3 once]]');
  await expect(answers.getByText(brokeOff)).toBeVisible();
  await answers.getByRole('button', { name: 'Try again' }).click();
  await untilDone();
  await expect(answers).toContainText('You wrote: “Describe the sea”');
  await expect(version(answers)).toHaveText('Version 2 of 2');
  await expect(answers.getByText('2/2')).toBeVisible();

  await answers.hover();
  await answers.getByRole('button', { name: 'Regenerate' }).click();
  await expect(answers.getByText('3/3')).toBeVisible();
  await untilDone();
  await expect(answers).toHaveCount(1);
  await expect(answers).toContainText('You wrote: “Describe the sea”');
  const previous = answers.getByRole('button', { name: 'Previous version of this answer' });
  const next = answers.getByRole('button', { name: 'Next version of this answer' });
  await expect(next).toBeDisabled();
  await previous.click();
  await expect(version(answers)).toHaveText('Version 2 of 3');
  await previous.click();
  await expect(version(answers)).toHaveText('Version 1 of 3');
  await expect(answers.getByText(brokeOff)).toBeVisible();
  await expect(previous).toBeDisabled();
  await page.reload();
  await expect(version(answers)).toHaveText('Version 1 of 3');
  await next.click();
  await expect(version(answers)).toHaveText('Version 2 of 3');
  await expect(answers).toContainText('You wrote: “Describe the sea”');
});

test('starts a branch with an edited question, and keeps the old one', { tag: '@main' }, async ({ page }) => {
  const { ask, answers, questions, untilDone } = conversation(page);
  await ask('Tell me about apples');
  await untilDone();
  await ask('Tell me about pears');
  await untilDone();
  await expect(answers).toHaveCount(2);

  await questions.first().hover();
  await questions.first().getByRole('button', { name: 'Edit question' }).click();
  await expect(page.getByText('The old version stays beside it.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Edit question' }).fill('Tell me about plums');
  await page.getByRole('button', { name: 'Save & send' }).click();
  await expect(questions).toHaveText([/Tell me about plums/]);
  await untilDone();
  await expect(answers).toHaveCount(1);
  await expect(answers).toContainText('You wrote: “Tell me about plums”');
  await expect(version(questions)).toHaveText('Version 2 of 2');

  await questions.getByRole('button', { name: 'Previous version of this question' }).click();
  await expect(questions).toHaveText([/Tell me about apples/, /Tell me about pears/]);
  await expect(answers.last()).toContainText('You wrote: “Tell me about pears”');
  await expect(version(questions.first())).toHaveText('Version 1 of 2');
});

test('copies questions and answers', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const { ask, answers, questions, untilDone } = conversation(page);
  await ask('Please *repeat* this');
  await untilDone();
  await questions.hover();
  await questions.getByRole('button', { name: 'Copy question' }).click();
  await expect(questions.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await clipboard()).toBe('Please *repeat* this');
  await answers.getByRole('button', { name: 'Copy answer' }).click();
  await expect(answers.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await clipboard()).toContain('1. **What it is for.**');
});
