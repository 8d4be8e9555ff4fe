import type { Page } from '@playwright/test';
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  goodKey,
  newEmail,
  password,
  request,
  test,
  toasts,
} from './fixtures.ts';
import { holdUploads, untilAskedToWait } from './held-uploads.ts';
import { type Roster, jobStepMs as step } from './roster.ts';

const baseModel = 'gpt-4.1-mini-2025-04-14';

const example = (number: number) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `How do I reset device ${number}?` },
      { role: 'assistant', content: `Hold the button of device ${number} for ten seconds.` },
    ],
  });
const examples = (count: number) => `${Array.from({ length: count }, (_, number) => example(number)).join('\n')}\n`;
const pairs = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => index + from)
    .map((number) => JSON.stringify({ prompt: `Question ${number} ->`, completion: ` Answer ${number}` }))
    .join('\n');

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
const field = (page: Page, name: string) => dialog(page).getByRole('combobox', { name, exact: true });
const check = (page: Page) => dialog(page).getByRole('region', { name: 'File check' });
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** A separate key has separate objects at the provider. */
const ownKey = () => goodKey + newEmail().replaceAll(/\W/g, '');

async function saveKey(page: Page, roster: Roster, apiKey: string) {
  const { status } = await request(page, roster, 'POST', '/api/settings/apikey', { apiKey });
  expect(status).toBe(200);
}

async function store(page: Page, roster: Roster, name: string, content: string): Promise<number> {
  const answer = await page.request.post(`${roster.url}/api/files/upload`, {
    headers: { origin: roster.url },
    multipart: {
      purpose: 'fine-tune',
      file: { name, mimeType: 'application/jsonl', buffer: Buffer.from(content) },
    },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).id;
}

/** Creates a job through the API. */
async function begin(page: Page, roster: Roster, name: string): Promise<number> {
  const trainingFileId = await store(page, roster, 'examples.jsonl', examples(20));
  const validationFileId = await store(page, roster, 'others.jsonl', examples(40).split('\n').slice(20).join('\n'));
  const draft = { name, baseModel, trainingFileId, validationFileId };
  const { status, body } = await request(page, roster, 'POST', '/api/fine-tuning/jobs', draft);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

async function untilJob(page: Page, roster: Roster, id: number, status: string) {
  await expect
    .poll(async () => (await request(page, roster, 'GET', `/api/fine-tuning/jobs/${id}`)).body.status)
    .toBe(status);
}

async function openDialog(page: Page) {
  await page.goto('/fine-tuning');
  await page.getByRole('button', { name: 'Create Fine-Tuning Job' }).first().click();
  await expect(dialog(page)).toBeVisible();
}

async function chooseFile(page: Page, name: string, filename: string) {
  const option = field(page, name).locator('option', { hasText: filename });
  await field(page, name).selectOption(await option.getAttribute('value'));
}

test.beforeEach(async ({ page, roster, signedIn: _ }) => {
  await saveKey(page, roster, ownKey());
});

test('says without a key that one is required', async ({ page, roster }) => {
  const { status } = await request(page, roster, 'DELETE', '/api/settings/apikey');
  expect(status).toBeLessThan(300);
  await page.goto('/fine-tuning');
  await expect(page.getByRole('heading', { name: 'API key required' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create Fine-Tuning Job' })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Fine-Tuned Models' }).click();
  await page.getByRole('link', { name: 'Go to Settings' }).click();
  await expect(page).toHaveURL(/\/settings\?tab=api-keys/);
});

test('checks files at once: errors by line, conversion, a split, tokens and price', async ({ page, roster }) => {
  await store(page, roster, 'broken.jsonl', `${examples(5)}{"messages":[]}\nnot json\n${examples(12)}`);
  await store(page, roster, 'pairs.jsonl', `${pairs(12)}\nnot json\n{"prompt":"No answer"}\n${pairs(12, 12)}`);
  await openDialog(page);
  const submit = dialog(page).getByRole('button', { name: 'Create Job' });

  await submit.click();
  for (const missing of ['Name is required', 'Base model is required', 'Training file is required'])
    await expect(dialog(page).getByText(missing)).toBeVisible();

  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Support tone');
  await field(page, 'Base model').selectOption(baseModel);
  await expect(
    dialog(page).getByText(`${baseModel} retires on December 31, 2099; models fine-tuned from it stop working too.`),
  ).toBeVisible();
  await expect(dialog(page).getByText('per 1,000 tokens of training')).toBeVisible();

  await chooseFile(page, 'Training file', 'broken.jsonl');
  await expect(check(page).getByText('Not ready to train')).toBeVisible();
  const problems = check(page).getByRole('list', { name: 'Problems in broken.jsonl' });
  await expect(problems).toContainText('Line 6');
  await expect(problems).toContainText('Line 7');
  await expect(submit).toHaveAttribute('aria-disabled', 'true');
  await expect(submit).toHaveAccessibleDescription(/must be fixed first/);
  await expectAccessible(page);

  await chooseFile(page, 'Training file', 'pairs.jsonl');
  await expect(submit).toHaveAccessibleDescription('Convert the training file to chat format first.');
  await check(page).getByRole('button', { name: 'Convert to Chat Format' }).click();
  await expect(check(page).getByText('Ready to train', { exact: true })).toBeVisible();
  await expect(check(page).getByText('24 lines converted, 2 left out')).toBeVisible();
  await expect(check(page)).toContainText('line 13, 14 of the file that pairs-chat.jsonl was converted from.');
  await expectAccessible(page);
  await expect(check(page).getByText('Estimated price')).toBeVisible();
  await expect(check(page)).toContainText('epochs likely');

  await check(page).getByRole('slider', { name: 'Share for validation' }).fill('25');
  await check(page).getByRole('button', { name: 'Split Off Validation Data' }).click();
  await expect(check(page).getByText('Validation file', { exact: true })).toBeVisible();
  await expect(check(page)).toContainText('18 examples');
  await expect(check(page)).toContainText('6 examples');
  await expect(field(page, 'Validation file')).not.toHaveValue('');

  await dialog(page).getByText('Hyperparameters').click();
  await dialog(page).getByLabel('Epochs').fill('2');
  await expect(check(page)).toContainText('Trained tokens, 2 epochs');
  await dialog(page).getByLabel('Epochs').fill('90');
  await submit.click();
  await expect(dialog(page).getByText('At most 50 epochs')).toBeVisible();

  // Typed text is not lost by accident.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await expect(dialog(page).getByRole('textbox', { name: 'Name' })).toHaveValue('Support tone');
});

test('makes an upload of examples wait while the server accepts no more', async ({ page, roster }) => {
  await openDialog(page);
  const held = await holdUploads(page, roster);
  const asked = untilAskedToWait(page);
  await dialog(page)
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'mine.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(examples(12)) });
  await asked;
  await expect(dialog(page).getByRole('button', { name: 'Cancel the upload' })).toBeVisible();
  held.release();
  await expect(field(page, 'Training file')).toContainText('mine.jsonl');
  await expect(toasts(page)).toHaveCount(0);
});

test('cancels a check, and loses nothing of a rejected job', async ({ page }) => {
  await openDialog(page);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/fine-tuning/validate', async (route) => {
    await held;
    await route.fallback();
  });
  await dialog(page)
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'mine.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(examples(12)) });
  await check(page).getByRole('button', { name: 'Cancel Check' }).click();
  await expect(check(page).getByText('Not checked')).toBeVisible();
  release();
  await check(page).getByRole('button', { name: 'Check Again' }).click();
  await expect(check(page).getByText('Ready to train', { exact: true })).toBeVisible();

  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Mine');
  await field(page, 'Base model').selectOption(baseModel);
  await expect(check(page).getByText('Ready to train', { exact: true })).toBeVisible();
  // Stored, but the response never reaches the browser.
  await page.route('**/api/fine-tuning/jobs', async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Busy, try again.', requestId: 'r' } });
  });
  await dialog(page).getByRole('button', { name: 'Create Job' }).click();
  await expectToast(page, 'Error', 'Failed to create fine-tuning job. Busy, try again.');
  await expect(dialog(page).getByRole('textbox', { name: 'Name' })).toHaveValue('Mine');
  await page.unroute('**/api/fine-tuning/jobs');
  await dialog(page).getByRole('button', { name: 'Create Job' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\/jobs\/\d+$/);
  const { length } = await (await page.request.get('/api/fine-tuning/jobs')).json();
  expect(length).toBe(1);
});

test('leads from the dialog to an assistant: curves, the end announced, activation, deletion', {
  tag: '@main',
}, async ({ page, roster }) => {
  await store(page, roster, 'examples.jsonl', examples(30));
  await openDialog(page);
  await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Support tone');
  await field(page, 'Base model').selectOption(baseModel);
  await chooseFile(page, 'Training file', 'examples.jsonl');
  await check(page).getByRole('button', { name: 'Split Off Validation Data' }).click();
  await expect(check(page).getByText('Validation file', { exact: true })).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Create Job' }).click();
  await expectToast(page, 'Success', 'Support tone has been created.');
  await expect(page).toHaveURL(/\/fine-tuning\/jobs\/\d+$/);
  const id = Number(page.url().split('/').at(-1));

  await untilJob(page, roster, id, 'validating_files');
  await expect(card(page, 'State')).toContainText('Validating files');
  await expect(card(page, 'Curves')).toContainText('The first measurements appear once the training runs.');
  await roster.advance(6 * step);
  await untilJob(page, roster, id, 'running');
  await expect(card(page, 'State')).toContainText('Running');
  const chart = card(page, 'Curves').getByRole('slider');
  await expect(chart).toHaveAttribute('aria-valuetext', /Step \d+, Training loss [\d.]+, Validation loss [\d.]+/);
  await expect(card(page, 'State')).toContainText('Cost so far');
  await expect(card(page, 'State')).toContainText('≈ $');
  const latest = await chart.getAttribute('aria-valuetext');
  await chart.focus();
  await page.keyboard.press('Home');
  expect(await chart.getAttribute('aria-valuetext')).not.toBe(latest);
  await card(page, 'Curves').getByRole('tab', { name: 'Accuracy' }).click();
  await expect(card(page, 'Curves').getByRole('slider')).toHaveAttribute('aria-valuetext', /Training accuracy [\d.]+%/);
  await card(page, 'Curves').getByText('Show the measurements as a table').click();
  await expect(card(page, 'Curves').getByRole('columnheader', { name: 'Validation accuracy' })).toBeVisible();
  await expect(card(page, 'Events').getByRole('listitem').first()).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Pause' }).click();
  await expectToast(page, 'Success', 'Support tone has been paused.');
  await expect(card(page, 'State')).toContainText('Paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(card(page, 'State')).toContainText('Running');

  // Announced on any page.
  await page.getByRole('link', { name: 'Fine-Tuning Jobs' }).click();
  await expect(page.getByRole('table', { name: 'Fine-tuning jobs' })).toContainText('Running');
  await roster.advance(30 * step);
  await expectToast(page, 'Training finished', 'Support tone has its fine-tuned model.');
  await expect(page.getByRole('table', { name: 'Fine-tuning jobs' })).toContainText('Succeeded');
  await page.getByRole('link', { name: 'Support tone' }).click();
  await expect(card(page, 'State')).toContainText('The fine-tuned model is ready.');
  await expect(card(page, 'State')).toContainText('An estimate from the last known price');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download Results (CSV)' }).click();
  expect((await saved).suggestedFilename()).toBe('Support-tone-metrics.csv');
  await card(page, 'Checkpoints').getByRole('button', { name: 'Activate' }).last().click();
  await expectToast(page, 'Success', 'can now be chosen as a model.');

  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await expectToast(page, 'Assistant created', 'Support tone answers with the fine-tuned model.');
  await page.getByRole('button', { name: 'Chat with it' }).click();
  await expect(page).toHaveURL(/\/chat\?assistant=\d+/);

  await page.goto('/fine-tuning?tab=models');
  const models = page.getByRole('list', { name: 'Fine-tuned models' }).getByRole('listitem');
  await expect(models).toHaveCount(2);
  const tuned = models.filter({ hasNotText: 'Checkpoint' });
  await expect(tuned).toContainText('Active');
  const modelId = (await tuned.locator('code').textContent()) ?? '';
  await page.goto('/settings?tab=assistants&view=create');
  await page.getByLabel('Model', { exact: true }).click();
  await expect(page.getByRole('option', { name: modelId })).not.toHaveCount(0);
  await page.goto('/fine-tuning?tab=models');
  await tuned.getByRole('button', { name: 'Deactivate' }).click();
  await expectToast(page, 'Success', 'can no longer be chosen as a model.');
  await expect(tuned).toContainText('Inactive');
  await page.goto('/settings?tab=assistants&view=create');
  await page.getByLabel('Model', { exact: true }).click();
  await expect(page.getByRole('option')).not.toHaveCount(0);
  // A checkpoint of it, whose id begins with this one, is still offered.
  await expect(page.getByRole('option').filter({ has: page.getByText(modelId, { exact: true }) })).toHaveCount(0);
  await page.goto('/fine-tuning?tab=models');
  await expectAccessible(page);
  await tuned.getByRole('button', { name: 'Delete Support tone' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete Model' });
  await expect(question).toContainText('This assistant uses it and stops working');
  await question.getByRole('button', { name: 'Delete', exact: true }).click();
  await expectToast(page, 'Success', 'Support tone has been deleted.');
  await expect(models).toHaveCount(1);
});

test('tells an account that may not train why, with the dates', async ({ page, roster }) => {
  await saveKey(page, roster, `sk-notraining${'x'.repeat(40)}`);
  const id = await begin(page, roster, 'Not allowed');
  await untilJob(page, roster, id, 'failed');
  await page.goto(`/fine-tuning/jobs/${id}`);
  await expect(page.getByText('This account cannot train at OpenAI')).toBeVisible();
  await expect(page.getByText('January 6, 2027')).toBeVisible();
  await expectAccessible(page);
});

test('imports the provider’s jobs once', async ({ page, roster, elsewhere }) => {
  const key = ownKey();
  await saveKey(page, roster, key);
  await begin(page, roster, 'Trained elsewhere');
  await request(elsewhere, roster, 'POST', '/api/register', { email: newEmail(), password });
  await saveKey(elsewhere, roster, key);
  await expect
    .poll(async () => {
      const { body } = await request(elsewhere, roster, 'POST', '/api/fine-tuning/jobs/import');
      return body.imported + body.known;
    })
    .toBe(1);
  await elsewhere.goto('/fine-tuning');
  await expect(elsewhere.getByRole('table', { name: 'Fine-tuning jobs' }).getByRole('row')).toHaveCount(2);
  await elsewhere.getByRole('button', { name: 'Import Jobs from OpenAI' }).click();
  await expectToast(elsewhere, 'Success', 'Nothing new: 1 job at OpenAI is already here.');
});

test('does not scroll sideways at 390 px and at 320 px, in light and dark', async ({ page, roster }) => {
  const id = await begin(page, roster, 'A rather long name of a job that has to break somewhere');
  await untilJob(page, roster, id, 'validating_files');
  await roster.advance(40 * step);
  await untilJob(page, roster, id, 'succeeded');
  await followDevice(page);
  async function expectFitting() {
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await expectNoSidewaysScroll(page);
      await expectAccessibleInBothThemes(page);
    }
  }
  for (const [path, shown] of [
    ['/fine-tuning', page.getByRole('list', { name: 'Fine-tuning jobs' })],
    [`/fine-tuning/jobs/${id}`, card(page, 'Curves').getByRole('slider')],
    ['/fine-tuning?tab=models', page.getByRole('list', { name: 'Fine-tuned models' })],
  ] as const) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path);
    await expect(shown).toBeVisible();
    await expectFitting();
  }
  await openDialog(page);
  await chooseFile(page, 'Training file', 'examples.jsonl');
  await expect(check(page).getByText('Ready to train', { exact: true })).toBeVisible();
  await expectFitting();
});
