import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import {
  test as base,
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  goodKey,
  newEmail,
  pickModel,
  request,
  toasts,
} from './fixtures.ts';
import { type Roster, startRoster, jobStepMs as step } from './roster.ts';

/** gpt-4o retires tomorrow, gpt-5 has retired, and its successor gpt-6.1-sol accepts no temperature. */
const dayBefore = '2027-01-13';
const lastDay = '2027-01-14';

/** The shipped catalogue of a provider that trains the successor of gpt-4o-mini and no other model. */
function catalogueWithTraining(file: string) {
  const shipped: { models: { match: string }[] } = JSON.parse(
    readFileSync('server/src/provider/catalogue/catalogue.json', 'utf8'),
  );
  const training = { models: ['gpt-6-luna'], price: null, methods: ['supervised'], description: 'Small and quick' };
  const models = shipped.models.map((model) => (model.match === 'gpt-6-luna' ? { ...model, training } : model));
  writeFileSync(file, JSON.stringify({ ...shipped, models }));
}

const test = base.extend<object, { roster: Roster }>({
  roster: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'roster-e2e-catalogue-'));
      const catalogue = join(folder, 'catalogue.json');
      catalogueWithTraining(catalogue);
      await using roster = await startRoster({ day: dayBefore, env: { MODEL_CATALOGUE: catalogue } });
      await use(roster);
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
});
// One installation for all of them; the last one advances the day.
test.describe.configure({ mode: 'default' });

const phone = { width: 390, height: 844 };
const desktop = { width: 1440, height: 900 };

/** In both themes, and on a phone. */
async function expectFitting(page: Page) {
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize(phone);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.setViewportSize(desktop);
}

const saveKey = async (page: Page, roster: Roster, apiKey = goodKey) =>
  expect((await request(page, roster, 'POST', '/api/settings/apikey', { apiKey })).status).toBe(200);
async function create(page: Page, roster: Roster, draft: object): Promise<number> {
  const { status, body } = await request(page, roster, 'POST', '/api/assistants', draft);
  expect(status).toBe(201);
  return body.id;
}
const cardOf = (page: Page, name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) });

test('shows retiring models on Home, assistants and their own page, and migrates and reverts', async ({
  page,
  roster,
  signedIn: _,
}) => {
  await followDevice(page);
  // Without a key any model may be named, even a retired one.
  await create(page, roster, { name: 'Writer', model: 'gpt-5', reasoningEffort: 'minimal' });
  for (const name of ['Tutor', 'ההיסטוריון']) await create(page, roster, { name, model: 'gpt-4o' });
  await saveKey(page, roster);

  await page.goto('/');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText(/gpt-5 retired on December 11, 2026.*gpt-4o retires on January 14, 2027/);
  await expectFitting(page);
  await attention.getByRole('link', { name: 'See what uses it' }).first().click();
  await expect(page).toHaveURL(/\/assistants\/models$/);
  await expect(cardOf(page, 'gpt-5')).toContainText('Retired on December 11, 2026');
  await expect(cardOf(page, 'gpt-4o')).toContainText('ההיסטוריון');
  await expectFitting(page);

  // From a retired model, by keyboard alone.
  await page.getByRole('button', { name: 'Migrate the assistants on gpt-5', exact: true }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Migrate to a successor' });
  await expect(dialog.getByLabel('New model')).toHaveText('gpt-6.1-sol');
  await expect(dialog).toContainText('gpt-6.1-sol does not support the reasoning effort of 1 assistant');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Migrate 1 assistant' }).focus();
  await page.keyboard.press('Enter');
  await expectToast(page, '1 assistant migrated to gpt-6.1-sol', 'Each was saved as a new version.');
  await expect(cardOf(page, 'gpt-5')).toBeHidden();

  // All on the one that retires tomorrow, to a model that accepts no temperature, and back.
  await page.getByRole('button', { name: 'Migrate the assistants on gpt-4o', exact: true }).click();
  await pickModel(dialog.getByLabel('New model'), 'gpt-6.1-sol');
  await expect(dialog).toContainText('gpt-6.1-sol does not accept a temperature; it is ignored for 2 assistants');
  await expectFitting(page);
  await dialog.getByRole('button', { name: 'Migrate 2 assistants' }).click();
  await expect(cardOf(page, 'gpt-4o')).toBeHidden();
  await expect(page.getByText('None of your models retires soon')).toBeVisible();
  await toasts(page).filter({ hasText: '2 assistants migrated' }).getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, '2 assistants back on gpt-4o', '');
  await expect(cardOf(page, 'gpt-4o')).toContainText('Tutor');

  await page.goto('/settings?tab=assistants');
  await expect(cardOf(page, 'Tutor')).toContainText('This model retires on January 14, 2027.');
  const moves = page.getByRole('region', { name: 'Model migrations' }).getByRole('listitem');
  await expect(moves).toHaveCount(2);
  await expect(moves.first()).toContainText('Undone');
  await expectFitting(page);
});

test('asks the successor real questions next to past answers, judges, and leads to the migration', async ({
  page,
  roster,
  withAssistant: { assistantId },
}) => {
  await followDevice(page);
  const threadId = await startThread(page, roster, { assistantId, title: 'Tides' });
  for (const question of ['Why are there tides?', 'And twice a day?'])
    await exchange(page, roster, threadId, `${question} [[bench 12]] [[delay 0]]`);

  await page.goto('/settings?tab=assistants');
  await page.getByRole('button', { name: 'Try it first' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test on real questions' });
  await expect(dialog.getByRole('list', { name: 'Questions' }).getByRole('listitem')).toHaveCount(2);
  await expect(dialog).toContainText('gpt-6.1-terra accepts a temperature only when reasoning effort is None');
  await expectFitting(page);
  await dialog.getByRole('button', { name: 'Prepare' }).click();

  await expect(page).toHaveURL(/\/fine-tuning\/comparisons\/\d+$/);
  const main = page.getByRole('main');
  await expect(main).toContainText(/about \$0\.00/i);
  await page.getByRole('button', { name: 'Ask all' }).click();
  await expect(page.getByText('2 of 2 prompts answered')).toBeVisible();
  const prompt = page.getByRole('region', { name: 'Prompt 1', exact: true });
  await prompt.getByRole('button', { name: 'New better' }).focus();
  await page.keyboard.press('Enter');
  await expect(prompt.getByRole('button', { name: 'New better' })).toHaveAttribute('aria-pressed', 'true');

  const judge = page.getByRole('region', { name: 'Judge', exact: true });
  await pickModel(judge.getByRole('combobox', { name: 'Model' }), 'gpt-6-luna');
  await expect(judge).toContainText('$');
  await judge.getByRole('button', { name: 'Start judging' }).click();
  await expect(judge).toContainText('2 of 2 prompts judged');
  await expect(judge).toContainText(/The judge agrees with [01] of your 1 vote/);
  const results = page.getByRole('region', { name: 'Results', exact: true });
  await results.getByRole('button', { name: 'Table' }).click();
  await expect(results.getByRole('table', { name: 'Results' }).getByRole('row')).toHaveCount(3);
  const download = page.waitForEvent('download');
  await results.getByRole('button', { name: 'Save CSV' }).click();
  const lines = readFileSync(await (await download).path(), 'utf8').split('\r\n');
  expect(lines[0]).toContain('Candidate (gpt-6.1-terra),Baseline (gpt-4o),Vote,Verdict,Agrees');
  expect(lines[2]).toContain('Why are there tides?');
  await expectFitting(page);

  await page.getByRole('button', { name: 'Migrate', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Migrate 1 assistant' }).click();
  await expectToast(page, '1 assistant migrated to gpt-6.1-terra', '');
});

test('retrains a tuned model where its successor is trained, and otherwise offers an assistant', async ({
  page,
  roster,
  signedIn: _,
}) => {
  await followDevice(page);
  await saveKey(page, roster, goodKey + newEmail().replaceAll(/\W/g, ''));
  const lines = Array.from({ length: 12 }, (_, number) =>
    JSON.stringify({
      messages: [
        { role: 'user', content: `How do I reset device ${number}?` },
        { role: 'assistant', content: `Hold the button of device ${number} for ten seconds.` },
      ],
    }),
  );
  const stored = await page.request.post(`${roster.url}/api/files/upload`, {
    headers: { origin: roster.url },
    multipart: {
      purpose: 'fine-tune',
      file: { name: 'devices.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(`${lines.join('\n')}\n`) },
    },
  });
  const { id: trainingFileId } = await stored.json();
  for (const [name, baseModel] of [
    ['Small', 'gpt-4o-mini-2024-07-18'],
    ['Large', 'gpt-4o-2024-08-06'],
  ]) {
    const draft = { name, baseModel, trainingFileId, hyperparameters: { n_epochs: 2 } };
    const { body } = await request(page, roster, 'POST', '/api/fine-tuning/jobs', draft);
    const job = async () => (await request(page, roster, 'GET', `/api/fine-tuning/jobs/${body.id}`)).body;
    await expect.poll(async () => String((await job()).providerJobId)).toMatch(/^ftjob-/);
    await roster.advance(40 * step);
    await expect.poll(async () => (await job()).status).toBe('succeeded');
  }

  await page.goto('/assistants/models');
  const large = cardOf(page, 'gpt-4o-2024-08-06');
  await expect(large).toContainText('Large, created by job Large');
  await expect(large).toContainText('OpenAI does not train gpt-6.1-terra.');
  await expectFitting(page);
  await large.getByRole('button', { name: 'Use gpt-6.1-terra: Large' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Large');
  await expect(page.getByLabel('Model', { exact: true })).toHaveText('gpt-6.1-terra');

  await page.goto('/fine-tuning?tab=models');
  const small = cardOf(page, 'Small');
  await expect(small).toContainText(/Retires on January 14, 2027.*job Small/);
  await expectFitting(page);
  await small.getByRole('button', { name: 'Train again on gpt-6-luna: Small' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveValue('Small');
  await expect(dialog.getByRole('combobox', { name: 'Base model', exact: true })).toHaveValue('gpt-6-luna');
  await expect(dialog.getByRole('combobox', { name: 'Training file', exact: true })).toHaveValue(
    String(trainingFileId),
  );
  await expect(dialog.getByRole('textbox', { name: 'Epochs' })).toHaveValue('2');
  await expect(dialog.getByRole('region', { name: 'File check' })).toContainText('Ready to train');
  await expectFitting(page);
});

test('keeps a conversation with a retired model readable, and continues it after one question', async ({
  page,
  roster,
  signedIn: _,
}) => {
  await followDevice(page);
  await saveKey(page, roster);
  const { body: thread } = await request(page, roster, 'POST', '/api/threads', { title: 'Foxes', model: 'gpt-4o' });
  await exchange(page, roster, thread.id, 'What is a fox? [[bench 12]] [[delay 0]]');
  await page.goto(`/chat/${thread.id}`);
  // Home and the assistant's card announce it, not the conversation.
  await expect(page.getByRole('article', { name: 'Answer' })).toContainText('t0000');
  await expect(page.getByText('gpt-4o retires on')).toHaveCount(0);
  await expectFitting(page);

  // The page's idle-time downloads have finished: nothing responds for a moment now.
  await expect(page.getByRole('region', { name: 'Notifications' })).toBeAttached();
  await roster.turnTo(lastDay);
  await page.goto(`/chat/${thread.id}`);
  const { ask, answers, questions, untilDone, message, send } = conversation(page);
  await expect(page.getByText('gpt-4o has retired. Continue with gpt-6.1-terra?')).toBeVisible();
  await expect(answers).toContainText('t0000 t0001');
  await expectFitting(page);
  // Not silently.
  await message.fill('And a wolf?');
  await send.click();
  await expect(page.getByText(/gpt-4o retired on January 14, 2027\. Continue with gpt-6\.1-terra/)).toBeVisible();
  await expect(message).toHaveValue('And a wolf?');
  await message.fill('');
  await page.getByRole('button', { name: 'Continue with gpt-6.1-terra' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('gpt-4o has retired. Continue with gpt-6.1-terra?')).toBeHidden();
  await ask('And a wolf? [[bench 12]] [[delay 0]]');
  await untilDone();
  await expect(questions).toHaveCount(2);
  await answers.last().hover();
  await expect(answers.last().getByText('gpt-6.1-terra', { exact: true })).toBeVisible();
});
