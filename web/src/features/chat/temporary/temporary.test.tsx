import { chat } from '@roster/contracts/chat';
import { temporaryThreads } from '@roster/contracts/temporary-threads';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, hold, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden } from '#web/testing/page.ts';

const note = page.getByRole('note', { name: 'Temporary chat' });
const rule = 'Temporary chat: not saved in your list; deleted when you close it or after 24 hours';
const messages = exchange(7, { text: 'The question' }, { text: 'The answer' });

function serve() {
  serveThreads([thread(7, { title: 'In passing', temporary: true })], messages);
  answer(chat.threads, { items: [thread(2)], nextCursor: null });
  answer(temporaryThreads.reopen, undefined);
  answer(temporaryThreads.leave, undefined);
}

test('starts a temporary conversation from the switch, and marks it', async () => {
  open('/chat?new=true', { answers: serve });
  await page.getByRole('button', { name: 'Temporary' }).click();
  await expect.element(note.getByText(rule)).toBeVisible();
  const [question] = messages;
  if (!question) throw new Error('There is no question');
  const run = { id: 9, threadId: 7, messageId: 2, state: 'queued' as const };
  answer(chat.createThread, thread(7, { temporary: true }));
  answer(chat.send, { message: question, run, runs: [run] });
  await page.getByRole('textbox', { name: 'Message' }).fill('The question');
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect.poll(address).toBe('/chat/7');
  expect(requestsTo(chat.createThread).at(-1)?.body).toMatchObject({ temporary: true });
  await expect.element(note.getByText(rule)).toBeVisible();
  await expectCount(page.getByRole('link', { name: 'In passing' }), 0);
});

test('keeps one while it is open, which then is in the list', async () => {
  open('/chat/7', { answers: serve });
  await expect.element(note.getByText(rule)).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Conversation 2' })).toBeVisible();
  answer(temporaryThreads.keep, thread(7, { title: 'In passing' }));
  answer(chat.thread, thread(7, { title: 'In passing' }));
  answer(chat.threads, { items: [thread(7, { title: 'In passing' }), thread(2)], nextCursor: null });
  await page.getByRole('button', { name: 'Keep this chat' }).click();
  await expectHidden(note);
  await expect.element(page.getByRole('link', { name: 'In passing' })).toBeVisible();
});

test('keeps one while the list is loading for the first time, which then shows it', async () => {
  open('/chat/7', { answers: serve });
  const listed = hold(chat.threads);
  await expect.element(note.getByText(rule)).toBeVisible();
  await expect.poll(() => requestsTo(chat.threads).length).toBe(1);
  answer(temporaryThreads.keep, thread(7, { title: 'In passing' }));
  answer(chat.thread, thread(7, { title: 'In passing' }));
  answer(chat.threads, { items: [thread(7, { title: 'In passing' }), thread(2)], nextCursor: null });
  await page.getByRole('button', { name: 'Keep this chat' }).click();
  await expectHidden(note);
  listed({ items: [thread(2)], nextCursor: null });
  await expect.element(page.getByRole('link', { name: 'In passing' })).toBeVisible();
});

test('closes one, which deletes it', async () => {
  open('/chat/7', { answers: serve });
  await note.getByRole('button', { name: 'Close' }).click();
  await expect.poll(address).toBe('/chat');
  expect(requestsTo(chat.removeThread).map(({ params }) => params)).toEqual([{ id: 7 }]);
  expect(requestsTo(temporaryThreads.leave)).toEqual([]);
});

test('tells the server when it is left, and that it is open again', async () => {
  open('/chat/7', { answers: serve });
  await expect.poll(() => requestsTo(temporaryThreads.reopen).length).toBe(1);
  await page.getByRole('link', { name: 'Conversation 2' }).click();
  await expect.poll(() => requestsTo(temporaryThreads.leave).length).toBe(1);
});
