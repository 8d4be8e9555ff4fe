import type { Locator } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import { expect, isInViewport, pressAndHold, request, test } from './fixtures.ts';

const distanceToEnd = (scroller: Locator) =>
  scroller.evaluate((area) => Math.round(area.scrollHeight - area.scrollTop - area.clientHeight));

test('opens a long conversation at its end, and loads earlier messages on scrolling up', async ({
  page,
  roster,
  withAssistant,
}) => {
  const id = await startThread(page, roster, { title: 'Sixty exchanges', assistantId: withAssistant.assistantId });
  for (let count = 1; count <= 60; count++)
    await exchange(page, roster, id, `Question number ${count} [[tokens 120]] [[delay 0]]`);
  await page.goto(`/chat/${id}`);
  const { questions, scroller } = conversation(page);
  await expect(questions.last()).toContainText('Question number 60');
  await expect(questions.last()).toBeInViewport();
  await expect.poll(() => distanceToEnd(scroller)).toBeLessThanOrEqual(8);
  await expect(questions.filter({ hasText: 'Question number 1 ' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeHidden();
  // Only messages near the view are in the page.
  expect(await questions.count()).toBeLessThan(40);

  await scroller.hover();
  await expect(async () => {
    await page.mouse.wheel(0, -4000);
    expect(await isInViewport(questions.filter({ hasText: 'Question number 1 ' }))).toBe(true);
  }).toPass();
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(questions.last()).toContainText('Question number 60');
  await expect(questions.last()).toBeInViewport();
  await expect.poll(() => distanceToEnd(scroller)).toBeLessThanOrEqual(8);
});

test('follows a growing answer only while its reader is at the end', async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
  const { ask, answers, growth, scroller, stop } = conversation(page);
  await ask('Tell me at length [[tokens 60000]] [[delay 10]]');
  await expect(answers).toContainText('Reading everything');
  await growth();
  await expect.poll(() => distanceToEnd(scroller)).toBeLessThanOrEqual(8);

  await scroller.hover();
  await page.mouse.wheel(0, -400);
  const jump = page.getByRole('button', { name: 'Jump to latest' });
  await expect(jump).toBeVisible();
  const top = await scroller.evaluate((area) => area.scrollTop);
  await growth();
  await growth();
  expect(await scroller.evaluate((area) => area.scrollTop)).toBe(top);
  await jump.click();
  await expect(jump).toBeHidden();
  await growth();
  await expect.poll(() => distanceToEnd(scroller)).toBeLessThanOrEqual(8);
  await stop.click();
  await expect(answers.getByText('Stopped', { exact: true })).toBeVisible();
});

test('moves nothing under a pressed pointer while an answer grows', async ({ page, roster, withAssistant }) => {
  const id = await startThread(page, roster, { assistantId: withAssistant.assistantId });
  await exchange(page, roster, id, 'A long one [[tokens 600]] [[delay 0]]');
  await page.goto(`/chat/${id}`);
  const { ask, answers, growth, scroller, stop } = conversation(page);
  await expect(answers).toHaveCount(1);
  await ask('Tell me at length [[tokens 60000]] [[delay 20]]');
  await expect(answers).toHaveCount(2);
  await growth();
  const good = answers.first().getByRole('button', { name: 'Good answer' });
  await pressAndHold(page, good);
  const top = await scroller.evaluate((area) => area.scrollTop);
  const shown = async () => (await answers.last().innerText()).length;
  const stored = async (): Promise<number> => {
    const { body } = await request(page, roster, 'GET', `/api/threads/${id}/messages`);
    return body.items.at(-1).text.length;
  };
  // Text that had already arrived may still be drawn; new text waits.
  await expect(async () => {
    const [shownBefore, storedBefore] = [await shown(), await stored()];
    await expect.poll(stored).toBeGreaterThan(storedBefore + 300);
    expect(await shown()).toBe(shownBefore);
  }).toPass();
  expect(await scroller.evaluate((area) => area.scrollTop)).toBe(top);
  await page.mouse.up();
  await expect(good).toHaveAttribute('aria-pressed', 'true');
  // On a busy machine the answer may be longer than the view by now, so reaching the button has left its end.
  await growth();
  await stop.click();
});

test('finds with Ctrl+F a message that is neither loaded nor drawn', async ({ page, roster, withAssistant }) => {
  const id = await startThread(page, roster, { title: 'Much to find', assistantId: withAssistant.assistantId });
  for (let count = 1; count <= 30; count++)
    await exchange(page, roster, id, `Place ${count} of them [[tokens 40]] [[delay 0]]`);
  await page.goto(`/chat/${id}`);
  const { questions } = conversation(page);
  await expect(questions.last()).toBeInViewport();
  await expect(questions.filter({ hasText: 'Place 2 of' })).toHaveCount(0);
  await page.keyboard.press('Control+f');
  const bar = page.getByRole('search', { name: 'Find in conversation' });
  await expect(bar.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('place 2 of');
  const count = bar.getByRole('status').first();
  await expect(count).toHaveText(/^1 of \d+$/);
  await expect(questions.filter({ hasText: 'Place 2 of' })).toBeInViewport();
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('found-here') ?? [])].map(String));
  await expect.poll(marked).toEqual(['Place 2 of']);
  await page.keyboard.press('Escape');
  await expect(bar).toBeHidden();
});
