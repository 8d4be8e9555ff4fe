import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  goodKey,
  newEmail,
  password,
  request,
  test,
  toasts,
  untilUsable,
} from './fixtures.ts';
import type { Roster } from './roster.ts';

const megabyte = 1_048_576;
const text = (name: string, content: string | Buffer = 'Hello') => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});
/** An image of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Upload Files' });
const queued = (page: Page, name: string) => dialog(page).getByRole('listitem').filter({ hasText: name });
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
const names = (page: Page) => page.getByRole('table', { name: 'Files' }).locator('tbody button[title]');
const card = (page: Page, label: string) =>
  page
    .getByRole('main')
    .getByRole('definition')
    .filter({ visible: true })
    .nth(['Total Files', 'Storage Used', 'Files Used by AI'].indexOf(label));

async function openFiles(page: Page) {
  await page.goto('/files');
  await expect(page.getByRole('heading', { name: 'File Management' })).toBeVisible();
  // The server renders the same; dropping needs the application.
  await untilUsable(page);
}

async function openDialog(page: Page, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) {
  await page.getByRole('button', { name: 'Upload Files' }).first().click();
  await dialog(page).locator('input[type=file]').setInputFiles(files);
}

/** Stores a file through the API. */
async function store(
  page: Page,
  roster: Roster,
  name: string,
  content: string | Buffer = 'Hello',
  purpose = 'assistants',
) {
  const answer = await page.request.post(`${roster.url}/api/files/upload`, {
    headers: { origin: roster.url },
    multipart: { purpose, file: text(name, content) },
  });
  expect(answer.status(), await answer.text()).toBe(201);
}

/** Slow enough to look at the progress. */
async function slowUploads(page: Page, bytesPerSecond: number) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const limit = (uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await limit(bytesPerSecond);
  return () => limit(-1);
}

test('sends several files one after the other, and marks before what the server would reject', {
  tag: '@main',
}, async ({ page, signedIn: _ }) => {
  await openFiles(page);
  await untilUsable(page);
  await expect(page.getByText('No files uploaded yet')).toBeVisible();
  await expect(card(page, 'Storage Used')).toHaveText('0 MB');

  await page.getByRole('button', { name: 'Upload Files' }).first().click();
  await expect(dialog(page)).toContainText('Maximum 50MB per file. Recommended: PDF, text, CSV, JSONL and code files.');
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'No files selected', 'Please select at least one file to upload');

  const chat = '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}\n';
  const input = dialog(page).locator('input[type=file]');
  await input.setInputFiles([
    text('notes.txt', Buffer.alloc(megabyte, 'a')),
    text('examples.jsonl', chat.repeat(12)),
    text('empty.txt', ''),
  ]);
  // Created in the page: larger than Playwright can send.
  await input.evaluate((element: HTMLInputElement) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(52_428_801)], 'large.bin'));
    element.files = transfer.files;
    element.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await expect(queued(page, 'empty.txt')).toContainText('This file is empty.');
  await expect(queued(page, 'large.bin')).toContainText('the maximum is 50MB per file');
  await expect(queued(page, 'notes.txt')).toContainText('1.00 MB · text/plain');
  await expect(page.getByLabel('Purpose of notes.txt')).toHaveValue('assistants');
  await expect(page.getByLabel('Purpose of examples.jsonl')).toHaveValue('fine-tune');
  await page.getByLabel('Purpose of notes.txt').selectOption('Messages');
  await expect(queued(page, 'notes.txt')).toContainText('Attached to messages in a chat.');

  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'Upload successful', '2 files uploaded, 0 failed.');
  await expect(dialog(page)).toBeHidden();
  await expect(names(page)).toHaveText(['examples.jsonl', 'notes.txt']);
  await expect(row(page, 'notes.txt')).toContainText('Messages');
  await expect(row(page, 'notes.txt')).toContainText('1.00 MB');
  await expect(row(page, 'notes.txt')).toContainText(
    new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date()),
  );
  await expect(row(page, 'examples.jsonl')).toContainText('Fine-tuning');
  await expect(card(page, 'Total Files')).toHaveText('2');
  await expect(card(page, 'Storage Used')).toHaveText('1.00 MB');
  await expect(card(page, 'Files Used by AI')).toHaveText('0');
});

test('shows progress, cancels, sends again, and asks before leaving', async ({ page, signedIn: _ }) => {
  await page.goto('/');
  await untilUsable(page);
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  const fullSpeed = await slowUploads(page, 120_000);
  // The second one is slow too: what is sent again while it arrives is announced with it.
  const second = text('second.txt', Buffer.alloc(megabyte, 'b'));
  await openDialog(page, [text('slow.bin', Buffer.alloc(4 * megabyte, 'a')), second]);
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();
  const slow = queued(page, 'slow.bin');
  await expect(slow).toContainText(/\d\.\d\d MB of 4\.00 MB · \d\.\d\d MB\/s · \d+ s left/);
  await expect(queued(page, 'second.txt')).toContainText('Files your assistants search');
  await expect(dialog(page)).toContainText('0 of 2 files uploaded, 0%');

  const question = page.getByRole('alertdialog', { name: 'Stop uploading?' });
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Keep uploading' }).click();
  await page.goBack();
  await question.getByRole('button', { name: 'Keep uploading' }).click();
  await expect(page).toHaveURL('/files');
  const warning = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.reload()));
  expect((await warning).type()).toBe('beforeunload');
  await (await warning).dismiss();
  await expect(slow).toContainText('of 4.00 MB');

  await slow.getByRole('button', { name: 'Cancel slow.bin' }).click();
  await expect(slow).toContainText('Cancelled');
  await slow.getByRole('button', { name: 'Retry slow.bin' }).click();
  await fullSpeed();
  await expectToast(page, 'Upload successful', '2 files uploaded, 0 failed.');
  await expect(dialog(page)).toBeHidden();
  await expect(names(page)).toHaveText(['slow.bin', 'second.txt']);
});

test('says why an upload failed, keeps it in view, and retries', async ({ page, signedIn: _ }) => {
  await openFiles(page);
  await untilUsable(page);
  await page.route('**/api/files/upload', (route) =>
    route.fulfill({ status: 507, json: { code: 'no_space', message: 'The server is out of storage for files.' } }),
  );
  await openDialog(page, text('notes.txt'));
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await expectToast(page, 'Upload failed', 'The server is out of storage for files.');
  await expect(queued(page, 'notes.txt')).toContainText('The server is out of storage for files.');
  await page.unroute('**/api/files/upload');
  await page.route('**/api/files/upload', (route) => route.abort(), { times: 1 });
  await dialog(page).getByRole('button', { name: 'Retry All' }).click();
  await expectToast(page, 'Upload failed', 'Failed to upload file');
  await page.getByRole('button', { name: 'Retry notes.txt' }).click();
  await expectToast(page, 'Upload successful', '1 file uploaded, 0 failed.');
  await expect(dialog(page)).toBeHidden();
  await expect(names(page)).toHaveText(['notes.txt']);
});

test('prepares files dropped anywhere on the page for sending', async ({ page, signedIn: _ }) => {
  await openFiles(page);
  await untilUsable(page);
  const transfer = await page.evaluateHandle(() => {
    const made = new DataTransfer();
    made.items.add(new File(['Hello'], 'dropped.txt', { type: 'text/plain' }));
    return made;
  });
  const main = page.getByRole('main');
  await main.dispatchEvent('dragover', { dataTransfer: transfer });
  await expect(page.getByText('Drop files to upload them')).toBeVisible();
  await main.dispatchEvent('drop', { dataTransfer: transfer });
  await expect(queued(page, 'dropped.txt')).toBeVisible();
  await dialog(page).dispatchEvent('drop', { dataTransfer: transfer });
  await expect(queued(page, 'dropped.txt')).toHaveCount(2);
});

test('chooses, sends, previews and deletes by keyboard alone', async ({ page, signedIn: _ }) => {
  // File choosers are intercepted from here on: requesting that when one opens may be too late on a busy machine.
  page.on('filechooser', () => undefined);
  await openFiles(page);
  await untilUsable(page);
  await page.getByRole('button', { name: 'Upload Files' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('button', { name: 'Browse Files' })).toBeFocused();
  const chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(text('typed.txt', 'Only keys'));
  await expect(queued(page, 'typed.txt')).toBeVisible();
  for (const name of ['Purpose of typed.txt', 'Remove typed.txt', 'Cancel', 'Upload']) {
    await page.keyboard.press('Tab');
    await expect(
      dialog(page)
        .getByLabel(name, { exact: true })
        .or(dialog(page).getByRole('button', { name, exact: true })),
    ).toBeFocused();
  }
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeHidden();
  await page.getByRole('button', { name: 'typed.txt', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'typed.txt' })).toContainText('Only keys');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'typed.txt', exact: true })).toBeFocused();
  await page.getByRole('button', { name: 'Delete typed.txt' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('No files uploaded yet')).toBeVisible();
});

test('downloads a file byte for byte, and runs nothing in previews', async ({ page, roster, signedIn: _ }) => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 256));
  await store(page, roster, 'data.bin', bytes);
  await store(page, roster, 'long.txt', 'word '.repeat(20_000));
  await store(page, roster, 'people.csv', 'name,city\n"Lovelace, Ada",London\n');
  await store(page, roster, 'page.html', '<script>document.title = "run"</script>');
  // The name lies; the bytes decide the type.
  await store(page, roster, 'pixel.txt', pixel);
  await store(page, roster, 'paper.pdf', '%PDF-1.7 paper');
  await openFiles(page);
  await untilUsable(page);

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download data.bin' }).click();
  const loaded = await download;
  expect(loaded.suggestedFilename()).toBe('data.bin');
  const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  expect(sha256(await readFile(await loaded.path()))).toBe(sha256(bytes));

  const look = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    return page.getByRole('dialog', { name });
  };
  const close = () => page.keyboard.press('Escape');
  const long = await look('long.txt');
  await expect(long).toContainText('word word');
  await expect(long).toContainText('Only the first 64 KB are shown.');
  await close();
  const people = await look('people.csv');
  await expect(people.getByRole('columnheader')).toHaveText(['name', 'city']);
  await expect(people.getByRole('cell')).toHaveText(['Lovelace, Ada', 'London']);
  await expectAccessible(page);
  await close();
  await expect(await look('page.html')).toContainText('<script>document.title = "run"</script>');
  await expect(page).toHaveTitle('File Management · Roster');
  await close();
  const picture = (await look('pixel.txt')).getByRole('img', { name: 'pixel.txt' });
  await expect(picture).toHaveJSProperty('naturalWidth', 1);
  await close();
  await expect(await look('paper.pdf')).toContainText('PDF document');
  await close();
  await expect(await look('data.bin')).toContainText('No preview');
  await close();
  const { body } = await request(page, roster, 'GET', '/api/files?q=long');
  expect((await request(page, roster, 'DELETE', `/api/files/${body[0].id}`)).status).toBe(200);
  const gone = await look('long.txt');
  await expect(gone).toContainText('This file was deleted');
  await expect(gone.getByRole('link', { name: 'Download' })).toHaveCount(0);
});

test('shows the state of the copy at the provider, and updates it by itself', async ({ page, roster, signedIn: _ }) => {
  await store(page, roster, 'notes.txt');
  await openFiles(page);
  await untilUsable(page);
  await expect(row(page, 'notes.txt')).toContainText('Waiting for key');
  await row(page, 'notes.txt').getByRole('link', { name: 'add your API key' }).click();
  // A separate key, so that its faults affect nobody else.
  const key = `${goodKey}-${process.pid}-files`;
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Save API Key' }).click();
  await expect(page.getByText('API Key is set')).toBeVisible();
  await page.getByRole('link', { name: 'Files' }).click();
  await expect(row(page, 'notes.txt')).toContainText('Ready at OpenAI');

  await roster.fault(key, { status: 400, error: { message: 'This kind of file is not taken.' } });
  await openDialog(page, text('refused.md'));
  await dialog(page).getByRole('button', { name: 'Upload', exact: true }).click();
  await expect(row(page, 'refused.md')).toContainText('This kind of file is not taken.');
  await row(page, 'refused.md').getByRole('button', { name: 'Try again to forward refused.md' }).click();
  await expect(row(page, 'refused.md')).toContainText('Ready at OpenAI');

  await roster.fault(key, { status: 403, error: { message: 'This key may not delete files.' } }, 3);
  await page.getByRole('button', { name: 'Delete refused.md' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(toasts(page).filter({ hasText: 'refused.md has been deleted.' })).toContainText('Roster keeps trying.');
  const notice = page.getByRole('status').filter({ hasText: 'still being removed at OpenAI' });
  await expect(notice).toContainText('refused.md');
  await expect(names(page)).toHaveText(['notes.txt']);
});

test('fits phones, and has no serious axe findings in either theme', async ({ page, roster }) => {
  await request(page, roster, 'POST', '/api/register', { email: newEmail(), password });
  await store(page, roster, `${'long-name-'.repeat(20)}.txt`);
  await followDevice(page);
  await openFiles(page);
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
    ['light', 320],
    ['dark', 768],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme);
    await expect(page.getByRole('button', { name: /^long-name/ })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await openDialog(page, [text('a.txt'), text(`${'b'.repeat(200)}.txt`), text('empty', '')]);
    await expect(queued(page, 'empty')).toContainText('This file is empty.');
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Delete long-name/ }).click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('alertdialog')).toBeHidden();
  }
});

test('keeps search, order and purpose in the address, over a reload and Back', async ({
  page,
  roster,
  signedIn: _,
}) => {
  for (const name of ['alpha.txt', 'beta 2026.txt', 'gamma 2026.txt']) await store(page, roster, name);
  await page.goto('/files');
  await page.getByRole('searchbox', { name: 'Search files' }).fill('2026');
  await expect(names(page)).toHaveText(['gamma 2026.txt', 'beta 2026.txt']);
  await page.getByLabel('Sort by').selectOption('Filename');
  await page.getByLabel('Purpose', { exact: true }).selectOption('Assistants');
  await expect(names(page)).toHaveText(['beta 2026.txt', 'gamma 2026.txt']);
  const asChosen = async () => {
    await expect(page.getByRole('searchbox', { name: 'Search files' })).toHaveValue('2026');
    await expect(page.getByLabel('Sort by')).toHaveValue('name');
    await expect(page.getByLabel('Purpose', { exact: true })).toHaveValue('assistants');
    await expect(names(page)).toHaveText(['beta 2026.txt', 'gamma 2026.txt']);
  };
  await page.reload();
  await asChosen();
  await page.getByRole('link', { name: 'Analytics' }).first().click();
  await expect(page).toHaveURL('/analytics');
  await page.goBack();
  await asChosen();
  await page.goto('/files?sort=tidy&purpose=fun');
  await expect(names(page)).toHaveText(['gamma 2026.txt', 'beta 2026.txt', 'alpha.txt']);
});
