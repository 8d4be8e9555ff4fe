import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  goodKey,
  leaveAllPages,
  newEmail,
  password,
  request,
  test,
  toasts,
} from './fixtures.ts';
import { holdUploads, untilAskedToWait } from './held-uploads.ts';
import { startRoster } from './roster.ts';

const panel = (page: Page) => page.getByRole('dialog', { name: 'Edit Assistant' });
const rows = (page: Page) => page.getByRole('list', { name: 'Files of this assistant' }).getByRole('listitem');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

async function openForm(page: Page) {
  await page.goto('/settings?tab=assistants');
  await page.getByRole('button', { name: 'Edit Tutor' }).click();
  await expect(panel(page).getByRole('heading', { name: 'Files' })).toBeVisible();
}

const choose = (page: Page, ...files: { name: string; text: string }[]) =>
  page
    .getByLabel('Upload files for this assistant')
    .setInputFiles(files.map(({ name, text }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })));

async function store(page: Page, url: string, name: string) {
  const answer = await page.request.fetch(`${url}/api/files/upload`, {
    method: 'POST',
    headers: { origin: url },
    multipart: { purpose: 'assistants', file: { name, mimeType: 'text/plain', buffer: Buffer.from(name) } },
  });
  expect(answer.status()).toBe(201);
  return (await answer.json()).id;
}

test('uploads and selects files, indexes and searches them, and names them under the answer', async ({
  page,
  roster,
  withAssistant,
}) => {
  await store(page, roster.url, 'opening-hours.md');
  await store(page, roster.url, 'prices.csv');
  await openForm(page);
  await expect(panel(page).getByText('No files yet. Answers use the model’s own knowledge.')).toBeVisible();
  await expectAccessible(page);

  await choose(page, { name: 'handbook.md', text: 'Ferns like shade.' });
  await expect(row(page, 'handbook.md')).toContainText(/Waiting|Indexing…/);
  await panel(page).getByRole('button', { name: 'Add files' }).click();
  await page.getByRole('searchbox', { name: 'Search your files' }).fill('hours');
  await expect(page.getByRole('checkbox')).toHaveCount(1);
  await page.getByRole('checkbox', { name: /opening-hours/ }).check();
  await page.getByRole('searchbox', { name: 'Search your files' }).fill('');
  // The file is already selected, which is shown.
  await expect(page.getByRole('checkbox', { name: /handbook/ })).toBeDisabled();
  await expect(page.getByRole('checkbox', { name: /prices/ })).toBeDisabled();
  await expect(panel(page)).toContainText('Tables and data files (.csv) cannot be searched.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Add 1' }).click();
  await expect(panel(page).getByRole('button', { name: 'Add files' })).toBeFocused();
  // A device allows such a file to be chosen anyway.
  await choose(page, { name: 'prices.csv', text: 'fern,12.50' });
  await expect(rows(page)).toHaveCount(3);
  await expect(row(page, 'handbook.md')).toContainText('Ready');
  await expect(row(page, 'opening-hours.md')).toContainText('Ready');
  await expect(row(page, 'prices.csv')).toContainText('Tables and data files (.csv) cannot be searched.');
  await expectAccessible(page);
  await row(page, 'prices.csv').getByRole('button', { name: 'Retry prices.csv' }).click();
  await expectToast(page, 'Failed to index the file', 'Attach it to a message instead.');
  await row(page, 'prices.csv').getByRole('button', { name: 'Remove prices.csv' }).click();
  await expect(rows(page)).toHaveCount(2);
  await panel(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'Tutor' })).toContainText('2 files');

  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { message, send, answers, untilDone } = conversation(page);
  await message.fill('What do ferns like?');
  await send.click();
  await untilDone();
  // The best match first, whichever that is.
  const sources = /^Sources: (handbook\.md, opening-hours\.md|opening-hours\.md, handbook\.md)$/;
  await expect(answers.getByText(sources)).toBeVisible();
  await page.reload();
  await expect(answers.getByText(sources)).toBeVisible();
  await expectAccessible(page);

  await page.goto('/files');
  await expect(page.getByText('Files Used by AI')).toBeVisible();
});

test('makes an upload wait while the server accepts no more', async ({ page, roster, withAssistant }) => {
  await openForm(page);
  await expect(page.getByText(withAssistant.email).first()).toBeAttached();
  const held = await holdUploads(page, roster);
  const asked = untilAskedToWait(page);
  await choose(page, { name: 'handbook.md', text: 'Ferns like shade.' });
  await asked;
  await expect(panel(page).getByText('Uploading handbook.md')).toBeVisible();
  held.release();
  await expect(row(page, 'handbook.md')).toContainText('Ready');
  await expect(toasts(page)).toHaveCount(0);
});

test('names a provider without file search, and continues the chat', async ({ page }) => {
  await using roster = await startRoster({ without: ['vector_stores'] });
  await request(page, roster, 'POST', '/api/register', { email: newEmail(), password });
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  const { body } = await request(page, roster, 'POST', '/api/assistants', { name: 'Tutor', model: 'gpt-4o' });
  const id = await store(page, roster.url, 'handbook.md');
  await request(page, roster, 'POST', `/api/assistants/${body.id}/files`, { fileIds: [id] });
  await page.goto(`${roster.url}/settings?tab=assistants`);
  await page.getByRole('button', { name: 'Edit Tutor' }).click();
  await expect(row(page, 'handbook.md')).toContainText('OpenAI has no file search.');
  await page.goto(`${roster.url}/chat?assistant=${body.id}`);
  const { message, send, answers, untilDone } = conversation(page);
  await message.fill('Hello');
  await send.click();
  await untilDone();
  await expect(answers).toContainText('The assistant’s files could not be searched: OpenAI has no file search.');
  await leaveAllPages(page.context());
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 320, height: 700 }, hasTouch: true, isMobile: true });

  test('fits the files', async ({ page, roster, withAssistant }) => {
    const id = await store(page, roster.url, `${'a-very-long-name-'.repeat(8)}.md`);
    await request(page, roster, 'POST', `/api/assistants/${withAssistant.assistantId}/files`, { fileIds: [id] });
    await openForm(page);
    await expect(rows(page)).toContainText('Ready');
    await panel(page).getByRole('button', { name: 'Add files' }).tap();
    await expect(page.getByRole('searchbox', { name: 'Search your files' })).toBeVisible();
    await expectNoSidewaysScroll(page);
    const wide = await panel(page).evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(wide).toBe(false);
    await expectAccessible(page);
  });
});
