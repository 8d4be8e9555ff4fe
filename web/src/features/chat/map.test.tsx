import { chat, type Message } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectTexts } from '#web/testing/page.ts';

const button = page.getByRole('button', { name: 'Questions and headings' });
const dialog = page.getByRole('dialog', { name: 'Questions and headings' });
const entries = dialog.getByRole('listitem');

const long = 'A paragraph.\n\n'.repeat(40);
const parts = (count: number): Partial<Message>[] =>
  Array.from({ length: count }, (_, index) => ({
    text: index % 2 === 0 ? `Question ${index + 1}` : `${long}## Part ${index + 1}\n\n${long}`,
  }));
const openWith = (messages: Message[]) => open('/chat/1', { answers: () => serveThreads([thread(1)], messages) });

test('is offered from ten messages on', async () => {
  openWith(exchange(1, ...parts(9)));
  await expect.element(page.getByRole('article').first()).toBeVisible();
  await expectCount(button, 0);
  openWith(exchange(1, ...parts(10)));
  await expect.element(button).toBeVisible();
});

test('jumps to questions and to headings', async () => {
  openWith(exchange(1, ...parts(10)));
  await button.click();
  await expect.poll(() => entries.elements().length).toBe(10);
  await dialog.getByRole('button', { name: 'Part 4' }).click();
  await expectHidden(dialog);
  await expect.element(page.getByRole('heading', { name: 'Part 4' })).toBeInViewport();
  await button.click();
  await dialog.getByRole('button', { name: 'Question 7' }).click();
  await expect.element(page.getByRole('article').getByText('Question 7')).toBeInViewport();
});

test('loads earlier messages on request', async () => {
  const [first, second, ...rest] = exchange(1, ...parts(4));
  openWith(rest);
  // The list asks by itself while it is near its start; that fails, so that only the button loads them.
  let isReachable = false;
  answer(chat.messages, ({ query }) => {
    if (!query.cursor) return { items: rest, nextCursor: 'older', newerCursor: null };
    if (!isReachable) return refusal('rate_limited', 'Wait a minute.');
    return { items: [first, second].filter((one) => one !== undefined), nextCursor: null, newerCursor: null };
  });
  await button.click();
  await expectTexts(entries, ['Question 3', 'Part 4']);
  isReachable = true;
  await dialog.getByRole('button', { name: 'Load earlier messages' }).click();
  await expectTexts(entries, ['Question 1', 'Part 2', 'Question 3', 'Part 4']);
  expect(requestsTo(chat.messages).some(({ query }) => query.cursor === 'older')).toBe(true);
});

test('is used by keyboard, and gives focus back when it is closed', async () => {
  openWith(exchange(1, ...parts(10)));
  await expect.element(button).toBeVisible();
  const element = button.element();
  if (element instanceof HTMLElement) element.focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expectHidden(dialog);
  await expect.element(button).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard('{Tab}{Tab}');
  const chosen = document.activeElement?.textContent ?? '';
  expect(chosen).toMatch(/^(Question|Part) \d+$/);
  await userEvent.keyboard('{Enter}');
  await expectHidden(dialog);
  await expect.element(page.getByText(chosen, { exact: true }).first()).toBeInViewport();
});
