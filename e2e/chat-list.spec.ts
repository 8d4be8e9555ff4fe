import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  isInViewport,
  request,
  test,
  untilUsable,
} from './fixtures.ts';

const list = (page: Page) => page.getByRole('navigation', { name: 'Recent conversations' });
const row = (page: Page, title: string) => list(page).getByRole('link', { name: title });

test('exports a conversation as Markdown and as JSON', async ({ page, roster, withAssistant }) => {
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

test('finds words in messages and opens the conversation there', { tag: '@main' }, async ({
  page,
  roster,
  withAssistant,
}) => {
  const { assistantId } = withAssistant;
  const id = await startThread(page, roster, { title: 'A long talk', assistantId });
  await exchange(page, roster, id, 'Where do lighthouse keepers live?');
  for (let count = 1; count <= 8; count++)
    await exchange(page, roster, id, `Filler ${count} [[tokens 300]] [[delay 0]]`);
  await startThread(page, roster, { title: 'Something else' });
  await page.goto('/chat');
  const search = page.getByRole('searchbox', { name: 'Search conversations' });
  await search.fill('keepers');
  await expect(page.getByRole('heading', { name: 'Search results' })).toBeVisible();
  await expect(list(page).getByRole('link')).toHaveCount(1);
  await expect(list(page).locator('mark').first()).toHaveText('keepers');
  await row(page, 'A long talk').click();
  await expect(page).toHaveURL(`/chat/${id}?q=keepers`);
  const { answers, questions } = conversation(page);
  const hit = page.getByRole('article').filter({ hasText: 'lighthouse keepers' }).last();
  await expect(hit).toBeInViewport();
  await expect(answers.filter({ hasText: 'Filler 8' })).toHaveCount(0);
  await expect(questions.filter({ hasText: 'Filler 8' })).toHaveCount(0);

  await search.fill('"lighthouse keepers" -filler title:long');
  await expect(list(page).locator('mark').nth(1)).toHaveText('lighthouse keepers');
  await page.getByRole('button', { name: 'Filter conversations' }).click();
  await page.getByLabel('Add a filter').selectOption('Files');
  await page.getByLabel('Files', { exact: true }).selectOption('Without files');
  await expect(page.getByRole('button', { name: 'Remove the filter Without files' })).toBeVisible();
  await expect(list(page).getByRole('link')).toHaveCount(1);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/chat');
  await page.getByRole('button', { name: 'Filter conversations' }).click();
  await page.getByLabel('Add a filter').selectOption('Rating');
  await page.getByLabel('Rating', { exact: true }).selectOption('Bad answer');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/chat');

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

test('scrolls a list of many conversations to its end', async ({ page, roster, withAssistant: _ }) => {
  for (let first = 1; first <= 120; first += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => startThread(page, roster, { title: `Conversation ${first + index}` })),
    );
  const all = await request(page, roster, 'GET', '/api/threads?limit=100');
  const { body: rest } = await request(page, roster, 'GET', `/api/threads?limit=100&cursor=${all.body.nextCursor}`);
  const last = rest.items.at(-1).title;
  await page.goto('/chat');
  await untilUsable(page);
  await expect(row(page, all.body.items[0].title)).toBeVisible();
  await expect(page.getByRole('link', { name: last, exact: true })).toHaveCount(0);
  await list(page).hover();
  await expect(async () => {
    await page.mouse.wheel(0, 3000);
    expect(await isInViewport(page.getByRole('link', { name: last, exact: true }))).toBe(true);
  }).toPass();
});

test('finds an answer as soon as it has ended', async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const talk = conversation(page);
  await talk.ask('Count for me [[bench 30000]] [[delay 20]]');
  await expect(talk.answers).toContainText('t0003');
  const search = page.getByRole('searchbox', { name: 'Search conversations' });
  await search.fill('t0399');
  await expect(page.getByText('can be found when it is finished')).toBeVisible();
  await expect(talk.answers).toContainText('t0399');
  await talk.stop.click();
  await expect(page.getByRole('navigation', { name: 'Recent conversations' })).toContainText('t0399');
});
