import { chat } from '@roster/contracts/chat';
import { expect, test, vi } from 'vitest';
import { type Locator, page } from 'vitest/browser';
import { changes, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { press } from '#web/testing/page.ts';

const box = page.getByRole('textbox', { name: 'Message' });

/** Safari sends the confirming Enter after the composition has ended. */
function confirmWord(field: Locator) {
  const event = new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true });
  return field.element().dispatchEvent(event);
}

test('does not send or select when Enter confirms an input method word', async () => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'Done.' }) });
  await box.fill('にほん');
  expect(confirmWord(box)).toBe(true);
  const question = page.getByRole('article', { name: 'Question' }).first();
  await page.getByRole('button', { name: 'Edit' }).first().click();
  expect(confirmWord(page.getByRole('textbox', { name: 'Edit question' }))).toBe(true);
  await press('Escape');
  await press('Control+k');
  const palette = page.getByRole('combobox', { name: /^Search pages/ });
  await expect.element(palette).toHaveFocus();
  expect(confirmWord(palette)).toBe(true);
  await expect.element(palette).toBeVisible();
  await press('Escape');
  await expect.element(question).toBeVisible();
  await expect.element(box).toHaveValue('にほん');
  expect([address(), changes()]).toEqual(['/chat/1', []]);
});

test('does not ask on Home', async () => {
  open('/');
  await box.fill('にほん');
  expect(confirmWord(box)).toBe(true);
  expect(address()).toBe('/');
});

test('inserts a line on Enter with an on-screen keyboard, and sends by button', async () => {
  const real = window.matchMedia.bind(window);
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    query === '(pointer: coarse)' ? { ...real(query), matches: true } : real(query),
  );
  open('/chat/1', { answers: () => oneAnswer({ text: 'Done.' }) });
  await box.fill('One');
  await press('Enter');
  await expect.element(box).toHaveValue('One\n');
  await expect.element(box).toHaveAttribute('enterkeyhint', 'enter');
  expect(requestsTo(chat.send)).toEqual([]);
  await expect.element(page.getByRole('button', { name: 'Send message' })).toBeEnabled();
});
