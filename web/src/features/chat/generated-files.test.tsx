import type { AttachedFile, Message, UnstoredFile } from '@roster/contracts/chat';
import { files } from '@roster/contracts/files/files';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectTexts, press } from '#web/testing/page.ts';

const plot: AttachedFile = { id: 1, filename: 'plot.png', size: 70, kind: 'image' };
const table: AttachedFile = { id: 2, filename: 'table.csv', size: 44, kind: 'text' };
const page1x1 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const bytes = (base64: string) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
/** With the headers of every file response. */
const answerBytes = (content: BlobPart) =>
  answer(
    files.content,
    () => new Response(new Blob([content]), { headers: { 'content-type': 'application/octet-stream' } }),
  );

const shown = page.getByRole('article', { name: 'Answer' });
const made = shown.getByRole('region', { name: 'Generated files' });
const notHere = made.getByRole('list', { name: 'Unavailable files' }).getByRole('listitem');

function openAnswer(part: Partial<Message>, content: BlobPart = bytes(page1x1)) {
  open('/chat/1', {
    answers() {
      oneAnswer({ text: 'Here it is.', ...part });
      answerBytes(content);
    },
  });
}

test('shows a generated image in the answer, and enlarges it by mouse and keyboard', async () => {
  openAnswer({ files: [plot, table] });
  const enlarge = made.getByRole('button', { name: 'Enlarge plot.png' });
  await expect.element(enlarge.getByRole('img', { name: 'plot.png' })).toBeVisible();
  await expectTexts(made.getByRole('list', { name: 'Files', exact: true }).getByRole('listitem'), [/table\.csv/]);
  await enlarge.click();
  const dialog = page.getByRole('dialog', { name: 'plot.png' });
  await expect.element(dialog.getByRole('img', { name: 'plot.png' })).toBeVisible();
  await expect.element(dialog.getByRole('link', { name: 'Download' })).toHaveAttribute('download', 'plot.png');
  await press('Escape');
  await expectHidden(dialog);
  await expect.element(enlarge).toHaveFocus();
  await press('Enter');
  await expect.element(dialog).toBeVisible();
});

test('shows a fake image as a file', async () => {
  openAnswer({ files: [plot] }, '<script>alert(1)</script>');
  await expect.element(made.getByRole('button', { name: 'Preview plot.png' })).toBeVisible();
  await expectCount(made.getByRole('img'), 0);
});

test('says that an image was deleted, and shows an unavailable one as a file', async () => {
  openAnswer({ files: [{ ...plot, id: null }] });
  await expectText(made, 'plot.png');
  await expectText(made, 'Deleted');
  open('/chat/1', {
    answers() {
      oneAnswer({ text: 'Here it is.', files: [plot] });
      answer(files.content, refusal('not_found', 'File not found.'));
    },
  });
  await expect.element(made.getByRole('button', { name: 'Preview plot.png' })).toBeVisible();
});

test('explains why a file is missing, and shows it once fetched', async () => {
  const fetching: UnstoredFile = { filename: 'plot.png', state: 'fetching', error: null };
  const troubled: UnstoredFile = { ...fetching, filename: 'table.csv', error: 'The provider is having trouble.' };
  const failed: UnstoredFile = { filename: 'data.bin', state: 'failed', error: 'The file would be larger than 50 MB.' };
  openAnswer({ unkept: [fetching, troubled, failed] });
  await expectTexts(notHere, [
    'plot.png is being fetched from OpenAI',
    'table.csv is not available yet: The provider is having trouble. Roster will try again.',
    'data.bin could not be fetched: The file would be larger than 50 MB.',
  ]);
  oneAnswer({ text: 'Here it is.', files: [plot, table], unkept: [failed] });
  await expect.element(made.getByRole('img', { name: 'plot.png' })).toBeVisible();
  await expectTexts(notHere, [/^data\.bin could not be fetched/]);
});

test('does not call an answer with only an image empty', async () => {
  openAnswer({ text: '', files: [plot] });
  await expect.element(made.getByRole('img', { name: 'plot.png' })).toBeVisible();
  await expectCount(shown.getByText('The model returned an empty answer.'), 0);
});
