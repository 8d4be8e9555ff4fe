import { files } from '@roster/contracts/files/files';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, ListPage } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { expectCount, expectText } from '#web/testing/page.ts';
import { storedFile } from '#web/testing/stored-files.ts';

const dialog = page.getByRole('dialog', { name: 'Attach from Your Files' });
const stored = dialog.getByRole('list', { name: 'Your files' }).getByRole('listitem');
const chips = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');

async function openStored() {
  await page.getByRole('button', { name: 'Attach files' }).click();
  await page.getByRole('menuitem', { name: 'From your files' }).click();
  await expect.element(dialog).toBeVisible();
}

test('attaches at most 20 of many stored files', async () => {
  const all = Array.from({ length: 52 }, (_, index) => storedFile(index + 1, `notes-${index}.txt`));
  open('/chat', {
    answers: () =>
      answer(files.list, ({ query }) =>
        query.cursor === undefined ? new ListPage(all.slice(0, 50), 'second') : all.slice(50),
      ),
  });
  await openStored();
  await expectCount(stored, 50);
  await dialog.getByRole('button', { name: 'Load more files' }).click();
  await expectCount(stored, 52);
  for (let index = 0; index < 20; index++) await stored.nth(index).getByRole('checkbox').click();
  await expectText(stored.nth(20), 'A message can have at most 20 files.');
  await expect.element(stored.nth(20).getByRole('checkbox')).toBeDisabled();
  await stored.nth(0).getByRole('checkbox').click();
  await expect.element(stored.nth(20).getByRole('checkbox')).toBeEnabled();
  await dialog.getByRole('button', { name: 'Attach 19' }).click();
  await expectCount(chips, 19);
});
