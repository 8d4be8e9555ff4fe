import { chat, type Message } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer as answerCall, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectHidden, expectText, press } from '#web/testing/page.ts';

const field = page.getByRole('textbox', { name: 'Find in conversation' });
const count = page.getByText(/^(\d+ of \d+|No matches|Searching…)$/);
const composer = page.getByRole('textbox', { name: 'Message' });

/** Highlighted texts: all hits, or the current one. */
const marked = (name: 'found' | 'found-here') => [...(CSS.highlights.get(name) ?? [])].map(String);
const expectHere = (text: string) => expect.poll(() => marked('found-here')).toEqual([text]);

/** A page of messages that never arrives. */
const onItsWay = Promise.withResolvers<never>().promise;

const openWith = (...parts: Partial<Message>[]) =>
  open('/chat/1', { answers: () => serveThreads([thread(1)], exchange(1, ...parts)) });

async function find(text: string) {
  await expect.element(page.getByRole('article').first()).toBeVisible();
  await press('Control+f');
  await expect.element(field).toHaveFocus();
  await field.fill(text);
}

test('highlights matches, steps through them and returns focus', async () => {
  openWith({ text: 'Apples?' }, { text: 'An **apple** a day, `apple` pie' }, { text: 'None' }, { text: 'apple' });
  await composer.click();
  await find('apple');
  await expectText(count, '1 of 4');
  await expectHere('Apple');
  expect(marked('found')).toEqual(['apple', 'apple', 'apple']);
  await press('Enter');
  await expectText(count, '2 of 4');
  await expectHere('apple');
  await press('Shift+Enter');
  await press('Shift+Enter');
  await expectText(count, '4 of 4');
  await page.getByRole('button', { name: 'Next match' }).click();
  await expectText(count, '1 of 4');
  await page.getByRole('button', { name: 'Previous match' }).click();
  await expectText(count, '4 of 4');
  await field.fill('nowhere');
  await expectText(count, 'No matches');
  expect(marked('found')).toEqual([]);
  await press('Escape');
  await expectHidden(field);
  await expect.element(composer).toHaveFocus();
  expect(CSS.highlights.size).toBe(0);
});

test('captures keys typed before the bar has loaded', async () => {
  openWith({ text: 'One' }, { text: 'Two' });
  await expect.element(page.getByRole('article').first()).toBeVisible();
  await userEvent.keyboard('{Control>}f{/Control}two');
  await expect.element(field).toHaveValue('two');
  await expectText(count, '1 of 1');
});

test('leaves a second Ctrl+F to the browser, and refocuses its field otherwise', async () => {
  openWith({ text: 'One' }, { text: 'Two' });
  await find('one');
  const prevented: boolean[] = [];
  addEventListener('keydown', (event) => {
    if (event.key === 'f') prevented.push(event.defaultPrevented);
  });
  await press('Control+f');
  expect(prevented).toEqual([false]);
  await composer.click();
  await press('Control+f');
  expect(prevented).toEqual([false, true]);
  await expect.element(field).toHaveFocus();
});

test('expands collapsed parts around a match', async () => {
  const long = Array.from({ length: 40 }, (_, line) => `Line ${line}`).join('\n');
  const call = { kind: 'function', callId: 'a', name: 'look', title: '', server: null, at: 0 } as const;
  openWith(
    { text: `${long}\nneedle` },
    {
      text: 'Done\n\n<details><summary>More</summary>\n\nneedle\n\n</details>',
      reasoning: 'A needle',
      calls: [{ ...call, state: 'done', input: '{"in":"needle"}', output: 'needle' }],
    },
  );
  await find('needle');
  await expectText(count, '1 of 5');
  await expect.element(page.getByRole('button', { name: 'Show less' })).toBeVisible();
  for (const number of [2, 3, 4, 5]) {
    await press('Enter');
    await expectText(count, `${number} of 5`);
    await expectHere('needle');
    await expect
      .poll(() => [...(CSS.highlights.get('found-here') ?? [])][0]?.startContainer.parentElement?.checkVisibility())
      .toBe(true);
  }
});

test('skips matches that exist only in the source', async () => {
  openWith({ text: 'Where?' }, { text: '[Here](https://example.com/needle), needle' }, { text: 'needle' });
  await find('needle');
  await expectText(count, '1 of 2');
});

test('finds messages that are not loaded, and loads them', async () => {
  const messages = exchange(1, ...Array.from({ length: 200 }, (_, index) => ({ text: `Number ${index + 1}` })));
  open('/chat/1', {
    answers: () => {
      serveThreads([thread(1)], messages);
      answerCall(chat.messages, ({ query: { around, cursor } }) =>
        cursor !== undefined
          ? onItsWay
          : around === undefined
            ? { items: messages.slice(150), nextCursor: 'older', newerCursor: null }
            : { items: messages.slice(around - 11, around + 10), nextCursor: 'older', newerCursor: 'newer' },
      );
      answerCall(chat.findInThread, ({ query: { q } }) => ({
        items: q === 'number 40' ? [{ messageId: 40, count: 1 }] : [],
        isWhole: true,
      }));
    },
  });
  await find('number 40');
  await expectText(count, '1 of 1');
  await expectHere('Number 40');
  expect(requestsTo(chat.findInThread).map(({ query }) => query)).toEqual([{ q: 'number 40', through: 200 }]);
});

test('says if earlier messages were not searched', async () => {
  const messages = exchange(1, { text: 'One' }, { text: 'Two' });
  open('/chat/1', {
    answers: () => {
      serveThreads([thread(1)], messages);
      answerCall(chat.messages, ({ query: { cursor } }) =>
        cursor === undefined ? { items: messages, nextCursor: 'older', newerCursor: null } : onItsWay,
      );
      answerCall(chat.findInThread, () => refusal('internal', 'Away'));
    },
  });
  await find('one');
  await expect.element(page.getByText('Earlier messages could not be searched.')).toBeVisible();
  await expectText(count, '1 of 1');
  answerCall(chat.findInThread, { items: [{ messageId: 1, count: 1 }], isWhole: true });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectHidden(page.getByText('Earlier messages could not be searched.'));
});

test('opens from the conversation’s menu', async () => {
  openWith({ text: 'One' }, { text: 'Two' });
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Find in conversation' }).click();
  await expect.element(field).toHaveFocus();
});

test('highlights the words of a global search result', async () => {
  openWith({ text: 'Which language?' }, { text: 'C, C++ or c#' });
  answerCall(chat.threads, ({ query: { q } }) => ({
    items: [thread(1, q === undefined ? {} : { match: { messageId: 2, snippet: 'C, C++ or c#' } })],
    nextCursor: null,
  }));
  await page.getByRole('searchbox', { name: /Search/ }).fill('C++');
  await page.getByRole('link', { name: /C, C\+\+/ }).click();
  await expect.poll(() => marked('found')).toEqual(['C++']);
});

test('opens a palette result at its message with highlighted words', async () => {
  openWith({ text: 'Which language?' }, { text: 'C, C++ or c#' });
  answerCall(chat.threads, ({ query: { q } }) => ({
    items: q === 'C++' ? [thread(1, { match: { messageId: 2, snippet: 'C, C++ or c#' } })] : [],
    nextCursor: null,
  }));
  await expect.element(page.getByRole('article').first()).toBeVisible();
  await press('Control+k');
  await expect.element(page.getByRole('combobox', { name: /^Search pages/ })).toHaveFocus();
  await userEvent.keyboard('C++');
  await page.getByRole('option', { name: /C, C\+\+/ }).click();
  await expect.poll(() => marked('found')).toEqual(['C++']);
});
