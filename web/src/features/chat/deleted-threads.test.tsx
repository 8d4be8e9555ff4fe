import { chat } from '@roster/contracts/chat';
import { trash } from '@roster/contracts/trash';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden } from '#web/testing/page.ts';

const box = page.getByRole('textbox', { name: 'Message' });
const gone = page.getByText('Conversation not found');
const messages = exchange(1, { text: 'The question' }, { text: 'The answer' });

/** Simulates a deletion in another tab. */
function deleteElsewhere() {
  const none = refusal('not_found', 'This conversation does not exist.');
  answer(chat.thread, none);
  answer(chat.messages, none);
  answer(chat.send, none);
}

test('leaves the open conversation when its row deletes it', async () => {
  open('/chat/1', { answers: () => serveThreads([thread(1), thread(2)], messages) });
  await expect.element(page.getByText('The answer')).toBeVisible();
  const seen = vi.fn();
  const watching = new MutationObserver(() => gone.query() && seen());
  watching.observe(document.body, { childList: true, subtree: true });
  const list = page.getByRole('navigation', { name: 'Recent conversations' });
  await list.getByRole('link', { name: 'Conversation 1' }).hover();
  await page.getByRole('button', { name: 'Actions for Conversation 1' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  // The list's request stays open.
  const later = hold(chat.threads);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(address).toBe('/chat');
  await expectCount(list.getByRole('link', { name: 'Conversation 1' }), 0);
  later({ items: [thread(2)], nextCursor: null });
  await expect.element(list.getByRole('link', { name: 'Conversation 2' })).toBeVisible();
  watching.disconnect();
  expect(seen).not.toHaveBeenCalled();
});

test('keeps a message to a deleted conversation and sends it as a new one', async () => {
  open('/chat/1', { answers: () => serveThreads([thread(1)], messages) });
  await expect.element(page.getByText('The answer')).toBeVisible();
  await box.fill('My long thought');
  deleteElsewhere();
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect.element(page.getByText('This conversation was deleted.')).toBeVisible();
  await expect.element(box).toHaveValue('My long thought');
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await page.getByRole('button', { name: 'Copy text' }).click();
  expect(copied).toHaveBeenCalledWith('My long thought');
  const [question] = exchange(7, { text: 'My long thought' });
  if (!question) throw new Error('There is no question');
  const run = { id: 9, threadId: 7, messageId: 2, state: 'queued' as const };
  answer(chat.createThread, thread(7));
  answer(chat.send, { message: question, run, runs: [run] });
  answer(chat.thread, thread(7, { runId: 9 }));
  answer(chat.messages, { items: [question], nextCursor: null, newerCursor: null });
  answer(chat.events, () => new Promise(() => undefined));
  await page.getByRole('button', { name: 'Send as a new conversation' }).click();
  await expect.poll(address).toBe('/chat/7');
  expect(requestsTo(chat.send).at(-1)?.body).toMatchObject({ message: 'My long thought', parentId: null });
  expect(requestsTo(chat.createThread).at(-1)?.body).toEqual({ model: 'gpt-4o' });
  show('/chat/1');
  await expectHidden(page.getByText('This conversation was deleted.'));
});

test('keeps a draft per tab, and reads the newest in a tab without one', async () => {
  open('/chat/1', { answers: () => serveThreads([thread(1)], messages) });
  await box.fill('Written here');
  const key = Object.keys(localStorage).find((name) => name.endsWith('draft:chat:1')) ?? '';
  expect(localStorage.getItem(key)).toBe('Written here');
  localStorage.setItem(key, 'Written in another tab');
  show('/chat/1');
  await expect.element(box).toHaveValue('Written here');
  await box.fill('');
  expect(localStorage.getItem(key)).toBe('Written in another tab');
  show('/chat/1');
  await expect.element(box).toHaveValue('Written in another tab');
});

test('says that a conversation opened by link is in the trash, and restores it there', async () => {
  open('/chat/1', {
    answers() {
      serveThreads([thread(2)], messages);
      const { id, title, archived } = thread(1);
      answer(trash.find, {
        ...{ id, title, archived, madeBy: null },
        ...{ deletedAt: '2026-01-02T12:00:00.000Z', endsAt: '2026-02-01T12:00:00.000Z' },
      });
      answer(trash.list, { items: [], count: 0, nextCursor: null });
      answer(trash.restore, () => {
        serveThreads([thread(1), thread(2)], messages);
        return undefined;
      });
    },
  });
  await expect.element(page.getByRole('heading', { name: 'This conversation is in the trash' })).toBeVisible();
  await expect.element(page.getByText('You have deleted “Conversation 1”. It is kept until')).toBeVisible();
  await expectHidden(gone);
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect.element(page.getByText('The answer')).toBeVisible();
});
