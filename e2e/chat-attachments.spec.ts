import type { Page } from '@playwright/test';
import { conversation } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, request, test, toasts } from './fixtures.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const image = { name: 'dot.png', mimeType: 'image/png', buffer: png };
const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Moss grows in the shade.') };

type Given = { name: string; mimeType: string; buffer: Buffer };

/** What the page gets when files are dropped on it or pasted into it. */
const carried = (page: Page, files: Given[]) =>
  page.evaluateHandle(
    (list) => {
      const transfer = new DataTransfer();
      for (const { name, type, bytes } of list) transfer.items.add(new File([Uint8Array.from(bytes)], name, { type }));
      return transfer;
    },
    files.map(({ name, mimeType: type, buffer }) => ({ name, type, bytes: [...buffer] })),
  );

function attachments(page: Page) {
  const list = page.getByRole('list', { name: 'Attachments' });
  return {
    button: page.getByRole('button', { name: 'Attach files' }),
    chips: list.getByRole('listitem'),
    /** Through the system's own dialog. */
    async pick(...files: Given[]) {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Attach files' }).click();
      await (await chooser).setFiles(files);
    },
    async paste(...files: Given[]) {
      const clipboardData = await carried(page, files);
      await conversation(page).message.evaluate((field, data) => {
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      }, clipboardData);
    },
    untilUploaded: (count: number) =>
      expect(page.getByText(`${count} of ${count} ${count === 1 ? 'file' : 'files'} uploaded`)).toBeAttached(),
  };
}

test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
});

test('files are picked, sent with the message, shown with the question, and downloaded again', async ({ page }) => {
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
  await attached.getByRole('link', { name: 'Download notes.txt' }).click();
  expect((await download).suggestedFilename()).toBe('notes.txt');
  await expectAccessible(page);

  await page.reload();
  await expect(attached.getByRole('listitem')).toHaveText([/dot\.png/, /notes\.txt/]);
});

test('files are dropped onto the conversation and pasted, and one is removed again', async ({ page }) => {
  const { ask, answers, questions, untilDone } = conversation(page);
  const { paste, chips, untilUploaded } = attachments(page);
  await ask('Hello [[tokens 5]]');
  await untilDone();
  const pane = page.getByRole('region', { name: 'Messages' });
  const dataTransfer = await carried(page, [image]);
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
  await expect(questions.last().getByRole('link')).toHaveCount(2);
});

test('a text that is longer than a message goes along as a file', async ({ page }) => {
  const { message, answers, questions, untilDone } = conversation(page);
  const { chips } = attachments(page);
  const long = `Ferns. ${'x'.repeat(10_100)}`;
  await message.fill('Sum this up: ');
  await message.evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, long);
  await message.fill(`Sum this up: ${long}`);
  await page.getByRole('button', { name: 'Attach as a text file' }).click();
  await expect(message).toHaveValue('Sum this up:');
  await expect(message).toBeFocused();
  await expect(chips).toHaveText([/pasted-text\.txt/]);
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('');
  await untilDone();
  await expect(questions.getByRole('link', { name: 'Download pasted-text.txt' })).toBeVisible();
  await expect(answers).toContainText('Attached file “pasted-text.txt”: Ferns.');
});

test('sending waits for the upload, and what is attached outlives a reload', async ({ page }) => {
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

test('a failed upload says so, keeps the message back, and is tried again', async ({ page }) => {
  const { message, send, questions, untilDone } = conversation(page);
  const { pick, chips } = attachments(page);
  await page.route('**/api/files/upload', (route) => route.abort(), { times: 1 });
  await pick(notes);
  await expect(chips).toContainText('The file was not uploaded.');
  await expect(page.getByRole('alert')).toHaveText(
    'A file was not uploaded. Try again, or remove it, to send the message.',
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

test('what a model cannot read is refused in words, and text and files are kept', async ({ page }) => {
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

test('editing a question keeps its files, and a deleted one leaves its name', async ({ page, roster }) => {
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
  await expect(questions.getByRole('link')).toHaveCount(0);
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

test('a Viewer reads why nothing can be attached', async ({
  page,
  roster,
  elsewhere,
  administrator,
  withAssistant,
}) => {
  const { message } = conversation(page);
  const { button, paste, chips } = attachments(page);
  await request(elsewhere, roster, 'POST', '/api/login', {
    email: administrator.email,
    password: 'correct horse battery',
  });
  const { body: me } = await request(page, roster, 'GET', '/api/user');
  const changed = await request(elsewhere, roster, 'PATCH', `/api/admin/users/${me.id}`, { role: 'Viewer' });
  expect(changed.status).toBe(200);
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(button).toBeDisabled();
  await message.fill('x'.repeat(10_001));
  await expect(page.getByRole('button', { name: 'Attach as a text file' })).toBeDisabled();
  await paste(notes);
  await expect(toasts(page).filter({ hasText: 'Files cannot be attached' })).toBeVisible();
  await expect(chips).toHaveCount(0);
});
