import { conversation } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, request, test } from './fixtures.ts';

const text = 'Write {{count=2}} lines about {{topic}}, {{tone: friendly | formal}}. [[tokens 5]]';

test('saves a prompt and uses it in a message by keyboard', async ({ page, withAssistant }) => {
  await page.goto('/chat');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('prompts');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/prompts$/);
  await page.getByRole('button', { name: 'New Prompt' }).first().click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Lines');
  await page.getByRole('textbox', { name: 'Name' }).fill('/lines');
  await page.getByRole('textbox', { name: 'Text' }).fill(text);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save Prompt' }).click();
  await expect(page.getByRole('button', { name: 'Edit Lines' })).toBeVisible();

  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { questions, answers, untilDone } = conversation(page);
  const message = page.getByLabel('Message', { exact: true });
  await expect(page.getByRole('button', { name: 'Attach files' })).toBeVisible();
  await message.focus();
  await page.keyboard.type('/li');
  await expect(page.getByRole('option', { name: '/lines' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue(text);
  await page.keyboard.type('4');
  await page.keyboard.press('Tab');
  await page.keyboard.type('boats');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('listbox', { name: 'tone' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect(message).toHaveValue('Write 4 lines about boats, formal. [[tokens 5]]');
  await page.keyboard.press('Enter');
  await expect(questions).toContainText('Write 4 lines about boats, formal.');
  await untilDone();
  await expect(answers).toHaveCount(1);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('inserts a prompt and fills it in by touch', async ({ page, roster, withAssistant }) => {
    await request(page, roster, 'POST', '/api/prompts', { name: 'lines', title: 'Lines', text });
    await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
    await page.getByRole('button', { name: 'Attach files' }).tap();
    await page.getByRole('menuitem', { name: 'Insert a prompt' }).tap();
    await page.getByRole('option', { name: '/lines' }).tap();
    await page.getByRole('button', { name: 'Next' }).tap();
    await page.keyboard.type('boats');
    await page.getByRole('button', { name: 'Next' }).tap();
    await page.getByRole('option', { name: 'formal' }).tap();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Send message' }).tap();
    await expect(conversation(page).questions).toContainText('Write 2 lines about boats, formal.');
  });
});
