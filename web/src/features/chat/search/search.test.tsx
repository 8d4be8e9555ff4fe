import { assistants } from '@roster/contracts/assistants/assistants';
import { chat } from '@roster/contracts/chat';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, goBack, open, show } from '#web/testing/app.tsx';
import { assistant } from '#web/testing/assistants.ts';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectHidden, expectTexts } from '#web/testing/page.ts';

const search = page.getByRole('searchbox', { name: 'Search conversations' });
const links = page.getByRole('navigation', { name: 'Recent conversations' }).getByRole('link');
const marked = () => [...document.querySelectorAll('mark')].map(({ textContent }) => textContent);
const add = page.getByRole('combobox', { name: 'Add a filter' });
const chip = (name: string) => page.getByRole('button', { name: `Remove the filter ${name}` });

/** One conversation that every search and filter finds. */
const serve = () => {
  serveThreads([thread(1, { title: 'Red apples' })], exchange(1, { text: 'Why red?' }, { text: 'An apple is red' }));
  answer(assistants.list, [assistant(7, { name: 'Tutor' })]);
  answer(chat.threads, ({ query: { q, rating } }) => ({
    items:
      rating === 'bad'
        ? []
        : [
            thread(1, {
              title: 'Red apples',
              match: q === undefined ? null : { messageId: 2, snippet: 'An apple is red' },
            }),
          ],
    nextCursor: null,
  }));
};

test('marks the words found in title and excerpt, and in the message that it opens', async () => {
  open('/chat', { answers: serve });
  await search.fill('"is red" title:apples -pear');
  await expect.poll(marked).toEqual(['apples', 'is red']);
  await links.first().click();
  await expect.poll(() => [...(CSS.highlights.get('found') ?? [])].map(String)).toEqual(['is red']);
});

test('filters the list, with chips that are removed one by one', async () => {
  open('/chat', { answers: serve });
  const asked = () => requestsTo(chat.threads).at(-1)?.query;
  await page.getByRole('button', { name: 'Filter conversations' }).click();
  await userEvent.selectOptions(add, 'Assistant');
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'Assistant' }), 'Tutor');
  await expect.element(chip('Tutor')).toBeVisible();
  await expect.element(add).toHaveFocus();
  await expect.poll(asked).toMatchObject({ assistant: 7, archived: false });
  await userEvent.selectOptions(add, 'Until');
  await page.getByLabelText('Until').fill('2026-11-20');
  await userEvent.keyboard('{Enter}');
  await expect.element(chip('Until Nov 20, 2026')).toBeVisible();
  await expect.poll(asked).toMatchObject({ assistant: 7, to: new Date(2026, 10, 21).toISOString() });
  await userEvent.selectOptions(add, 'Rating');
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'Rating' }), 'Bad answer');
  await expect.element(page.getByText('No conversations match your search and filters.')).toBeVisible();
  await chip('Bad answer').click();
  await expectTexts(links, ['Red apples']);
  await chip('Tutor').click();
  await expectHidden(chip('Tutor'));
  await page.getByRole('button', { name: 'Remove the filters' }).click();
  await expectHidden(add);
  await page.getByRole('button', { name: 'Filter conversations' }).click();
  await expect.element(add).toBeVisible();
  await expectHidden(chip('Until Nov 20, 2026'));
});

test('keeps search and filters in the address through reload, back and opening', async () => {
  open('/chat', { answers: serve });
  const asked = () => requestsTo(chat.threads).at(-1)?.query;
  await search.fill('red');
  await expect.poll(address).toBe('/chat?q=red');
  await expect.element(search).toHaveFocus();
  await page.getByRole('button', { name: 'Filter conversations' }).click();
  await userEvent.selectOptions(add, 'Files');
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'Files' }), 'With files');
  await expect.poll(address).toBe('/chat?q=red&files=true');
  await userEvent.selectOptions(add, 'Assistant');
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'Assistant' }), 'Tutor');
  await expect.poll(address).toContain('withAssistant=7');
  await links.first().click();
  await expect.poll(address).toContain('/chat/1?q=red');
  await expect.element(chip('Tutor')).toBeVisible();
  const opened = address();
  goBack();
  goBack();
  await expect.poll(address).toBe('/chat?q=red&files=true');
  await expectHidden(chip('Tutor'));
  await expect.element(chip('With files')).toBeVisible();
  show(opened);
  await expect.element(search).toHaveValue('red');
  await expect.element(chip('Tutor')).toBeVisible();
  await expect.poll(asked).toMatchObject({ q: 'red', files: true, assistant: 7 });
  await page.getByRole('button', { name: 'Remove the filters' }).click();
  await expect.poll(address).toBe('/chat/1?q=red');
  await search.fill('');
  await expect.poll(address).toBe('/chat/1');
});

test('ignores filters in the address that mean nothing', async () => {
  open('/chat?rating=fine&from=yesterday&withAssistant=-1&files=2&q=42', { answers: serve });
  await expect.element(search).toHaveValue('42');
  await expect.poll(() => requestsTo(chat.threads).at(-1)?.query).toEqual({ limit: 50, q: '42' });
  await expectHidden(add);
});
