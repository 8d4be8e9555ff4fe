import { conversation } from './conversation.ts';
import { expect, test } from './fixtures.ts';

test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
});

test('sends with Enter, breaks the line with Shift+Enter, and sends no blank message', { tag: '@main' }, async ({
  page,
}) => {
  const { message, questions, untilDone } = conversation(page);
  await page.keyboard.type('   ');
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('   ');
  await message.fill('');
  await page.keyboard.type('First line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  await expect(message).toHaveValue('First line\nsecond line');
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('');
  await untilDone();
  await expect(questions).toHaveText([/First line\nsecond line/], { useInnerText: true });
  await expect(page).toHaveURL(/\/chat\/\d+$/);
});

test('stops with Esc, and edits the last question with the up arrow', { tag: '@main' }, async ({ page }) => {
  const { message, ask, answers, questions, untilDone } = conversation(page);
  await ask('Go on for long [[bench 30000]] [[delay 40]]');
  await expect(answers).toContainText('t0003');
  await page.keyboard.press('Escape');
  await expect(answers.getByText('Stopped', { exact: true })).toBeVisible();
  await expect(message).toBeFocused();

  await page.keyboard.press('ArrowUp');
  const editor = page.getByRole('textbox', { name: 'Edit question' });
  await expect(editor).toBeFocused();
  await expect(editor).toHaveValue('Go on for long [[bench 30000]] [[delay 40]]');
  await page.keyboard.press('Escape');
  await expect(editor).toBeHidden();
  await expect(message).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await editor.fill('');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Message is required')).toBeVisible();
  await editor.fill('Be short');
  await page.keyboard.press('Enter');
  await untilDone();
  await expect(questions).toHaveText([/Be short/]);
  await expect(message).toBeFocused();
});

test('rejects 10,001 characters, and keeps the text', async ({ page }) => {
  const { message, send, questions, untilDone } = conversation(page);
  const beginning = '[[tokens 5]] 🦉';
  // An owl counts as one character.
  const tooLong = beginning + 'x'.repeat(10_001 - [...beginning].length);
  await message.fill(tooLong);
  await expect(page.getByText('10,001/10,000')).toBeVisible();
  await expect(page.getByText('Message cannot exceed 10000 characters')).toBeVisible();
  await expect(send).toBeDisabled();
  await message.press('Enter');
  await expect(message).toHaveValue(tooLong);
  await expect(questions).toHaveCount(0);

  await message.fill(tooLong.slice(0, -1));
  await expect(page.getByText('10,000/10,000')).toBeVisible();
  await send.click();
  await expect(message).toHaveValue('');
  await untilDone();
  await expect(questions).toHaveCount(1);
});

test('keeps the next question out of the conversation while an answer is generated', async ({ page }) => {
  const { message, ask, answers, questions, stop } = conversation(page);
  await ask('Take your time [[bench 30000]] [[delay 40]]');
  await expect(answers).toContainText('t0003');
  await page.keyboard.type('The next one');
  await expect(message).toHaveValue('The next one');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('region', { name: 'Queued messages' })).toContainText('The next one');
  await expect(questions).toHaveCount(1);
  await stop.click();
  await expect(answers.getByText('Stopped', { exact: true })).toBeVisible();
  await expect(page.getByText('The answer was stopped, so these messages wait.')).toBeVisible();
  await expect(questions).toHaveCount(1);
});
