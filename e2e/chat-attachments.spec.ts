import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { createDataTransfer, type Given, pasteInto } from './drop-and-paste.ts';
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
  request,
  test,
  toasts,
} from './fixtures.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const image = { name: 'dot.png', mimeType: 'image/png', buffer: png };
const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Moss grows in the shade.') };

function attachments(page: Page) {
  const list = page.getByRole('list', { name: 'Attachments' });
  const button = page.getByRole('button', { name: 'Attach files' });
  const upload = page.getByRole('menuitem', { name: 'Upload from this device' });
  const dialog = page.getByRole('dialog', { name: 'Attach from Your Files' });
  return {
    button,
    upload,
    dialog,
    stored: dialog.getByRole('list', { name: 'Your files' }).getByRole('listitem'),
    async openStored() {
      await button.click();
      await page.getByRole('menuitem', { name: 'From your files' }).click();
      await expect(dialog).toBeVisible();
    },
    chips: list.getByRole('listitem'),
    /** Uses the system's own dialog. */
    async pick(...files: Given[]) {
      const chooser = page.waitForEvent('filechooser');
      await button.click();
      await upload.click();
      await (await chooser).setFiles(files);
    },
    async paste(...files: Given[]) {
      await pasteInto(page, 'Message', files);
    },
    untilUploaded: (count: number) =>
      expect(page.getByText(`${count} of ${count} ${count === 1 ? 'file' : 'files'} attached`)).toBeAttached(),
  };
}

const preview = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

/** Stores files under Files without the interface. */
async function store(page: Page, ...files: Given[]) {
  const given = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, text: buffer.toString('latin1') }));
  const statuses = await page.evaluate(async (list) => {
    const done = [];
    for (const { name, mimeType, text } of list) {
      const form = new FormData();
      form.set('purpose', 'assistants');
      form.set('file', new File([Uint8Array.from(text, (one) => one.charCodeAt(0))], name, { type: mimeType }));
      done.push((await fetch('/api/files/upload', { method: 'POST', body: form })).status);
    }
    return done;
  }, given);
  expect(statuses).toEqual(files.map(() => 201));
}

test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
});

test('picks files, sends them with the message, shows them with the question, and downloads them', {
  tag: '@main',
}, async ({ page }) => {
  const { message, answers, questions, untilDone } = conversation(page);
  const { pick, chips, untilUploaded } = attachments(page);
  await pick(image, notes);
  await expect(chips).toHaveText([/dot\.png/, /notes\.txt/]);
  await untilUploaded(2);
  await expectAccessible(page);
  await expect(message).toBeFocused();
  await page.keyboard.type('What is in these?');
  await page.keyboard.press('Enter');
  await untilDone();
  await expect(chips).toHaveCount(0);
  await expect(answers).toContainText('I received an image.');
  await expect(answers).toContainText('Moss grows in the shade.');

  await expect(questions).toContainText('What is in these?');
  const attached = questions.getByRole('list', { name: 'Attached files' });
  await expect(attached.getByRole('listitem')).toHaveText([/dot\.png/, /notes\.txt/]);
  await expect(attached.locator('img')).toHaveJSProperty('naturalWidth', 1);
  const download = page.waitForEvent('download');
  await attached.getByRole('button', { name: 'Preview notes.txt' }).click();
  await preview(page, 'notes.txt').getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('notes.txt');

  await page.reload();
  await expect(attached.getByRole('listitem')).toHaveText([/dot\.png/, /notes\.txt/]);
});

test('previews attached files, and returns the keyboard focus to them', async ({ page, roster }) => {
  const { message, questions, untilDone } = conversation(page);
  const { pick, chips, untilUploaded } = attachments(page);
  const people = 'name,city\n"Lovelace, Ada",London\n';
  await pick(
    image,
    notes,
    { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(people) },
    { name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 paper') },
  );
  await untilUploaded(4);
  const chip = chips.getByRole('button', { name: 'Preview notes.txt' });
  await chip.press('Enter');
  await expect(preview(page, 'notes.txt')).toContainText('Moss grows in the shade.');
  await page.keyboard.press('Escape');
  await expect(preview(page, 'notes.txt')).toBeHidden();
  await expect(chip).toBeFocused();
  await chips.getByRole('button', { name: 'Preview dot.png' }).click();
  await expect(preview(page, 'dot.png').getByRole('img', { name: 'dot.png' })).toHaveJSProperty('naturalWidth', 1);
  await page.keyboard.press('Escape');

  await message.fill('What is in these?');
  await message.press('Enter');
  await untilDone();
  const sent = (name: string) => questions.getByRole('button', { name: `Preview ${name}` });
  await sent('dot.png').click();
  await expect(preview(page, 'dot.png').getByRole('img', { name: 'dot.png' })).toHaveJSProperty('naturalWidth', 1);
  await preview(page, 'dot.png').getByRole('button', { name: 'Close' }).click();
  await sent('people.csv').press('Enter');
  await expect(preview(page, 'people.csv').getByRole('cell')).toHaveText(['Lovelace, Ada', 'London']);
  await page.keyboard.press('Escape');
  await expect(sent('people.csv')).toBeFocused();
  await sent('paper.pdf').press('Space');
  await expect(preview(page, 'paper.pdf')).toContainText('PDF document');
  await page.keyboard.press('Escape');

  await questions.hover();
  await page.getByRole('button', { name: 'Edit question' }).click();
  const edited = page.getByRole('list', { name: 'Attached files' }).getByRole('button', { name: 'Preview notes.txt' });
  await edited.click();
  await expect(preview(page, 'notes.txt')).toContainText('Moss grows in the shade.');
  await page.keyboard.press('Escape');
  await expect(edited).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'Edit question' })).toHaveValue('What is in these?');
  await page.getByRole('button', { name: 'Cancel' }).click();

  const { body } = await request(page, roster, 'GET', '/api/files?q=notes');
  expect((await request(page, roster, 'DELETE', `/api/files/${body[0].id}`)).status).toBe(200);
  await sent('notes.txt').click();
  await expect(preview(page, 'notes.txt')).toContainText('This file was deleted');
  await expect(preview(page, 'notes.txt').getByRole('link')).toHaveCount(0);
  await expectAccessible(page);
});

test('keeps the preview open while an answer scrolls its question out of view', async ({ page }) => {
  const { message, answers, questions, stop, untilDone } = conversation(page);
  const { pick, untilUploaded } = attachments(page);
  await pick(notes);
  await untilUploaded(1);
  await message.fill('Tell me much [[tokens 2000]] [[slow 4]] [[delay 2]]');
  await message.press('Enter');
  await expect(stop).toBeVisible();
  await questions.getByRole('button', { name: 'Preview notes.txt' }).click();
  await expect(preview(page, 'notes.txt')).toContainText('Moss grows in the shade.');
  // Elements behind the panel have no role.
  await expect(page.locator('article[aria-label="Question"]')).toHaveCount(0);
  await expect(preview(page, 'notes.txt')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(message).toBeFocused();
  await untilDone();
  await expect(answers).toBeVisible();
});

test('retries a failed preview, and reports one whose code cannot be loaded', async ({ page }) => {
  const { pick, chips, untilUploaded } = attachments(page);
  await pick(notes);
  await untilUploaded(1);
  const chip = chips.getByRole('button', { name: 'Preview notes.txt' });
  const content = /\/api\/files\/\d+\/content/;
  await page.route(content, (route) =>
    route.fulfill({ status: 403, json: { code: 'forbidden', message: 'Not now.' } }),
  );
  await chip.click();
  await expect(preview(page, 'notes.txt')).toContainText('Not now.');
  await page.unroute(content);
  await preview(page, 'notes.txt').getByRole('button', { name: 'Try Again' }).click();
  await expect(preview(page, 'notes.txt')).toContainText('Moss grows in the shade.');

  await page.route('**/assets/attachment-panel-*.js', (route) => route.abort());
  await page.reload();
  await chip.click();
  await expect(toasts(page).filter({ hasText: 'The file cannot be shown' })).toBeVisible();
  await chip.click();
  await expect(toasts(page).filter({ hasText: 'The file cannot be shown' }).last()).toBeVisible();
  await expect(chip).toBeFocused();
});

test('opens nothing for a file that is not stored yet', async ({ page }) => {
  const { pick, chips } = attachments(page);
  const held = Promise.withResolvers<void>();
  await page.route('**/api/files/upload', async (route) => {
    await held.promise;
    await route.abort();
  });
  await pick(notes, image);
  await expect(chips).toHaveText([/notes\.txt.*%/, /dot\.png.*waiting/]);
  await expect(chips.getByRole('button', { name: 'Preview' })).toHaveCount(0);
  held.resolve();
  await expect(chips).toHaveText([/Failed to upload the file/, /Failed to upload the file/]);
  await expect(chips.getByRole('button', { name: 'Preview' })).toHaveCount(0);
});

test('makes a preview accessible in both themes, and fits it on a phone', async ({ page }) => {
  await followDevice(page);
  const { pick, chips, untilUploaded } = attachments(page);
  const row = `${'a long field of it,'.repeat(12)}end\n`;
  await pick(
    image,
    { name: `${'a wordy name of it '.repeat(6)}.csv`, mimeType: 'text/csv', buffer: Buffer.from(row.repeat(3)) },
    { ...notes, buffer: Buffer.from('Moss'.repeat(400)) },
  );
  await untilUploaded(3);
  await page.reload();
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    for (const [index, shown] of (['img', 'table', 'text=MossMoss'] as const).entries()) {
      await chips.nth(index).getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByRole('dialog').locator(shown)).toBeVisible();
      await expectAccessibleInBothThemes(page);
      await expectNoSidewaysScroll(page);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
  }
});

test('accepts dropped and pasted files, and removes one', async ({ page }) => {
  const { ask, answers, questions, untilDone } = conversation(page);
  const { paste, chips, untilUploaded } = attachments(page);
  await ask('Hello [[tokens 5]]');
  await untilDone();
  const pane = page.getByRole('region', { name: 'Messages' });
  const dataTransfer = await createDataTransfer(page, [image]);
  await pane.dispatchEvent('dragenter', { dataTransfer });
  await expect(page.getByText('Drop files to attach them to your message')).toBeVisible();
  await pane.dispatchEvent('drop', { dataTransfer });
  await expect(page.getByText('Drop files to attach them to your message')).toBeHidden();
  await paste(notes, { ...image, name: 'second.png' });
  await untilUploaded(3);
  await page.getByRole('button', { name: 'Remove notes.txt' }).click();
  await expect(chips).toHaveText([/dot\.png/, /second\.png/]);
  await ask('And these?');
  await untilDone();
  await expect(answers.last()).toContainText('I received an image, an image.');
  await expect(questions.last().getByRole('button', { name: 'Preview' })).toHaveCount(2);
});

test('sends a text that is longer than a message as a file', async ({ page }) => {
  const { message, answers, questions, untilDone } = conversation(page);
  const { chips } = attachments(page);
  const long = `Ferns. ${'x'.repeat(10_100)}`;
  await message.fill('Sum this up: ');
  await pasteInto(page, 'Message', [], long);
  await message.fill(`Sum this up: ${long}`);
  await page.getByRole('button', { name: 'Attach as a text file' }).click();
  await expect(message).toHaveValue('Sum this up:');
  await expect(message).toBeFocused();
  await expect(chips).toHaveText([/pasted-text\.txt/]);
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('');
  await untilDone();
  await expect(questions.getByRole('button', { name: 'Preview pasted-text.txt' })).toBeVisible();
  await expect(answers).toContainText('Attached file “pasted-text.txt”: Ferns.');
});

test('waits with sending for the upload, and keeps attachments over a reload', async ({ page }) => {
  const { message, questions, untilDone } = conversation(page);
  const { pick, chips, untilUploaded } = attachments(page);
  await pick(notes);
  await untilUploaded(1);
  await message.fill('Not sent yet');
  await page.reload();
  await expect(chips).toHaveText([/notes\.txt/]);
  await expect(message).toHaveValue('Not sent yet');

  const held = Promise.withResolvers<void>();
  await page.route('**/api/files/upload', async (route) => {
    await held.promise;
    await route.continue();
  });
  await pick(image);
  await expect(page.getByRole('button', { name: 'Remove dot.png' })).toBeVisible();
  await message.press('Enter');
  await expect(page.getByRole('button', { name: 'Send message' })).toHaveAttribute('aria-busy', 'true');
  await expect(questions).toHaveCount(0);
  held.resolve();
  await untilDone();
  await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/, /dot\.png/]);
  await expect(chips).toHaveCount(0);
});

test('reports a failed upload, holds the message back, and retries', async ({ page }) => {
  const { message, send, questions, untilDone } = conversation(page);
  const { pick, chips } = attachments(page);
  await page.route('**/api/files/upload', (route) => route.abort(), { times: 1 });
  await pick(notes);
  await expect(chips).toContainText('Failed to upload the file.');
  await expect(page.getByRole('alert')).toHaveText(
    'Failed to upload a file. Try again, or remove it, to send the message.',
  );
  await message.fill('Read this');
  await expect(send).toBeDisabled();
  await message.press('Enter');
  await expect(message).toHaveValue('Read this');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Upload notes.txt again' }).click();
  await expect(page.getByRole('alert')).toBeHidden();
  await message.press('Enter');
  await untilDone();
  await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/]);
});

test('rejects what a model cannot read with a reason, and keeps text and files', async ({ page }) => {
  const { message, questions, untilDone } = conversation(page);
  const { pick, chips } = attachments(page);
  await pick({ name: 'data.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 0, 254]) }, notes);
  await message.fill('Read this');
  await message.press('Enter');
  await expect(page.getByRole('alert')).toContainText('“data.bin” cannot be read by a model.');
  await expect(message).toHaveValue('Read this');
  await expect(chips).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove data.bin' }).click();
  await message.press('Enter');
  await untilDone();
  await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/]);
});

test('searches stored files, chooses them by keyboard, and sends them', async ({ page }) => {
  const { message, answers, questions, untilDone } = conversation(page);
  const { button, openStored, dialog, stored, pick, chips, untilUploaded } = attachments(page);
  const bytes = (size: number) => Buffer.alloc(size, 'x');
  const given = [
    image,
    notes,
    { name: 'long.txt', mimeType: 'text/plain', buffer: bytes(4_194_305) },
    { name: 'film.mp4', mimeType: 'video/mp4', buffer: bytes(10) },
  ];
  await store(page, ...given);
  await pick({ ...notes, name: 'fresh.txt' });
  await untilUploaded(1);

  await button.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Upload from this device' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const search = dialog.getByRole('searchbox', { name: 'Search your files' });
  await expect(search).toBeFocused();
  await expect(stored).toHaveText([/fresh\.txt/, /film\.mp4/, /long\.txt/, /notes\.txt/, /dot\.png/]);
  await expect(stored.filter({ hasText: 'fresh.txt' })).toContainText('Already attached.');
  await expect(stored.filter({ hasText: 'film.mp4' })).toContainText('Models cannot read this kind of file.');
  await expect(stored.filter({ hasText: 'long.txt' })).toContainText(
    'A text file in a message can have at most 4.00 MB.',
  );
  await expect(stored.filter({ hasText: 'dot.png' })).toContainText('Image, 1 KB');
  await expect(dialog.getByRole('checkbox', { disabled: true })).toHaveCount(3);
  await expectAccessible(page);

  await page.keyboard.type('dot');
  await expect(stored).toHaveText([/dot\.png/]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('checkbox', { name: /dot\.png/ })).toBeFocused();
  await page.keyboard.press('Space');
  await search.fill('nothing of this name');
  await expect(dialog.getByText('No filename contains this.')).toBeVisible();
  await search.fill('');
  await dialog.getByRole('checkbox', { name: /notes\.txt/ }).check();
  await dialog.getByRole('button', { name: 'Attach 2' }).press('Enter');
  await expect(dialog).toBeHidden();
  await expect(message).toBeFocused();
  await expect(chips).toHaveText([/fresh\.txt/, /dot\.png/, /notes\.txt/]);
  await expect(chips.locator('img')).toHaveJSProperty('naturalWidth', 1);
  await page.reload();
  await expect(chips).toHaveText([/fresh\.txt/, /dot\.png/, /notes\.txt/]);

  await openStored();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
  await message.fill('What is in these?');
  await message.press('Enter');
  await untilDone();
  await expect(answers).toContainText('I received an image.');
  await expect(questions.getByRole('listitem')).toHaveText([/fresh\.txt/, /dot\.png/, /notes\.txt/]);
});

test('says that the list of stored files is empty, and retries', async ({ page }) => {
  const { openStored, dialog } = attachments(page);
  const address = /\/api\/files\?/;
  await page.route(address, (route) =>
    route.fulfill({ status: 403, json: { code: 'forbidden', message: 'Not now.' } }),
  );
  await openStored();
  await expect(dialog.getByText('Not now.')).toBeVisible();
  await expectAccessible(page);
  await page.unroute(address);
  await dialog.getByRole('button', { name: 'Try Again' }).click();
  await expect(dialog.getByText('There are no files yet. Upload one instead.')).toBeVisible();
});

for (const [screen, size] of [
  ['a desktop', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
] as const)
  test(`keeps toasts off the composer on ${screen}`, async ({ page }) => {
    await page.setViewportSize(size);
    const { message, send, questions, untilDone } = conversation(page);
    const { paste, chips, untilUploaded } = attachments(page);
    await paste(...Array.from({ length: 21 }, (_, index) => ({ ...notes, name: `notes-${index}.txt` })));
    await untilUploaded(20);
    await expect(chips).toHaveCount(20);
    // It stays while the pointer is over it, so that it can be measured.
    const shown = toasts(page).filter({ hasText: '1 file was left out' });
    await paste({ ...notes, name: 'notes-21.txt' });
    await shown.first().hover();
    await message.fill('One\nTwo\nThree\nFour');
    // The account's own colors, which are painted shortly after the page, remove nothing.
    await page.waitForLoadState('networkidle');
    await expect
      .poll(async () => {
        const [toast, composer] = [await shown.first().boundingBox(), await send.boundingBox()];
        return toast && composer && toast.y + toast.height <= composer.y;
      })
      .toBe(true);
    await send.click();
    await expect(message).toHaveValue('');
    await untilDone();
    await expect(questions).toHaveCount(1);
  });

test('keeps files when a question is edited, and the name of a deleted one', async ({ page, roster }) => {
  const { message, questions, answers, untilDone } = conversation(page);
  const { pick, untilUploaded } = attachments(page);
  await pick(image, notes);
  await untilUploaded(2);
  await message.fill('First words');
  await message.press('Enter');
  await untilDone();
  await questions.hover();
  await page.getByRole('button', { name: 'Edit question' }).click();
  await page.getByRole('button', { name: 'Remove dot.png' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit question' });
  await editor.fill('Second words');
  await editor.press('Enter');
  await expect(questions).toContainText('Second words');
  await untilDone();
  await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/]);
  await expect(answers).toContainText('Moss grows');

  const { body } = await request(page, roster, 'GET', '/api/files?q=notes');
  expect((await request(page, roster, 'DELETE', `/api/files/${body[0].id}`)).status).toBe(200);
  await page.reload();
  await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt\s*Deleted/]);
  await expect(questions.getByRole('button', { name: 'Preview' })).toHaveCount(0);
});

test('on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const { message, questions, untilDone } = conversation(page);
  const { pick, chips, untilUploaded } = attachments(page);
  await pick(image, { ...notes, name: `${'a wordy name of it '.repeat(8)}.txt` }, notes);
  await untilUploaded(3);
  await expect(chips).toHaveCount(3);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await message.fill('What is in these? [[tokens 9]]');
  await message.press('Enter');
  await untilDone();
  await expect(questions.getByRole('listitem')).toHaveCount(3);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});

test('tells a Viewer why nothing can be uploaded, and attaches what is stored', async ({
  page,
  roster,
  elsewhere,
  administrator,
  withAssistant,
}) => {
  const { message, questions, untilDone } = conversation(page);
  const { button, upload, openStored, stored, dialog, paste, chips } = attachments(page);
  await store(page, notes);
  await request(elsewhere, roster, 'POST', '/api/login', {
    email: administrator.email,
    password: 'correct horse battery',
  });
  const { body: me } = await request(page, roster, 'GET', '/api/user');
  const changed = await request(elsewhere, roster, 'PATCH', `/api/admin/users/${me.id}`, { role: 'Viewer' });
  expect(changed.status).toBe(200);
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await button.click();
  await expect(upload).toBeDisabled();
  await expect(upload).toContainText('As a Viewer you can chat');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await message.fill('x'.repeat(10_001));
  await expect(page.getByRole('button', { name: 'Attach as a text file' })).toBeDisabled();
  await paste(notes);
  await expect(toasts(page).filter({ hasText: 'Files cannot be uploaded' })).toBeVisible();
  await expect(chips).toHaveCount(0);
  await openStored();
  await stored.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Attach 1' }).click();
  await message.fill('Read this');
  await message.press('Enter');
  await untilDone();
  await expect(questions.getByRole('listitem')).toHaveText([/notes\.txt/]);
});
