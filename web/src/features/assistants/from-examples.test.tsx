import { assistants } from '@roster/contracts/assistants/assistants';
import { datasets } from '@roster/contracts/fine-tuning/datasets';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { serveAssistants } from '#web/testing/assistants.ts';
import { tunedModel } from '#web/testing/fine-tuning.ts';
import { model, modelList } from '#web/testing/new-account.ts';
import { expectText } from '#web/testing/page.ts';

const instructions = 'Answer as in these examples.\n\nQuestion: Rain?\nAnswer: Nobody knows.';
const main = page.getByRole('main');

function openModels() {
  open('/fine-tuning?tab=models', {
    answers() {
      const end = { shutdownDate: '2027-01-14', lifecycle: 'ending', successor: 'gpt-6-luna' } as const;
      answer(fineTuning.customModels, [tunedModel({ dataset: { id: 3, name: 'Rated answers' }, end })]);
      answer(fineTuning.baseModels, {});
      answer(models.list, modelList(model('gpt-4o'), model('gpt-6-luna')));
      serveAssistants();
    },
  });
}

test('creates an assistant from the best examples if the successor cannot be trained', async () => {
  openModels();
  const dataset = { id: 3, name: 'Rated answers' };
  answer(datasets.instructions, { instructions, examples: 1, of: 12, dataset });
  const card = main.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Weather' }) });
  await expectText(card, /Retires on January 14, 2027/);
  await expectText(card, /Tuned from gpt-4\.1-mini-2025-04-14, .*job Summer.*dataset Rated answers/);
  await expectText(card, /OpenAI does not train gpt-6-luna\./);
  await card.getByRole('button', { name: 'Use gpt-6-luna with its examples: Weather' }).click();
  await expectText(main, /The instructions contain 1 of 12 examples of Rated answers/);
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Weather');
  await expect.element(page.getByLabelText('Model', { exact: true })).toHaveTextContent('gpt-6-luna');
  await expect.element(page.getByLabelText('Instructions', { exact: true })).toHaveValue(instructions);
  expect(requestsTo(assistants.create)).toEqual([]);
});

test('leaves the instructions empty if the examples fail to load', async () => {
  openModels();
  answer(datasets.instructions, refusal('not_found', 'This dataset does not exist.'));
  await main.getByRole('button', { name: 'Use gpt-6-luna with its examples: Weather' }).click();
  await expectText(main, /Failed to load the examples.*This dataset does not exist\./);
  await expect.element(page.getByLabelText('Instructions', { exact: true })).toHaveValue('');
});
