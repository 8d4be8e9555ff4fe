import { chat } from '@roster/contracts/chat';
import { trash } from '@roster/contracts/trash';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { serveThreads, thread } from '#web/testing/conversations.ts';
import { expectHidden, expectText } from '#web/testing/page.ts';

const bar = page.getByRole('toolbar', { name: 'Selected conversations' });
const list = page.getByRole('navigation', { name: 'Recent conversations' });
const box = (id: number) => list.getByRole('checkbox', { name: `Select Conversation ${id}` });
const row = (id: number) => list.getByRole('link', { name: `Conversation ${id}`, exact: true });
const at = (minute: number) => new Date(Date.now() - minute * 1000).toISOString();
const five = () => serveThreads([1, 2, 3, 4, 5].map((id) => thread(id, { updatedAt: at(id) })));

test('selects a range with Shift, and Escape ends it', async () => {
  open('/chat', { answers: five });
  await row(2).hover();
  await box(2).click();
  await expectText(bar.getByRole('status'), '1 selected');
  // A click on a row selects it now, and does not open it.
  await row(4).click({ modifiers: ['Shift'] });
  await expectText(bar.getByRole('status'), '3 selected');
  await row(3).click();
  await expectText(bar.getByRole('status'), '2 selected');
  expect(address()).toBe('/chat');
  await userEvent.keyboard('{Escape}');
  await expectHidden(bar);
});

test('archives the selected ones at once, and offers to undo it', async () => {
  open('/chat', { answers: five });
  await row(1).hover();
  await box(1).click();
  await row(2).click();
  answer(trash.change, ({ body }) => ({ changed: body.ids, missing: [] }));
  answer(chat.threads, { items: [3, 4, 5].map((id) => thread(id)), nextCursor: null });
  await bar.getByRole('button', { name: 'Archive' }).click();
  await expectHidden(bar);
  await expectHidden(row(1));
  expect(requestsTo(trash.change).at(-1)?.body).toEqual({ ids: [1, 2], action: 'archive' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => requestsTo(trash.change).at(-1)?.body).toEqual({ ids: [1, 2], action: 'unarchive' });
});

test('asks before it deletes, and leaves the open conversation', async () => {
  open('/chat/1', { answers: five });
  await row(1).hover();
  await box(1).click();
  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete 1 Conversation' });
  await expectText(dialog, 'Delete 1 conversation with all messages? You can restore them from the trash for 30 days.');
  answer(trash.change, ({ body }) => ({ changed: body.ids, missing: [] }));
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(address).toBe('/chat');
  expect(requestsTo(trash.change).at(-1)?.body).toEqual({ ids: [1], action: 'delete' });
});

test('begins to select with a long press on a touch screen', async () => {
  open('/chat', { answers: five });
  await expect.element(row(2)).toBeVisible();
  const touched = row(2).element();
  const touch = (type: string) =>
    touched.dispatchEvent(new PointerEvent(type, { pointerType: 'touch', bubbles: true, isPrimary: true }));
  touch('pointerdown');
  await expectText(bar.getByRole('status'), '1 selected');
  touch('pointerup');
  // The click that ends the press neither opens the conversation nor selects it again.
  touched.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  await expectText(bar.getByRole('status'), '1 selected');
  expect(address()).toBe('/chat');
  await row(4).click();
  await expectText(bar.getByRole('status'), '2 selected');
});
