import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import {
  expect,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
  goodKey,
  request,
  test,
  untilUsable,
} from './fixtures.ts';

/** Pages, each with content that shows it has loaded. */
const publicPages = [
  ['/auth', 'Log in to Roster'],
  ['/auth?tab=register', 'Create your Roster account'],
  ['/request-reset-password', 'Reset'],
  ['/terms', 'Terms of Use'],
  ['/privacy', 'Privacy Policy'],
  ['/nowhere', '404 - Page Not Found'],
] as const;
const ownPages = [
  ['/', 'Your AI Assistant Dashboard'],
  ['/chat', 'Recent Conversations'],
  ['/projects', 'No projects yet'],
  ['/trash', 'The trash is empty'],
  ['/files', 'File Management'],
  ['/prompts', 'No prompts yet'],
  ['/assistants', 'A model with instructions, tools and files of its own'],
  ['/assistants/new', 'Start from a template'],
  ['/analytics', 'Track your API usage and costs'],
  ['/fine-tuning', 'Train models'],
] as const;
const assistantsPage = ['/settings?tab=assistants', 'Your Assistants'] as const;
const settingsPages = [
  ['/settings', 'Account Information'],
  ['/settings?tab=sessions', 'Sign-in date'],
  ['/settings?tab=api-keys', 'Save API Key'],
  assistantsPage,
  ['/settings?tab=assistants&view=api-key', 'Your assistants call OpenAI with this key.'],
  ['/settings?tab=assistants&view=create', 'Instructions'],
  ['/settings?tab=assistants&view=import', 'Import from a JSON file'],
  ['/settings?tab=tools', 'No tool servers yet.'],
  ['/settings?tab=import', 'No earlier imports.'],
  ['/settings?tab=preferences', 'Appearance'],
] as const;

async function open(page: Page, [path, text]: readonly [string, string]) {
  await page.goto(path);
  await expect(page.getByText(text).filter({ visible: true }).first(), path).toBeVisible();
}

/** In both themes and, without reloading, at 320 pixels. */
async function expectWhole(page: Page) {
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
}

test.describe('has no serious axe findings in either theme and no sideways scrolling at 320 pixels', () => {
  test.beforeEach(({ page }) => followDevice(page));

  test('on the pages for visitors', async ({ page }) => {
    for (const entry of publicPages) {
      await open(page, entry);
      await expectWhole(page);
    }
  });

  test('on the pages of a new account', { tag: '@main' }, async ({ page, signedIn: _ }) => {
    for (const entry of [ownPages[0], ownPages[1], assistantsPage]) {
      await open(page, entry);
      await untilUsable(page);
      await expectAccessibleInBothThemes(page);
    }
  });

  for (const [name, pages] of [
    ['the pages', ownPages],
    ['the settings', settingsPages],
  ] as const)
    test(`on ${name} of an account in use`, async ({ page, roster, signedIn: _ }) => {
      await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
      const draft = { name: 'n'.repeat(100), description: 'd'.repeat(500), model: 'gpt-4o' };
      await request(page, roster, 'POST', '/api/assistants', draft);
      for (const entry of pages) {
        await open(page, entry);
        await expectWhole(page);
      }
    });

  test('in a conversation with everything in it, and in its overlays', async ({ page, roster, withAssistant }) => {
    const id = await startThread(page, roster, { title: 'Everything', assistantId: withAssistant.assistantId });
    await exchange(page, roster, id, 'Markdown, table, code, math and a diagram [[delay 0]] [[reasoning]]');
    await exchange(page, roster, id, 'And then? [[quota]]');
    await page.goto(`/chat/${id}`);
    const { answers, message } = conversation(page);
    await expect(answers.last()).toContainText('no credit left');
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Conversation actions' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Attach files, switch tools' }).click();
    await page.getByRole('menuitem', { name: 'Tools in this conversation' }).click();
    const search = page.getByRole('switch', { name: 'Web search' });
    await search.click();
    await expect(search).toBeChecked();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('button', { name: 'Reset: Web search on' })).toBeVisible();
    await message.press('ArrowUp');
    await expect(page.getByRole('textbox', { name: 'Edit question' })).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('option', { name: 'Everything' })).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await page.goto(`/settings?tab=assistants&edit=${withAssistant.assistantId}`);
    await expect(page.getByRole('dialog', { name: 'Edit Assistant' })).toBeVisible();
    await expectAccessibleInBothThemes(page);
  });
});

test('does not scroll a conversation of long words sideways at 320 pixels', async ({ page, roster, signedIn: _ }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  const draft = { name: 'n'.repeat(100), description: 'd'.repeat(500), model: 'gpt-4o' };
  const { body } = await request(page, roster, 'POST', '/api/assistants', draft);
  const id = await startThread(page, roster, { title: 't'.repeat(255), assistantId: body.id });
  await exchange(page, roster, id, `${'w'.repeat(400)} [[hostile]] [[delay 0]]`);
  await exchange(page, roster, id, 'Markdown, table, code, math and a diagram [[delay 0]]');
  await page.goto(`/chat/${id}`);
  const { answers } = conversation(page);
  await expect(answers.last()).toContainText('gpt-4o');
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'Back to the conversations' }).click();
  await expect(page.getByRole('heading', { name: 'Recent Conversations' })).toBeVisible();
  await expectNoSidewaysScroll(page);
});
