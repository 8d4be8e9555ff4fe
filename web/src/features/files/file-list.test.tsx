import { files } from '@roster/contracts/files/files';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { person } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectTexts } from '#web/testing/page.ts';
import { serveFiles, storedFile } from '#web/testing/stored-files.ts';

const rows = page.getByRole('table', { name: 'Files' }).getByRole('row');

test('shows that the list failed to load, and retries', async () => {
  open('/files', { answers: () => answer(files.list, refusal('unavailable', 'The database is being moved.')) });
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load files' });
  await expectText(panel, 'The database is being moved.');
  answer(files.list, [storedFile(1, 'notes.txt')]);
  await panel.getByRole('button', { name: 'Try Again' }).click();
  await expectTexts(rows, [/^/, /^notes\.txt /]);
});

test('lets a Viewer view and download only', async () => {
  open('/files', {
    user: { ...person, role: 'Viewer' },
    answers: () => answer(files.list, [storedFile(1, 'notes.txt')]),
  });
  const upload = page.getByRole('button', { name: 'Upload Files' });
  await expect.element(upload).toHaveAttribute('aria-disabled', 'true');
  await expect.element(upload).toHaveAccessibleDescription(/As a Viewer/);
  const remove = page.getByRole('button', { name: 'Delete notes.txt' });
  await expect.element(remove).toHaveAttribute('aria-disabled', 'true');
  await expect.element(remove).toHaveAccessibleDescription(/As a Viewer/);
  await expectHidden(page.getByLabelText('Select all shown'));
  await expect.element(page.getByRole('link', { name: 'Download notes.txt' })).toBeVisible();
});

test('marks files created by assistants, and filters by them', async () => {
  const made = storedFile(1, 'plot.png', { purpose: 'user_data', madeByAssistant: true });
  open('/files', { answers: () => serveFiles(made, storedFile(2, 'notes.txt', { purpose: 'user_data' })) });
  await expectTexts(rows, [/^/, /^notes\.txt .*Messages/, /^plot\.png .*Made by AI/]);
  const purpose = page.getByRole('combobox', { name: 'Purpose' });
  await purpose.selectOptions('Made by AI');
  await expectTexts(rows, [/^/, /^plot\.png /]);
  await purpose.selectOptions('Messages');
  await expectTexts(rows, [/^/, /^notes\.txt /]);
});
