import { type TrashedThread, trash } from '@roster/contracts/trash';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { expectHidden, expectText } from '#web/testing/page.ts';

const trashed = (id: number, more: Partial<TrashedThread> = {}): TrashedThread => ({
  id,
  title: `Conversation ${id}`,
  archived: false,
  madeBy: null,
  deletedAt: '2026-11-20T10:00:00.000Z',
  endsAt: '2026-12-20T10:00:00.000Z',
  ...more,
});
const serve = (...items: TrashedThread[]) => answer(trash.list, { items, count: items.length, nextCursor: null });
const row = (id: number) => page.getByRole('listitem').filter({ hasText: `Conversation ${id}` });

test('restores one, deletes one permanently, and empties the rest after asking', async () => {
  open('/trash', { answers: () => serve(trashed(1), trashed(2, { archived: true }), trashed(3)) });
  await expectText(row(2), 'Archived');
  await expectText(row(1), 'kept until December 20, 2026');
  answer(trash.restore, undefined);
  serve(trashed(2), trashed(3));
  await page.getByRole('button', { name: 'Restore Conversation 1' }).click();
  await expectHidden(row(1));

  answer(trash.remove, undefined);
  await page.getByRole('button', { name: 'Delete permanently: Conversation 2' }).click();
  serve(trashed(3));
  await page.getByRole('alertdialog', { name: 'Delete Permanently' }).getByRole('button', { name: 'Delete' }).click();
  await expectHidden(row(2));
  expect(requestsTo(trash.remove).at(-1)?.params).toEqual({ id: 2 });

  answer(trash.empty, { deleted: 1 });
  await page.getByRole('button', { name: 'Empty trash (1)' }).click();
  serve();
  const dialog = page.getByRole('alertdialog', { name: 'Empty Trash' });
  await expectText(dialog, 'Delete 1 conversation permanently? This cannot be undone.');
  await dialog.getByRole('button', { name: 'Empty trash' }).click();
  await expect.element(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible();
});
