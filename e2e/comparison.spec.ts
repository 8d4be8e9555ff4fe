import type { Page } from '@playwright/test';
import {
  expect,
  expectAccessible,
  expectNoSidewaysScroll,
  expectToast,
  pickModel,
  request,
  test,
  untilUsable,
} from './fixtures.ts';
import type { Roster } from './roster.ts';

const prompt = (page: Page, number: number) => page.getByRole('region', { name: `Prompt ${number}`, exact: true });
const answer = (page: Page, number: number, name: string) =>
  prompt(page, number).getByRole('region', { name: `${name} answer` });
const summary = (page: Page) => page.getByRole('region', { name: 'Summary' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'New comparison' });
const quick = '[[bench 12]] [[delay 0]]';
const endless = '[[bench 60000]] [[delay 20]]';

async function prepared(page: Page, roster: Roster, typed: string[], more: object = {}) {
  const draft = { candidateModel: 'gpt-4o-mini', baselineModel: 'gpt-4o', prompts: { typed }, ...more };
  const { status, body } = await request(page, roster, 'POST', '/api/comparisons', draft);
  expect(status).toBe(201);
  return Number(body.id);
}

async function open(page: Page, id: number) {
  await page.goto(`/fine-tuning/comparisons/${id}`);
  await expect(summary(page)).toBeVisible();
}

test('compares two models: prepares, asks, votes, and finds them again in Analytics', async ({
  page,
  roster,
  withAssistant: _,
}) => {
  await page.goto('/fine-tuning?tab=compare');
  await untilUsable(page);
  await expect(page.getByText('No comparisons yet')).toBeVisible();
  await page.getByRole('button', { name: 'New comparison' }).click();
  await dialog(page).getByRole('button', { name: 'Prepare comparison' }).click();
  await expect(dialog(page).getByText('Enter at least one prompt')).toBeVisible();
  await expect(dialog(page).getByLabel('Tuned model')).toBeFocused();
  await pickModel(dialog(page).getByLabel('Tuned model'), 'gpt-4o-mini');
  await pickModel(dialog(page).getByLabel('Base model'), 'gpt-4o');
  await dialog(page).getByLabel('Prompt 1').fill(`What is a parrot? ${quick}`);
  await dialog(page).getByRole('button', { name: 'Add prompt' }).click();
  await expect(dialog(page).getByLabel('Prompt 2', { exact: true })).toBeFocused();
  await page.keyboard.type(`What is a fox? ${quick}`);
  await dialog(page).getByLabel('Instructions').fill('Be brief.');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Prepare comparison' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\/comparisons\/\d+$/);
  await expect(page.getByText('0 of 2 prompts answered')).toBeVisible();
  await expect(answer(page, 1, 'Tuned')).toContainText('Not asked yet');

  await page.getByRole('button', { name: 'Ask all' }).click();
  await expect(page.getByText('2 of 2 prompts answered')).toBeVisible();
  for (const number of [1, 2])
    for (const name of ['Tuned', 'Base']) {
      await expect(answer(page, number, name)).toContainText('t0000 t0001');
      await expect(answer(page, number, name)).toContainText(/\d+ in, 12 out/);
      await expect(answer(page, number, name)).toContainText(/\d\.\d\d s/);
      await expect(answer(page, number, name)).toContainText('$0.00');
    }
  await expect(page.getByRole('button', { name: 'Ask all' })).toHaveAttribute('aria-disabled', 'true');

  // By keyboard alone.
  await prompt(page, 1).getByRole('button', { name: 'Tuned better' }).focus();
  await page.keyboard.press('Enter');
  await expect(answer(page, 1, 'Tuned')).toContainText('Better');
  await prompt(page, 2).getByRole('button', { name: 'Tuned better' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await expect(prompt(page, 2).getByRole('button', { name: 'Tie' })).toHaveAttribute('aria-pressed', 'true');
  await expect(summary(page)).toContainText(/Tuned better\s*1/);
  await expect(summary(page)).toContainText(/Tie\s*1/);
  await expectAccessible(page);

  await page.reload();
  await expect(summary(page)).toContainText(/Tuned better\s*1/);
  await expect(prompt(page, 2).getByRole('button', { name: 'Tie' })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('link', { name: 'All comparisons' }).click();
  await expect(page.getByText('2 prompts, all answered')).toBeVisible();
  await expectAccessible(page);

  await page.goto('/analytics');
  const recent = page.getByRole('region', { name: 'Recent Requests', exact: true });
  const links = recent.getByRole('link', { name: 'Open comparison' });
  await expect(links.filter({ visible: true })).toHaveCount(4);
  await links.filter({ visible: true }).first().click();
  await expect(page).toHaveURL(/\/fine-tuning\/comparisons\/\d+$/);

  await page.getByRole('button', { name: 'Delete comparison' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expectToast(page, 'Comparison deleted', 'gpt-4o-mini and gpt-4o');
  await expect(page.getByText('No comparisons yet')).toBeVisible();
  expect((await request(page, roster, 'GET', '/api/comparisons')).body.items).toEqual([]);

  await page.goto('/analytics');
  await expect(recent.getByText('Comparison, deleted').filter({ visible: true })).toHaveCount(4);
  await expect(links).toHaveCount(0);
  await page
    .getByRole('region', { name: 'Cost by Model', exact: true })
    .getByRole('button', { name: 'gpt-4o-mini' })
    .click();
  const panel = page.getByRole('dialog', { name: 'Requests to gpt-4o-mini' });
  await expect(panel.getByText('Comparison, deleted')).toHaveCount(2);
  await expectAccessible(page);
});

test('does not hide a prompt’s answers by a response read before it was asked', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  const id = await prepared(page, roster, [quick, endless]);
  await open(page, id);
  const late = Promise.withResolvers<void>();
  // The state after the first prompt, arriving only while the second one is being answered.
  await page.route(`**/api/comparisons/${id}`, async (route) => {
    const response = await route.fetch();
    await late.promise;
    // It may have been aborted meanwhile.
    await route.fulfill({ response }).catch(() => undefined);
  });
  await prompt(page, 1).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(answer(page, 1, 'Base')).toContainText('t0011');
  await prompt(page, 2).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(answer(page, 2, 'Base')).toContainText('t0001');
  late.resolve();
  await expect(answer(page, 2, 'Base')).toContainText('t0030');
  await prompt(page, 2).getByRole('button', { name: 'Stop' }).click();
  await expect(answer(page, 2, 'Base')).toContainText('Stopped');
});

test('shows answers growing next to each other, over a reload, and stops and resumes them', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  const id = await prepared(page, roster, [endless, quick]);
  await open(page, id);
  await expect(page.getByText(/Asking 4 answers costs about \$/)).toBeVisible();
  await page.getByRole('button', { name: 'Ask all' }).click();
  for (const name of ['Tuned', 'Base']) await expect(answer(page, 1, name)).toContainText('t0003');
  await page.reload();
  for (const name of ['Tuned', 'Base']) await expect(answer(page, 1, name)).toContainText('t0005');
  await expect(answer(page, 2, 'Tuned')).toContainText('Not asked yet');
  // The server continues with the next one by itself.
  await prompt(page, 1).getByRole('button', { name: 'Stop' }).click();
  for (const name of ['Tuned', 'Base']) await expect(answer(page, 1, name)).toContainText('Stopped');
  await expect(page.getByText('1 of 2 prompts answered')).toBeVisible();
  await page.getByRole('button', { name: 'Ask the other 1' }).click();
  await expect(answer(page, 1, 'Tuned')).toContainText('Writing');
  await page.getByRole('main').getByRole('button', { name: 'Stop' }).first().click();
  for (const name of ['Tuned', 'Base']) await expect(answer(page, 1, name)).toContainText('Stopped');
});

test('shows a failure in the provider’s words, and retries only what is missing', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  const id = await prepared(page, roster, [quick], { candidateModel: 'ft:gpt-4o-mini:nobody::gone' });
  await open(page, id);
  await prompt(page, 1).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(answer(page, 1, 'Tuned').getByText('This model did not answer')).toBeVisible();
  await expect(answer(page, 1, 'Tuned')).toContainText('does not exist');
  await expect(answer(page, 1, 'Base')).toContainText('t0000');
  await expectAccessible(page);
  await prompt(page, 1).getByRole('button', { name: 'Try again' }).click();
  await expect(prompt(page, 1).getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(answer(page, 1, 'Base')).toContainText('t0000');
});

test('hides which model is which until the vote in a blind comparison', async ({ page, roster, withAssistant }) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  const id = await prepared(page, roster, [quick]);
  await open(page, id);
  await page.getByRole('switch', { name: 'Blind' }).check();
  await prompt(page, 1).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(page.getByText('1 of 1 prompt answered')).toBeVisible();
  await expect(answer(page, 1, 'A')).toContainText('t0000');
  await expect(prompt(page, 1)).not.toContainText('gpt-4o');
  await expect(prompt(page, 1)).not.toContainText('$');
  await prompt(page, 1).getByRole('button', { name: 'A better' }).click();
  await expect(prompt(page, 1)).toContainText('gpt-4o-mini');
  await expect(prompt(page, 1)).toContainText('Better');
});

test('reads prompts from a file, with its answers as the expected ones', async ({ page, roster, withAssistant: _ }) => {
  const lines = Array.from({ length: 30 }, (_, index) =>
    JSON.stringify({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: `Question ${index}` },
        { role: 'assistant', content: `Expected ${index}` },
      ],
    }),
  );
  const uploaded = await page.request.post(`${roster.url}/api/files/upload`, {
    headers: { origin: roster.url },
    multipart: {
      purpose: 'fine-tune',
      file: { name: 'validation.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) },
    },
  });
  expect(uploaded.status()).toBe(201);
  await page.goto('/fine-tuning?tab=compare');
  await page.getByRole('button', { name: 'New comparison' }).click();
  await pickModel(dialog(page).getByLabel('Tuned model'), 'gpt-4o');
  await pickModel(dialog(page).getByLabel('Base model'), 'gpt-4o-mini');
  await dialog(page).getByText('From a JSONL file').click();
  await dialog(page).getByRole('combobox', { name: 'File' }).selectOption({ label: 'validation.jsonl (0.00 MB)' });
  await dialog(page).getByRole('spinbutton', { name: 'Prompts' }).fill('3');
  await dialog(page).getByRole('button', { name: 'Prepare comparison' }).click();
  await expect(page.getByText('0 of 3 prompts answered')).toBeVisible();
  await expect(prompt(page, 1)).toContainText('Question 5');
  await prompt(page, 1).getByText('Expected answer').click();
  await expect(prompt(page, 1)).toContainText('Expected 5');
});

test('says in a comparison that a key is missing, and leads to Settings', async ({ page, roster, signedIn: _ }) => {
  await open(page, await prepared(page, roster, ['What is a parrot?']));
  await prompt(page, 1).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(prompt(page, 1).getByText('No API key is saved')).toBeVisible();
  await expect(prompt(page, 1).getByRole('link', { name: 'Open Settings' })).toBeVisible();
});

test('stops Ask all on a used-up budget, unless the user insists', async ({ page, roster, withAssistant }) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  const id = await prepared(page, roster, ['[[tokens 3000]] [[delay 0]]', quick]);
  await open(page, id);
  await prompt(page, 1).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(page.getByText('1 of 2 prompts answered')).toBeVisible();
  const budget = { assistantId: null, amountUsd: 0.01, hardStop: true };
  expect((await request(page, roster, 'POST', '/api/analytics/budgets', budget)).status).toBe(200);
  await page.getByRole('button', { name: 'Ask the other 1' }).click();
  await expect(page.getByText('Your budget is used up')).toBeVisible();
  await page.getByRole('button', { name: 'Ask anyway' }).click();
  await expect(page.getByText('2 of 2 prompts answered')).toBeVisible();
});

test('shows the answers one below the other on a phone, without sideways scrolling', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  const candidateModel = 'ft:gpt-4o-mini-2024-07-18:an-organisation:a-long-suffix:AbCdEf12';
  const id = await prepared(page, roster, [quick], { candidateModel });
  await page.setViewportSize({ width: 320, height: 700 });
  await open(page, id);
  await prompt(page, 1).getByRole('button', { name: 'Ask', exact: true }).click();
  await expect(answer(page, 1, 'Base')).toContainText('t0000');
  await expectNoSidewaysScroll(page);
  const [tuned, base] = [await answer(page, 1, 'Tuned').boundingBox(), await answer(page, 1, 'Base').boundingBox()];
  expect(base?.y).toBeGreaterThan(Number(tuned?.y));
  expect(base?.x).toBe(tuned?.x);
  await expectAccessible(page);
  await page.goto('/fine-tuning?tab=compare');
  await expect(page.getByText(candidateModel)).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.getByRole('button', { name: 'New comparison' }).click();
  await expectNoSidewaysScroll(page);
});
