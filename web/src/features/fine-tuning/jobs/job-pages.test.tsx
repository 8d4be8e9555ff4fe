import { account } from '@roster/contracts/account';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open, show } from '#web/testing/app.tsx';
import { job, tunedModel } from '#web/testing/fine-tuning.ts';
import { fixtureDate, model, modelList, person, savedKey } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectToast } from '#web/testing/page.ts';

const withKey = () => {
  answer(account.config, savedKey);
  answer(fineTuning.baseModels, {});
};

test('shows empty lists with a message if loading fails', async () => {
  open('/fine-tuning', {
    answers() {
      withKey();
      answer(fineTuning.jobs, refusal('internal', 'Broken'));
      answer(fineTuning.customModels, refusal('internal', 'Broken'));
    },
  });
  await expect.element(page.getByText('Your jobs could not be loaded')).toBeVisible();
  await expect.element(page.getByText('No fine-tuning jobs yet')).toBeVisible();
  await page.getByRole('tab', { name: 'Fine-Tuned Models' }).click();
  await expect.element(page.getByText('Your models could not be loaded')).toBeVisible();
  answer(fineTuning.customModels, []);
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expectHidden(page.getByText('Your models could not be loaded'));
  await expect.element(page.getByText('No fine-tuned models yet')).toBeVisible();
});

test('offers base models of connections, and says which connections train none', async () => {
  const base = { training_cost_per_1k: null, priceAsOf: null, methods: ['supervised' as const], shutdownDate: null };
  open('/fine-tuning', {
    answers() {
      withKey();
      answer(models.list, {
        ...modelList(model('gpt-4o')),
        connections: [{ id: 7, name: 'Work', preset: 'azure', models: [], notice: null }],
      });
      answer(fineTuning.baseModels, { '@7/gpt-4o-mini': { ...base, description: 'Small' } });
      answer(fineTuning.places, {
        items: [
          { id: 7, name: 'Work', serves: true, reason: null },
          { id: 8, name: 'Home', serves: false, reason: 'Ollama does not serve fine-tuning in OpenAI’s form.' },
        ],
      });
      answer(fineTuning.jobs, []);
    },
  });
  await page.getByRole('button', { name: 'Create Fine-Tuning Job' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
  await expectText(dialog.getByLabelText('Base model'), 'gpt-4o-mini (Work) · Small');
  await dialog.getByText('One connection does not train models').click();
  await expectText(dialog.getByRole('listitem'), 'Home: Ollama does not serve fine-tuning');
});

test('confirms before cancelling a job from the list', async () => {
  let now = job({ name: 'Changed my mind', status: 'validating_files' });
  open('/fine-tuning', {
    answers() {
      withKey();
      answer(fineTuning.jobs, () => [now]);
      answer(fineTuning.job, () => now);
      answer(fineTuning.cancelJob, () => {
        now = { ...now, status: 'cancelled', finishedAt: fixtureDate };
        return now;
      });
    },
  });
  await page.getByRole('button', { name: 'Actions for Changed my mind' }).click();
  await page.getByRole('menuitem', { name: 'Cancel' }).click();
  const question = page.getByRole('alertdialog', { name: 'Cancel Fine-Tuning Job' });
  await expectText(question, 'Changed my mind');
  expect(requestsTo(fineTuning.cancelJob)).toEqual([]);
  await question.getByRole('button', { name: 'Cancel Job' }).click();
  await expectToast('Success', 'Changed my mind');
  await expectText(page.getByRole('table', { name: 'Fine-tuning jobs' }), 'Cancelled');
});

test('shows jobs and models to a Viewer with disabled actions', async () => {
  const reason = 'As a Viewer you can chat. Only Editors and Admins can make changes here.';
  const done = job({ name: 'Only to look at', status: 'succeeded', tunedModel: 'ft:one', finishedAt: fixtureDate });
  open('/fine-tuning', {
    user: { ...person, role: 'Viewer' },
    answers() {
      withKey();
      answer(fineTuning.jobs, [done]);
      answer(fineTuning.job, done);
      answer(fineTuning.events, { items: [], nextCursor: null });
      answer(fineTuning.metrics, []);
      answer(fineTuning.checkpoints, []);
      answer(fineTuning.customModels, [tunedModel({ name: 'Only to look at' })]);
    },
  });
  for (const name of ['Create Fine-Tuning Job', 'Import Jobs from OpenAI'])
    await expect.element(page.getByRole('button', { name })).toHaveAccessibleDescription(reason);
  show('/fine-tuning/jobs/1');
  await expect.element(page.getByRole('button', { name: 'Create Assistant' })).toHaveAccessibleDescription(reason);
  show('/fine-tuning?tab=models');
  for (const name of ['Deactivate Only to look at', 'Create Assistant', 'Delete Only to look at']) {
    await expect.element(page.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
    await expect.element(page.getByRole('button', { name })).toHaveAccessibleDescription(reason);
  }
});
