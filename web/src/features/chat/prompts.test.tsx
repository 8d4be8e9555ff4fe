import { chat } from '@roster/contracts/chat';
import { prompts } from '@roster/contracts/prompts/prompts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectHidden, expectTexts, expectToast, press } from '#web/testing/page.ts';
import { prompt, servePrompts } from '#web/testing/prompts.ts';

const box = page.getByLabelText('Message', { exact: true });
const options = page.getByRole('listbox', { name: 'Prompts' }).getByRole('option');
const menuText = page.getByText('Manage prompts');
const type = (text: string) => userEvent.keyboard(text.replaceAll(/[{[]/g, '$&$&'));
const today = () => new Intl.DateTimeFormat('sv-SE').format(new Date());
function selected() {
  const field = box.element();
  if (!(field instanceof HTMLTextAreaElement)) throw new Error('There is no message field');
  return field.value.slice(field.selectionStart, field.selectionEnd);
}
const sent = () => requestsTo(chat.send).map(({ body }) => body.message);

const letter = 'Write to {{who}}, {{tone: kind | short}}, by {{day: date}}. Sign as {{who}}{{note=}}';

/** Sending is refused, so that the text comes back. */
async function openChat(...given: Parameters<typeof servePrompts>) {
  open('/chat/1', {
    answers() {
      oneAnswer({ text: 'Hello' });
      answer(chat.send, refusal('rate_limited', 'Wait a minute.'));
      servePrompts(...given);
    },
  });
  await expect.element(page.getByText('Hello')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Attach files' })).toBeVisible();
  await box.click();
}

test('lists prompts after a slash, narrows while typing, and inserts by keyboard', async () => {
  await openChat(prompt(1, { name: 'report', title: 'Report' }), prompt(2, { name: 'summary', title: 'Short one' }));
  await type('Dear team,');
  await press('Shift+Enter');
  await type('/');
  await expectTexts(options, ['/report Report', '/summary Short one']);
  await expect.element(box).toHaveRole('combobox');
  await expect.element(box).toHaveAttribute('aria-activedescendant', options.first().element().id);
  await press('ArrowDown');
  await expect.element(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await type('rep');
  await expectTexts(options, ['/report Report']);
  await press('Tab');
  await expect.element(box).toHaveValue('Dear team,\nText 1');
  await expect.element(box).not.toHaveAttribute('role');
  await expect.poll(() => requestsTo(prompts.markUsed).map(({ params }) => params.id)).toEqual([1]);
  await expect.element(box).toHaveFocus();
  await press('Control+z');
  await expect.element(box).toHaveValue('Dear team,\n/rep');
});

test('leaves what was typed on Escape, and sends what is no prompt', async () => {
  await openChat(prompt(1, { name: 'report', title: 'Report' }));
  await type('/re');
  await expectTexts(options, ['/report Report']);
  await press('Escape');
  await expectHidden(menuText);
  await type('p');
  await expect.element(box).toHaveValue('/rep');
  await expectHidden(menuText);
  await box.fill('');
  await type('/xyz');
  await expect.element(page.getByText('No prompt matches “xyz”.')).toBeVisible();
  await press('Enter');
  await expect.poll(sent).toEqual(['/xyz']);
});

test('waits for the list when Enter is faster, and keeps what is typed meanwhile', async () => {
  await openChat();
  const answerList = hold(prompts.list);
  const { text, ...item } = prompt(1, { name: 'report' });
  answer(prompts.get, { ...item, text });
  await type('/rep');
  await expect.element(page.getByText('Loading prompts…')).toBeVisible();
  await press('Enter');
  answerList({ items: [{ ...item, preview: text }], nextCursor: null });
  await expect.element(box).toHaveValue('Text 1');
  expect(sent()).toEqual([]);
  await box.fill('');
  const answerPrompt = hold(prompts.get);
  await type('/rep');
  await expectTexts(options, ['/report Prompt 1']);
  await press('Enter');
  await type(' and more');
  answerPrompt({ ...item, text });
  await expect.element(box).toHaveValue('Text 1 and more');
  answer(prompts.get, refusal('not_found', 'Prompt not found. It may have been deleted.'));
  await box.fill('');
  await type('/rep');
  await expectTexts(options, ['/report Prompt 1']);
  await press('Enter');
  await expectToast('The prompt could not be inserted', 'It may have been deleted.');
  await expect.element(box).toHaveValue('/rep');
});

test('fills in variables with Tab, offers choices and days, and uses defaults when sending', async () => {
  await openChat(prompt(1, { name: 'letter', text: letter }));
  await type('/let');
  await expectTexts(options, ['/letter Prompt 1']);
  await press('Enter');
  await expect.poll(selected).toBe('{{who}}');
  await expect.element(page.getByText('1 of 4')).toBeVisible();
  await type('Ada');
  await press('Tab');
  await expect.poll(selected).toBe('{{tone: kind | short}}');
  await expect.element(box).toHaveValue(letter.replaceAll('{{who}}', 'Ada'));
  const tones = page.getByRole('listbox', { name: 'tone' }).getByRole('option');
  await expectTexts(tones, ['kind', 'short']);
  await press('ArrowDown');
  await press('Enter');
  await expect.poll(selected).toBe('{{day: date}}');
  await press('Shift+Tab');
  await expect.poll(selected).toBe('short');
  await press('Shift+Tab');
  await type('Grace');
  await press('Tab');
  await press('Tab');
  await expectTexts(page.getByRole('listbox', { name: 'day' }).getByRole('option'), [
    ...[`Today ${today()}`, /^Tomorrow/, /^Yesterday/, /^In a week/],
  ]);
  await press('Escape');
  await expectHidden(page.getByText('3 of 4'));
  await expect.element(box).toHaveValue('Write to Grace, kind, by {{day: date}}. Sign as Grace{{note=}}');
});

test('uses defaults when sending, and asks once for a variable that has none', async () => {
  await openChat(prompt(1, { name: 'letter', text: letter }), prompt(2, { name: 'plain', text: 'About {{topic}}' }));
  await type('/let');
  await expectTexts(options, ['/letter Prompt 1']);
  await press('Enter');
  await expect.poll(selected).toBe('{{who}}');
  await press('Enter');
  await expect.element(page.getByText('or send again to send the text as it is')).toBeVisible();
  await expect.poll(selected).toBe('{{who}}');
  expect(sent()).toEqual([]);
  await type('Ada');
  await press('Enter');
  await expect.poll(sent).toEqual([`Write to Ada, kind, by ${today()}. Sign as Ada`]);
  await box.fill('');
  await type('/plain');
  await expectTexts(options, ['/plain Prompt 2']);
  await press('Enter');
  await expect.poll(selected).toBe('{{topic}}');
  await press('Enter');
  await press('Enter');
  await expect.poll(() => sent().at(-1)).toBe('About {{topic}}');
});

test('opens the list and fills in by buttons', async () => {
  await openChat(prompt(1, { name: 'letter', text: letter }));
  await type('Hello');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await page.getByRole('menuitem', { name: 'Insert a prompt' }).click();
  await options.first().click();
  await expect.poll(selected).toBe('{{who}}');
  await expect.element(box).toHaveValue(`Hello\n${letter}`);
  await type('Ada');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('option', { name: 'short' }).click();
  await page.getByRole('option', { name: 'Today' }).click();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect.poll(selected).toBe(today());
  await page.getByRole('button', { name: 'Done' }).click();
  await expectHidden(page.getByRole('button', { name: 'Done' }));
  await expect.element(box).toHaveFocus();
});
