import { files } from '@roster/contracts/files';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { person } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectTexts } from '#web/testing/page.ts';
import { storedFile } from '#web/testing/stored-files.ts';

const rows = page.getByRole('table', { name: 'Files' }).getByRole('row');

test('a list that does not load says so, and tries again', async () => {
  open('/files', { answers: () => answer(files.list, refusal('unavailable', 'The database is being moved.')) });
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load files' });
  await expectText(panel, 'The database is being moved.');
  answer(files.list, [storedFile(1, 'notes.txt')]);
  await panel.getByRole('button', { name: 'Try Again' }).click();
  await expectTexts(rows, [/^/, /^notes\.txt /]);
});

test('a Viewer looks and downloads, and changes nothing', async () => {
  open('/files', {
    user: { ...person, role: 'Viewer' },
    answers: () => answer(files.list, [storedFile(1, 'notes.txt')]),
  });
  const upload = page.getByRole('button', { name: 'Upload Files' });
  await expect.element(upload).toHaveAttribute('aria-disabled', 'true');
  await expect.element(upload).toHaveAccessibleDescription(/Your role is Viewer/);
  const remove = page.getByRole('button', { name: 'Delete notes.txt' });
  await expect.element(remove).toHaveAttribute('aria-disabled', 'true');
  await expect.element(remove).toHaveAccessibleDescription(/Your role is Viewer/);
  await expectHidden(page.getByLabelText('Select all shown'));
  await expect.element(page.getByRole('link', { name: 'Download notes.txt' })).toBeVisible();
});
