import { files } from '@roster/contracts/files/files';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { expectHidden, expectText, expectToast } from '#web/testing/page.ts';
import { serveFiles, storedFile } from '#web/testing/stored-files.ts';

const names = () =>
  [...document.querySelectorAll<HTMLElement>('table tbody button[title]')].map((one) => one.innerText);
const expectNames = (wanted: string[]) => expect.poll(names).toEqual(wanted);
const expectFirst = (...wanted: string[]) => expect.poll(() => names().slice(0, wanted.length)).toEqual(wanted);
const expectNumber = (count: number) => expect.poll(() => names().length).toBe(count);
const total = page.getByRole('definition').first();

/** 120 files: three pages. */
const openMany = () =>
  open('/files', {
    answers() {
      const numbered = Array.from({ length: 118 }, (_, index) =>
        storedFile(index + 1, `file ${String(index + 1).padStart(3, '0')}.txt`, { size: 3 }),
      );
      serveFiles(
        ...numbered,
        storedFile(119, 'Zürich.jsonl', { size: 15, purpose: 'fine-tune' }),
        storedFile(120, 'big.bin', { size: 2_097_152 }),
      );
    },
  });

test('pages, searches, sorts and filters many files', async () => {
  openMany();
  const more = page.getByRole('button', { name: 'Load more files' });
  await expectText(total, /^120$/);
  await expectNumber(50);
  await expectFirst('big.bin');
  await more.click();
  await expectNumber(100);
  await more.click();
  await expectNumber(120);
  expect(names().at(-1)).toBe('file 001.txt');
  await expectHidden(more);

  const sort = page.getByLabelText('Sort by');
  await sort.selectOptions('Filename');
  await expectFirst('big.bin', 'file 001.txt');
  await sort.selectOptions('Oldest first');
  await expectFirst('file 001.txt');
  await sort.selectOptions('Largest first');
  await expectFirst('big.bin');
  const purpose = page.getByLabelText('Purpose', { exact: true });
  await purpose.selectOptions('Fine-tuning');
  await expectNames(['Zürich.jsonl']);
  await purpose.selectOptions('All purposes');
  const search = page.getByRole('searchbox', { name: 'Search files' });
  await search.fill('zÜRI');
  await expectNames(['Zürich.jsonl']);
  await search.fill('100%');
  await expect.element(page.getByText('No filename contains “100%”.')).toBeVisible();
  await page.getByRole('button', { name: 'Show All Files' }).click();
  await expect.element(search).toHaveValue('');
  await expectNumber(50);
});

test('deletes more files than one call takes, and keeps one that fails', async () => {
  openMany();
  const more = page.getByRole('button', { name: 'Load more files' });
  await page.getByLabelText('Sort by').selectOptions('Filename');
  await expectFirst('big.bin', 'file 001.txt');
  for (const count of [100, 120]) {
    await more.click();
    await expectNumber(count);
  }
  await page.getByLabelText('Select all shown').click();
  await page.getByLabelText('Select Zürich.jsonl').click();
  await page.getByLabelText('Select big.bin').click();
  await expect.element(page.getByText('118 selected')).toBeVisible();
  await page.getByRole('button', { name: 'Delete Selected' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete 118 Files' });
  await expectText(question, 'and 113 more');
  await question.getByRole('button', { name: 'Delete', exact: true }).click();
  await expectToast('Success', '118 files have been deleted.');
  expect(requestsTo(files.removeMany).map(({ body }) => body.ids.length)).toEqual([100, 18]);
  await expectNames(['big.bin', 'Zürich.jsonl']);
  await expectText(total, /^2$/);

  await page.getByRole('button', { name: 'Delete big.bin' }).click();
  const one = page.getByRole('alertdialog', { name: 'Delete File' });
  await expectText(one, 'Are you sure you want to delete this file? This action cannot be undone.');
  await expectText(one, 'No assistant, message, fine-tuning job or vector store uses it.');
  answer(files.remove, Response.error());
  await one.getByRole('button', { name: 'Delete', exact: true }).click();
  await expectToast('Delete failed', 'Failed to delete file');
  serveFiles(storedFile(119, 'Zürich.jsonl'), storedFile(120, 'big.bin'));
  await one.getByRole('button', { name: 'Delete', exact: true }).click();
  await expectToast('Success', 'big.bin has been deleted.');
  await expectNames(['Zürich.jsonl']);
});
