import { readFile } from 'node:fs/promises';
import type { Page, Route } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  password,
  request,
  test,
} from './fixtures.ts';
import type { Roster } from './roster.ts';

type Rating = { value?: 'good' | 'bad'; correction?: string };

/** A thread with one answer for each rating. */
async function ratedThread(page: Page, roster: Roster, assistantId: number, ratings: Rating[]) {
  const id = await startThread(page, roster, { title: 'Of cabbages', assistantId });
  for (const [index, rating] of ratings.entries()) {
    await exchange(page, roster, id, `Question ${index + 1} [[delay 0]]`);
    const { body } = await request(page, roster, 'GET', `/api/threads/${id}/messages`);
    await request(page, roster, 'POST', `/api/messages/${body.items.at(-1).id}/rating`, rating);
  }
  return id;
}

/** Opens a thread with one answer. */
async function openAnswered(page: Page, roster: Roster, assistantId: number) {
  const id = await startThread(page, roster, { assistantId });
  await exchange(page, roster, id, 'Hello [[delay 0]]');
  await page.goto(`/chat/${id}`);
  return id;
}

/**
 * Holds a page's calls back: they are sent and answered at once, but the page gets the responses only after `release`.
 */
function heldBack() {
  const waiting: (() => Promise<void>)[] = [];
  return {
    hold: async (route: Route) => {
      const response = await route.fetch();
      waiting.push(() => route.fulfill({ response }));
    },
    waiting: () => waiting.length,
    release: async () => {
      for (const answer of waiting.splice(0)) await answer();
    },
  };
}

const example = (page: Page) => page.getByRole('article', { name: 'Example' });
const gather = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Gather' });

test('gets from rating answers in a chat to a training file in Files', async ({ page, roster, withAssistant }) => {
  const id = await startThread(page, roster, { assistantId: withAssistant.assistantId });
  await exchange(page, roster, id, 'First question [[delay 0]]');
  await exchange(page, roster, id, 'Second question [[delay 0]]');
  await page.goto(`/chat/${id}`);
  const { answers } = conversation(page);
  const [first, second] = [answers.first(), answers.last()];
  const good = first.getByRole('button', { name: 'Good answer' });
  await good.focus();
  await page.keyboard.press('Enter');
  await expect(good).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Enter');
  await expect(good).toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('Enter');
  await expect(good).toHaveAttribute('aria-pressed', 'true');

  await second.getByRole('button', { name: 'Bad answer' }).click();
  await second.getByRole('button', { name: 'Improve this answer' }).click();
  const editor = page.getByRole('dialog', { name: 'Improve this answer' });
  const corrected = editor.getByRole('textbox', { name: 'Corrected answer' });
  await expect(corrected).toHaveValue(/Second question/);
  await expectAccessible(page);
  await editor.getByRole('button', { name: 'Save Correction' }).click();
  await expect(editor).toContainText('This is the original answer.');
  await corrected.fill('As it should have read');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await corrected.press('Control+Enter');
  await expect(editor).toBeHidden();
  await expect(second).toContainText('Corrected for training');
  await expect(second).not.toContainText('As it should have read');
  await second.getByRole('button', { name: 'View' }).click();
  await expect(second).toContainText('As it should have read');
  await expectAccessible(page);
  await page.reload();
  await expect(second).toContainText('Corrected for training');
  await expect(second).toContainText('Second question');
  await expect(first.getByRole('button', { name: 'Good answer' })).toHaveAttribute('aria-pressed', 'true');

  await page.goto('/fine-tuning?tab=datasets');
  await expect(page.getByRole('heading', { name: 'No datasets yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New Dataset' }).click();
  await gather(page).click();
  await expect(page.getByRole('dialog')).toContainText('Name is required');
  await expect(page.getByRole('dialog')).toContainText('1 answer rated good, 1 answer rated bad, 1 answer corrected.');
  await page.getByRole('textbox', { name: 'Name' }).fill('My chats');
  await gather(page).click();
  await expectToast(page, 'Success', '2 examples gathered.');
  await expect(page.getByRole('heading', { name: 'My chats' })).toBeVisible();
  await expect(page.getByText('Too few to train on: 2 examples')).toBeVisible();
  await expect(example(page)).toContainText('Example 1 of 2');
  await expect(example(page).getByRole('link', { name: /./ }).last()).toHaveAttribute('href', `/chat/${id}`);

  await page.keyboard.press('k');
  await expect(example(page)).toContainText('Example 2 of 2');
  await expect(page.getByText('1 of 2 reviewed')).toBeVisible();
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Answer' }).fill('Edited by hand');
  await page.getByRole('textbox', { name: 'Answer' }).press('Control+Enter');
  await expect(example(page).getByRole('region', { name: 'Answer' })).toContainText('Edited by hand');
  await expect(example(page)).toContainText('Edited');
  await page.keyboard.press('ArrowLeft');
  await expect(example(page)).toContainText('Example 1 of 2');
  await page.keyboard.press('l');
  await expect(page.getByRole('tab', { name: 'Left out 1' })).toBeVisible();
  await page.getByRole('tab', { name: 'Left out 1' }).click();
  await expect(example(page)).toContainText('Example 1 of 1');

  await page.getByRole('button', { name: 'Save as File' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save as Training File' });
  await expect(dialog).toContainText('1 example');
  await expect(dialog).toContainText('The provider requires at least 10');
  await expect(dialog.getByRole('textbox', { name: 'Filename' })).toHaveValue('My-chats.jsonl');
  await expect(dialog).toContainText('All examples come from one conversation, which cannot be split.');
  await expect(dialog.getByRole('option', { name: '20 % for validation' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Open in Files' }).click();
  await expect(page.getByRole('button', { name: 'My-chats.jsonl', exact: true })).toBeVisible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download My-chats.jsonl' }).click();
  const text = await readFile(await (await downloading).path(), 'utf8');
  const { messages } = JSON.parse(text);
  expect(text.trimEnd().split('\n')).toHaveLength(1);
  expect(messages[0]).toEqual({ role: 'system', content: 'Explain with one example.' });
  expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'Edited by hand' });
});

test('does not lose a rating to a response read before it was stored', async ({ page, roster, withAssistant }) => {
  const id = await openAnswered(page, roster, withAssistant.assistantId);
  const { answers } = conversation(page);
  const good = answers.first().getByRole('button', { name: 'Good answer' });
  await expect(good).toBeVisible();
  const reading = heldBack();
  const { promise: mayKeep, resolve: keep } = Promise.withResolvers<void>();
  await page.route('**/rating', async (route) => {
    await mayKeep;
    await route.continue();
  });
  await good.click();
  await expect(good).toHaveAttribute('aria-pressed', 'true');
  await page.route(`**/api/threads/${id}/messages`, reading.hold);
  // Another tab continues the conversation, which this one reloads.
  await exchange(page, roster, id, 'Another question [[delay 0]]');
  await expect.poll(reading.waiting).toBeGreaterThan(0);
  await page.unroute(`**/api/threads/${id}/messages`);
  const kept = page.waitForResponse('**/rating');
  keep();
  await kept;
  await reading.release();
  await expect(answers).toHaveCount(2);
  await expect(good).toHaveAttribute('aria-pressed', 'true');
});

test('keeps a correction open while an answer scrolls its own out of view', async ({ page, roster, withAssistant }) => {
  await openAnswered(page, roster, withAssistant.assistantId);
  const { ask, answers, stop, untilDone } = conversation(page);
  await expect(answers.getByRole('button', { name: 'More actions' })).toBeVisible();
  await ask('Tell me much [[tokens 2000]] [[slow 4]] [[delay 2]]');
  await expect(stop).toBeVisible();
  await answers.first().getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Improve this answer' }).click();
  const corrected = page.getByRole('textbox', { name: 'Corrected answer' });
  await corrected.fill('As it should have read');
  // Elements behind the dialog have no role.
  await expect(page.locator('article[aria-label="Question"]')).toHaveCount(0);
  await expect(corrected).toHaveValue('As it should have read');
  await corrected.press('Control+Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await untilDone();
  await page.reload();
  await page.getByRole('region', { name: 'Messages' }).press('Home');
  await expect(answers.first()).toContainText('Corrected for training');
});

test('collects again, renames, splits and deletes', async ({ page, roster, withAssistant }) => {
  for (const count of [7, 3, 2]) {
    const ratings: Rating[] = Array.from({ length: count }, () => ({ value: 'good' }));
    await ratedThread(page, roster, withAssistant.assistantId, ratings);
  }
  const { body } = await request(page, roster, 'POST', '/api/fine-tuning/datasets', { name: 'Twelve' });
  await page.goto(`/fine-tuning/datasets/${body.id}`);
  await expect(example(page)).toContainText('Example 1 of 12');
  await page.getByRole('button', { name: 'Gather More' }).click();
  await gather(page).click();
  await expectToast(page, 'Success', 'Nothing new to add.');
  await page.getByRole('button', { name: 'Actions for Twelve' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('A dozen');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'A dozen' })).toBeVisible();
  await page.getByRole('button', { name: 'Save as File' }).click();
  await page.getByLabel('Validation').selectOption('20 % for validation');
  await expect(page.getByRole('dialog')).toContainText('10 examples to train on, 2 for validation');
  await page.getByLabel('Validation').selectOption('30 % for validation');
  await expect(page.getByRole('dialog')).toContainText('9 examples to train on, 3 for validation');
  await expect(page.getByRole('dialog')).toContainText('The provider requires at least 10');
  await expect(page.getByRole('dialog')).toContainText('Conversations are not split');
  await page.getByLabel('Validation').selectOption('20 % for validation');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toContainText('A-dozen-validation.jsonl');
  await page.getByRole('link', { name: 'Create fine-tuning job' }).click();
  const job = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
  await expect(job.getByRole('combobox', { name: 'Training file' })).toContainText('A-dozen.jsonl');
  await expect(job.getByRole('region', { name: 'File check' })).toContainText('Ready to train');
  await job.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\?tab=jobs$/);
  await page.goto('/fine-tuning?tab=datasets');
  await page.getByRole('button', { name: 'Actions for A dozen' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No datasets yet' })).toBeVisible();
});

test('makes the pages accessible in both themes, and fits them on a phone', async ({ page, roster, withAssistant }) => {
  await followDevice(page);
  await ratedThread(page, roster, withAssistant.assistantId, [
    { value: 'good' },
    { value: 'bad', correction: 'w'.repeat(400) },
  ]);
  const { body } = await request(page, roster, 'POST', '/api/fine-tuning/datasets', {
    name: 'n'.repeat(100),
    format: 'preference',
  });
  async function expectFitting() {
    for (const width of [1440, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await expectAccessibleInBothThemes(page);
      await expectNoSidewaysScroll(page);
    }
  }
  await page.goto('/fine-tuning?tab=datasets');
  await expect(page.getByRole('link', { name: /^nnn/ })).toBeVisible();
  await expectFitting();
  await page.goto(`/fine-tuning/datasets/${body.id}`);
  await expect(example(page)).toContainText('Worse answer');
  await expectFitting();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await expect(page.getByRole('form', { name: 'Edit example' })).toBeVisible();
  await expectFitting();
});

test('lets a Viewer rate, and read datasets', async ({ page, elsewhere, roster, administrator, withAssistant }) => {
  const id = await ratedThread(page, roster, withAssistant.assistantId, [{ value: 'good' }]);
  const { body } = await request(page, roster, 'POST', '/api/fine-tuning/datasets', { name: 'Mine' });
  const { body: me } = await request(page, roster, 'GET', '/api/user');
  await request(elsewhere, roster, 'POST', '/api/login', { email: administrator.email, password });
  await request(elsewhere, roster, 'PATCH', `/api/admin/users/${me.id}`, { role: 'Viewer' });
  await page.goto(`/chat/${id}`);
  const bad = conversation(page).answers.first().getByRole('button', { name: 'Bad answer' });
  await bad.click();
  await expect(bad).toHaveAttribute('aria-pressed', 'true');
  await page.goto(`/fine-tuning/datasets/${body.id}`);
  await expect(example(page)).toContainText('Example 1 of 1');
  for (const name of ['Gather More', 'Save as File', 'Keep', 'Leave out', 'Edit'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('k');
  await expect(page.getByText('0 of 1 reviewed')).toBeVisible();
});
