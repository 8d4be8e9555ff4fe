import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import { expect, request, test } from './fixtures.ts';

const list = (page: Page) => page.getByRole('navigation', { name: 'Recent conversations' });
const row = (page: Page, title: string) => list(page).getByRole('link', { name: title });

async function choose(page: Page, title: string, action: string) {
  await row(page, title).hover();
  await page.getByRole('button', { name: `Actions for ${title}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

test('conversations are renamed, pinned and archived', async ({ page, roster, withAssistant }) => {
  await startThread(page, roster, { title: 'Older' });
  await startThread(page, roster, { title: 'Newer' });
  await page.goto('/chat');
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  const links = list(page).getByRole('link');
  await expect(links).toHaveText(['Newer', 'Older']);
  await expect(list(page).getByRole('heading')).toHaveText(['Today']);

  await choose(page, 'Older', 'Rename');
  const title = page.getByRole('textbox', { name: 'Title of the conversation' });
  await expect(title).toBeFocused();
  await title.fill('   ');
  await title.press('Enter');
  await expect(page.getByText('Title is required')).toBeVisible();
  await title.fill('t'.repeat(256));
  await title.press('Enter');
  await expect(page.getByText('Title cannot exceed 255 characters')).toBeVisible();
  await title.press('Escape');
  await expect(links).toHaveText(['Newer', 'Older']);
  await choose(page, 'Older', 'Rename');
  await title.fill('Harbour');
  await title.press('Enter');
  await expect(links).toHaveText(['Newer', 'Harbour']);

  await choose(page, 'Harbour', 'Pin');
  await expect(links).toHaveText(['Harbour', 'Newer']);
  await expect(list(page).getByRole('heading')).toHaveText(['Pinned', 'Today']);
  await choose(page, 'Harbour', 'Unpin');
  await expect(list(page).getByRole('heading')).toHaveText(['Today']);

  await choose(page, 'Harbour', 'Archive');
  await expect(links).toHaveText(['Newer']);
  await page.getByRole('button', { name: 'Show archived conversations' }).click();
  await expect(page.getByRole('heading', { name: 'Archived Conversations' })).toBeVisible();
  const archive = page.getByRole('navigation', { name: 'Archived conversations' });
  await archive.getByRole('link', { name: 'Harbour' }).hover();
  await page.getByRole('button', { name: 'Actions for Harbour' }).click();
  await page.getByRole('menuitem', { name: 'Move out of the archive' }).click();
  await expect(page.getByText('Nothing archived')).toBeVisible();
  await page.getByRole('button', { name: 'Back to recent conversations' }).click();
  await expect(links).toHaveCount(2);
  await page.reload();
  await expect(row(page, 'Harbour')).toBeVisible();
});

test('deleting asks, names the conversation, and takes it away', async ({ page, roster, withAssistant }) => {
  const id = await startThread(page, roster, { title: 'Not needed any more' });
  await page.goto(`/chat/${id}`);
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete Conversation' });
  await expect(dialog).toContainText(
    'Are you sure you want to delete Not needed any more with all its messages? This action cannot be undone.',
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(page, 'Not needed any more')).toBeVisible();
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No conversations yet')).toBeVisible();
  await expect(page).toHaveURL('/chat');
  await page.goto(`/chat/${id}`);
  await expect(page.getByText('This conversation is not there')).toBeVisible();
});

test('a conversation is exported as Markdown and as JSON', async ({ page, roster, withAssistant }) => {
  const { assistantId } = withAssistant;
  const id = await startThread(page, roster, { title: 'Tides & harbours', assistantId });
  await exchange(page, roster, id, 'When is high water?');
  await page.goto(`/chat/${id}`);
  const exported = async (format: string) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Conversation actions' }).click();
    await page.getByRole('menuitem', { name: `Export as ${format}` }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };
  const markdown = await exported('Markdown');
  expect(markdown.name).toBe('Tides-harbours.md');
  expect(markdown.text).toContain('# Tides & harbours');
  expect(markdown.text).toContain('When is high water?');
  expect(markdown.text).toContain('You wrote: “When is high water?”');
  const json = await exported('JSON');
  expect(json.name).toBe('Tides-harbours.json');
  expect(JSON.parse(json.text)).toMatchObject({
    format: 'roster.conversation',
    thread: { title: 'Tides & harbours' },
    messages: [{ role: 'user', text: 'When is high water?' }, { role: 'assistant' }],
  });
  await expect(page).toHaveURL(`/chat/${id}`);
});

test('a search finds words in messages and opens the conversation there', async ({ page, roster, withAssistant }) => {
  const { assistantId } = withAssistant;
  const id = await startThread(page, roster, { title: 'A long talk', assistantId });
  await exchange(page, roster, id, 'Where do lighthouse keepers live?');
  for (let count = 1; count <= 8; count++)
    await exchange(page, roster, id, `Filler ${count} [[tokens 300]] [[delay 0]]`);
  await startThread(page, roster, { title: 'Something else' });
  await page.goto('/chat');
  const search = page.getByRole('searchbox', { name: 'Search conversations' });
  await search.fill('keepers');
  await expect(page.getByRole('heading', { name: 'Found' })).toBeVisible();
  await expect(list(page).getByRole('link')).toHaveCount(1);
  await expect(list(page).locator('mark').first()).toHaveText('keepers');
  await row(page, 'A long talk').click();
  await expect(page).toHaveURL(`/chat/${id}`);
  const { answers, questions } = conversation(page);
  const hit = page.getByRole('article').filter({ hasText: 'lighthouse keepers' }).last();
  await expect(hit).toBeInViewport();
  await expect(answers.filter({ hasText: 'Filler 8' })).toHaveCount(0);
  await expect(questions.filter({ hasText: 'Filler 8' })).toHaveCount(0);

  await search.fill('nothing has these words');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await expect(page.getByText('No conversation contains “nothing has these words”.')).toBeVisible();
  await search.press('Escape');
  await expect(search).toHaveValue('');
  await expect(list(page).getByRole('link')).toHaveCount(2);
  await search.fill('nothing has these words');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(search).toHaveValue('');
  await expect(search).toBeFocused();
  await expect(list(page).getByRole('link')).toHaveCount(2);
});

test('a list of many conversations scrolls to its end', async ({ page, roster, withAssistant }) => {
  for (let first = 1; first <= 120; first += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => startThread(page, roster, { title: `Conversation ${first + index}` })),
    );
  const all = await request(page, roster, 'GET', '/api/threads?limit=100');
  const { body: rest } = await request(page, roster, 'GET', `/api/threads?limit=100&cursor=${all.body.nextCursor}`);
  const last = rest.items.at(-1).title;
  await page.goto('/chat');
  await expect(page.getByText(withAssistant.email).first()).toBeVisible();
  await expect(row(page, all.body.items[0].title)).toBeVisible();
  await expect(page.getByRole('link', { name: last, exact: true })).toHaveCount(0);
  await list(page).hover();
  await expect(async () => {
    await page.mouse.wheel(0, 3000);
    await expect(page.getByRole('link', { name: last, exact: true })).toBeInViewport({ timeout: 200 });
  }).toPass();
});

test('the default assistant is the first to start a chat with', async ({ page, roster, withAssistant }) => {
  for (const name of ['Second', 'Third'])
    await request(page, roster, 'POST', '/api/assistants', { name, model: 'gpt-4o' });
  const { assistantId } = withAssistant;
  await request(page, roster, 'POST', '/api/settings/default-assistant', { assistantId });
  await page.goto('/chat');
  const assistants = page.getByRole('region', { name: 'Your Assistants' }).getByRole('listitem');
  await expect(assistants).toHaveText([/^Tutor/, /^Third/, /^Second/]);
});

test('an answer that is being written is found as soon as it has ended', async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const talk = conversation(page);
  await talk.ask('Count for me [[bench 300]] [[delay 10]]');
  await expect(talk.answers).toContainText('t0003');
  const search = page.getByRole('searchbox', { name: 'Search conversations' });
  await search.fill('t0299');
  await expect(page.getByText('can be found once it has ended')).toBeVisible();
  await talk.untilDone();
  await expect(page.getByRole('navigation', { name: 'Recent conversations' })).toContainText('t0299');
});
