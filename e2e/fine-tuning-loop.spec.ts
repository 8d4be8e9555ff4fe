import type { Page } from '@playwright/test';
import { conversation, exchange, startThread } from './conversation.ts';
import { expect, expectToast, request, test } from './fixtures.ts';
import { jobStepMs as step } from './roster.ts';

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** The whole promise: what people say about answers becomes a model, and the model's cost is known. */
test('turns rated chats into a tuned model: gather, check, train, compare, use, see the cost', async ({
  page,
  roster,
  withAssistant,
}) => {
  test.slow();
  await page.setViewportSize({ width: 1440, height: 900 });

  // Chat, and rate: two answers by hand, those of an earlier conversation through the API.
  const earlier = await startThread(page, roster, { title: 'Rules 1 to 12', assistantId: withAssistant.assistantId });
  for (let number = 1; number <= 12; number++) {
    await exchange(page, roster, earlier, `What is rule ${number} of the house?`);
    const { body } = await request(page, roster, 'GET', `/api/threads/${earlier}/messages`);
    await request(page, roster, 'POST', `/api/messages/${body.items.at(-1).id}/rating`, { value: 'good' });
  }
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const talk = conversation(page);
  for (const number of [13, 14]) {
    await talk.ask(`What is rule ${number} of the house?`);
    await expect(talk.questions.last()).toContainText(String(number));
    await expect(talk.answers).toHaveCount(number - 12);
    await expect(talk.answers.last().getByRole('button', { name: 'Regenerate' })).toBeVisible();
  }
  const good = talk.answers.first().getByRole('button', { name: 'Good answer' });
  // By keyboard: the page may still be scrolling to the end of the conversation.
  await good.press('Enter');
  await expect(good).toHaveAttribute('aria-pressed', 'true');
  const last = talk.answers.last();
  await last.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Improve this answer' }).click();
  const editor = page.getByRole('dialog', { name: 'Improve this answer' });
  await editor.getByRole('textbox', { name: 'Corrected answer' }).fill('Rule 14: who comes last turns off the light.');
  await editor.getByRole('button', { name: 'Save Correction' }).click();
  await expect(last).toContainText('Corrected for training');

  // Dataset.
  await page.goto('/fine-tuning?tab=datasets');
  await page.getByRole('button', { name: 'New Dataset' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('House rules');
  await page.getByRole('dialog').getByRole('button', { name: 'Gather' }).click();
  await expectToast(page, 'Success', '14 examples gathered.');
  const example = page.getByRole('article', { name: 'Example' });
  await expect(example).toContainText('Example 1 of 14');
  await page.keyboard.press('k');
  await expect(example).toContainText('Example 2 of 14');
  await page.getByRole('button', { name: 'Save as File' }).click();
  await page.getByLabel('Validation').selectOption('20 % for validation');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Create fine-tuning job' }).click();

  // Check and train.
  const job = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
  await expect(job.getByRole('region', { name: 'File check' })).toContainText('Ready to train');
  await job.getByRole('textbox', { name: 'Name' }).fill('House rules');
  await job.getByRole('combobox', { name: 'Base model', exact: true }).selectOption('gpt-4.1-mini-2025-04-14');
  await expect(job.getByRole('region', { name: 'File check' })).toContainText('$');
  await job.getByRole('button', { name: 'Create Job' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\/jobs\/\d+$/);
  await expect(card(page, 'State')).toContainText('Validating files');
  await roster.advance(7 * step);
  await expect(card(page, 'State')).toContainText('Running');
  await expect(card(page, 'Curves').getByRole('slider')).toHaveAttribute(
    'aria-valuetext',
    /Training loss [\d.]+, Validation loss [\d.]+/,
  );
  await roster.advance(30 * step);
  await expect(card(page, 'State')).toContainText('The fine-tuned model is ready.');

  // Compare with the held-out examples.
  await page.getByRole('link', { name: 'Compare with the Base Model' }).click();
  const prepare = page.getByRole('dialog', { name: 'New comparison' });
  await expect(prepare.getByLabel('Base model')).toHaveText('gpt-4.1-mini-2025-04-14');
  await expect(prepare.getByLabel('Tuned model')).toHaveText(/ft:gpt-4\.1-mini/);
  const tunedModel = (await prepare.getByLabel('Tuned model').getAttribute('value')) ?? '';
  await prepare.getByRole('button', { name: 'Prepare comparison' }).click();
  await expect(page).toHaveURL(/\/fine-tuning\/comparisons\/\d+$/);
  await page.getByRole('button', { name: 'Ask all' }).click();
  await expect(page.getByText(/^(\d+) of \1 prompts answered/)).toBeVisible();
  const first = page.getByRole('region', { name: 'Prompt 1', exact: true });
  await first.getByRole('button', { name: 'Tuned better' }).click();
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(/Tuned better\s*1/);

  // Active from the start: switched off and on again, it disappears from the model picker and returns.
  await page.goto('/fine-tuning?tab=models');
  const model = page.getByRole('list', { name: 'Fine-tuned models' }).getByRole('listitem');
  await expect(model).toContainText(tunedModel);
  await model.getByRole('button', { name: 'Deactivate' }).click();
  await expect(model).toContainText('Inactive');
  await model.getByRole('button', { name: 'Activate' }).click();
  await expect(model).not.toContainText('Inactive');
  await model.getByRole('button', { name: 'Create Assistant' }).click();
  await page.getByRole('button', { name: 'Chat with it' }).click();
  await expect(page).toHaveURL(/\/chat\?assistant=\d+/);
  await talk.ask('What is rule 3 of the house?');
  await expect(talk.answers.last().getByRole('button', { name: 'Regenerate' })).toBeVisible();

  // The cost of everything.
  await page.goto(`/analytics?${daysAround()}`);
  const recent = page.getByRole('region', { name: 'Recent Requests', exact: true });
  await expect(recent.getByRole('link', { name: 'Open comparison' }).filter({ visible: true }).first()).toBeVisible();
  await expect(recent.getByRole('link', { name: 'Open job' })).toHaveCount(0);
  await page.getByRole('button', { name: /: show jobs$/ }).click();
  const trainings = page.getByRole('dialog', { name: /^Fine-tuning jobs of / });
  await expect(trainings.getByRole('link', { name: 'Open job' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText(tunedModel).filter({ visible: true }).first()).toBeVisible();
  const { body } = await request(page, roster, 'GET', `/api/analytics?${daysAround()}`);
  const costOf = (name: string) =>
    body.byModel.find((row: { model: string; costUsd: number | null }) => row.model === name)?.costUsd;
  expect(costOf(tunedModel)).toBeGreaterThan(0);
  const { body: jobs } = await request(page, roster, 'GET', '/api/fine-tuning/jobs');
  expect(jobs[0].costUsd).toBeGreaterThan(0);
  expect(body.fineTuning).toMatchObject([{ jobs: 1, trainedTokens: jobs[0].trainedTokens, costUsd: jobs[0].costUsd }]);
  const { body: training } = await request(
    page,
    roster,
    'GET',
    `/api/analytics/requests?${daysAround()}&purpose=training`,
  );
  expect(training.items).toHaveLength(1);
  expect(training.items[0]).toMatchObject({
    costUsd: jobs[0].costUsd,
    inputTokens: jobs[0].trainedTokens,
    jobId: jobs[0].id,
  });
});

/** The provider's clock is ahead by the training, so that it may have ended tomorrow. */
function daysAround() {
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  return `from=${day(-1)}&to=${day(1)}`;
}
