import { chat, type Message } from '@roster/contracts/chat';
import { expect, test, vi } from 'vitest';
import { type Locator, page, userEvent } from 'vitest/browser';
import { answer } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { exchange, oneAnswer, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, press } from '#web/testing/page.ts';

const answers = page.getByRole('article', { name: 'Answer' });
const list = page.getByRole('region', { name: 'Messages' });
const codeOf = (lines: number) => Array.from({ length: lines }, (_, index) => `value${index + 1} = 1`).join('\n');
const withCode = (lines: number) => `Before\n\n\`\`\`python\n${codeOf(lines)}\n\`\`\`\n\nAfter`;
const showAll = (lines: number) => page.getByRole('button', { name: `Show all ${lines} lines` });
const showFirst = page.getByRole('button', { name: 'Show the first 20 lines' });
const foldAnswer = page.getByRole('button', { name: 'Fold answer' });
const wholeAnswer = page.getByRole('button', { name: 'Show the whole answer' });
const heightOfCode = () => answers.element().querySelector('pre')?.getBoundingClientRect().height ?? 0;
const paragraphs = (count: number) => Array.from({ length: count }, (_, at) => `Paragraph ${at + 1}.`).join('\n\n');

function isInView(found: AbstractRange) {
  const range = found as Range;
  const { top, bottom } = range.getBoundingClientRect();
  return top > 0 && bottom < window.innerHeight;
}

const openAnswer = (part: Partial<Message>) => open('/chat/1', { answers: () => oneAnswer(part) });
function focus(what: Locator) {
  const element = what.element();
  if (element instanceof HTMLElement) element.focus();
}
async function scrollBy(key: 'Home' | 'End') {
  focus(list);
  await press(key);
}
const openAll = (...parts: Partial<Message>[]) =>
  open('/chat/1', { answers: () => serveThreads([thread(1)], exchange(1, ...parts)) });

test('shows the first 20 lines of code with more than 40', async () => {
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  openAnswer({ text: withCode(60) });
  await expect.element(showAll(60)).toHaveAttribute('aria-expanded', 'false');
  expect(heightOfCode()).toBeLessThan(450);
  await answers.getByRole('button', { name: 'Copy code' }).click();
  expect(copied).toHaveBeenCalledWith(codeOf(60));
  await showAll(60).click();
  await expect.element(showFirst).toHaveAttribute('aria-expanded', 'true');
  expect(heightOfCode()).toBeGreaterThan(1_100);
});

test('folds code by keyboard and keeps its place in view', async () => {
  openAnswer({ text: `${withCode(35)}\n\n${paragraphs(60)}` });
  // Code of 35 lines is open until somebody folds it.
  await expect.element(showFirst).toBeInTheDocument();
  focus(showFirst);
  await userEvent.keyboard('{Enter}');
  await expect.element(showAll(35)).toBeInViewport();
  await expect.element(showAll(35)).toHaveFocus();
});

test('offers no folding for code of 30 lines and for short answers', async () => {
  openAnswer({ text: withCode(30) });
  await expect.element(answers.getByText('After')).toBeVisible();
  await expectCount(showFirst, 0);
  await expectCount(foldAnswer, 0);
});

test('folds a long answer and shows it again', async () => {
  openAnswer({ text: paragraphs(200) });
  await foldAnswer.click();
  await expect.element(wholeAnswer).toBeInViewport();
  await expect.element(answers.getByText('Paragraph 1.', { exact: true })).toBeInViewport();
  await expect.element(page.getByRole('button', { name: 'Unfold answer' })).toHaveAttribute('aria-expanded', 'false');
  await wholeAnswer.click();
  await expectHidden(wholeAnswer);
  await expect.element(foldAnswer).toHaveAttribute('aria-expanded', 'true');
});

test('opens what the search of the browser scrolls to', async () => {
  openAnswer({ text: `${withCode(60)}\n\n${paragraphs(200)}` });
  await foldAnswer.click();
  await expect.element(wholeAnswer).toBeVisible();
  answers.getByText('Paragraph 150.', { exact: true }).element().scrollIntoView();
  await expectHidden(wholeAnswer);
  await expect.element(showAll(60)).toBeInTheDocument();
  answers.element().querySelector('pre')?.scrollTo({ top: 200 });
  await expect.element(showFirst).toBeInTheDocument();
});

test('keeps what is folded while the message is out of view', async () => {
  const rest = Array.from({ length: 30 }, () => ({ text: paragraphs(30) }));
  openAll({ text: 'Question' }, { text: withCode(35) }, ...rest);
  await expect.element(answers.last()).toBeVisible();
  await scrollBy('Home');
  await showFirst.click();
  await expect.element(showAll(35)).toBeInTheDocument();
  await scrollBy('End');
  await expectCount(showAll(35), 0);
  await scrollBy('Home');
  await expect.element(showAll(35)).toBeInTheDocument();
});

test('opens a folded answer that the map jumps to', async () => {
  const others = Array.from({ length: 10 }, (_, index) => ({ text: `Message ${index + 1}` }));
  openAll({ text: 'Question' }, { text: `${paragraphs(100)}\n\n## Far below` }, ...others);
  await expect.element(page.getByText('Message 10')).toBeVisible();
  await scrollBy('Home');
  await foldAnswer.click();
  await page.getByRole('button', { name: 'Questions and headings' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Far below' }).click();
  await expect.element(page.getByRole('heading', { name: 'Far below' })).toBeInViewport();
  await expectHidden(wholeAnswer);
});

test('opens the code of a message that the search has found', async () => {
  open('/chat', {
    answers: () => {
      serveThreads([thread(1)], exchange(1, { text: 'Question' }, { text: withCode(60) }));
      const match = { messageId: 2, snippet: 'value55' };
      answer(chat.threads, ({ query: { q } }) => ({
        items: [thread(1, { match: q === undefined ? null : match })],
        nextCursor: null,
      }));
    },
  });
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('value55');
  await expect.poll(() => document.querySelectorAll('mark').length).toBeGreaterThan(0);
  await page.getByRole('navigation', { name: 'Recent conversations' }).getByRole('link').click();
  await expect.element(showFirst).toBeInTheDocument();
  await expect.poll(() => [...(CSS.highlights.get('found') ?? [])].map(isInView)).toEqual([true]);
});

test('finds text in folded code and opens it', async () => {
  openAnswer({ text: withCode(60) });
  await expect.element(showAll(60)).toBeInTheDocument();
  await press('Control+f');
  await page.getByRole('textbox', { name: 'Find in conversation' }).fill('value55');
  await expect.element(showFirst).toBeInTheDocument();
});
