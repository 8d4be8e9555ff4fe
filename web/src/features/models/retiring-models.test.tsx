import { modelMigrations } from '@roster/contracts/assistants/model-migrations';
import { chat } from '@roster/contracts/chat';
import { files } from '@roster/contracts/files/files';
import { type BaseModel, fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { trainingFiles } from '@roster/contracts/fine-tuning/training-files';
import { modelRetirement } from '@roster/contracts/models/retirement';
import { beforeEach, describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { oneAnswer } from '#web/testing/conversations.ts';
import { baseModel, job } from '#web/testing/fine-tuning.ts';
import { endingModel, fixtureDate } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectToast } from '#web/testing/page.ts';
import { storedFile } from '#web/testing/stored-files.ts';

const main = page.getByRole('main');
const card = (name: string) =>
  main.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

describe('page of retiring models', () => {
  let bases: Record<string, BaseModel>;
  beforeEach(() => {
    bases = {};
  });
  const openWith = (...items: ReturnType<typeof endingModel>[]) =>
    open('/assistants/models', {
      answers() {
        answer(modelRetirement.list, { items });
        answer(fineTuning.baseModels, bases);
      },
    });

  test('shows the date, its source, what uses the model and the successor’s cost', async () => {
    const usage = {
      requests: 31,
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      costUsd: 12.4,
      costAfterUsd: 3.1,
    };
    openWith(
      endingModel('gpt-4o', {
        assistants: [{ id: 4, name: 'Tutor' }],
        assistantCount: 101,
        conversations: 2,
        tunedModels: [
          {
            ...{ id: 1, name: 'Weather', model: 'ft:gpt-4o:me::1' },
            ...{ job: { id: 7, name: 'Summer' }, dataset: { id: 3, name: 'Rated' } },
          },
        ],
        tunedModelCount: 1,
        usage,
      }),
      endingModel('house-model', { lifecycle: 'gone', source: 'catalogue', successor: null }),
    );
    const first = card('gpt-4o');
    await expectText(first, 'Retires on January 14, 2027');
    await expectText(first, 'Source: the provider’s list of models, November 2, 2026');
    await expectText(first, 'and 100 more');
    await expect.element(first.getByText('2', { exact: true })).toBeVisible();
    await expectText(first, '31 calls, $12.40. The same tokens with gpt-6.1-terra: about $3.10.');
    const second = card('house-model');
    await expectText(second, 'Retired on January 14, 2027');
    await expectText(second, 'Unknown');
    await expectText(second, 'Not used');
    await expectText(first, 'Weather, created by job Summer from dataset Rated');
    await expectText(first, 'OpenAI does not train gpt-6.1-terra.');
    await first.getByRole('link', { name: 'Tutor' }).click();
    await expect.poll(address).toBe('/settings?tab=assistants&edit=4');
  });

  test('retrains a fine-tuned model on the successor with its job’s settings', async () => {
    bases = { 'gpt-6.1-terra-2026-10-27': baseModel };
    const tuned = { id: 1, name: 'Weather', model: 'ft:gpt-4o:me::1', job: { id: 7, name: 'Summer' }, dataset: null };
    openWith(endingModel('gpt-4o', { tunedModels: [tuned], tunedModelCount: 1 }));
    answer(files.list, [storedFile(5, 'examples.jsonl', { purpose: 'fine-tune' })]);
    answer(fineTuning.job, job({ name: 'Summer', hyperparameters: { n_epochs: 4 } }));
    answer(trainingFiles.validate, refusal('unavailable', 'Not now.'));
    await card('gpt-4o').getByRole('button', { name: 'Train again on gpt-6.1-terra-2026-10-27: Weather' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
    await expect.element(dialog.getByLabelText('Name')).toHaveValue('Summer');
    await expect.element(dialog.getByLabelText('Base model')).toHaveValue('gpt-6.1-terra-2026-10-27');
    await expect.element(dialog.getByRole('combobox', { name: 'Training file', exact: true })).toHaveValue('5');
    await expect.element(dialog.getByLabelText('Epochs')).toHaveValue('4');
    expect(requestsTo(fineTuning.createJob)).toEqual([]);
  });

  test('says that no model retires, and that loading failed', async () => {
    openWith();
    await expect.element(main.getByText('None of your models retires soon')).toBeVisible();
    open('/assistants/models', { answers: () => answer(modelRetirement.list, refusal('unavailable', 'Being moved.')) });
    await expectText(page.getByRole('alert'), 'Being moved.');
  });
});

describe('conversation with a retiring model', () => {
  const question = main.getByText('gpt-4o has retired. Continue with gpt-6.1-terra?');

  test('says nothing before the model has retired', async () => {
    const answers = () => {
      oneAnswer({ model: 'gpt-4o' }, { model: 'gpt-4o' });
      answer(modelRetirement.list, { items: [endingModel('gpt-4o')] });
    };
    open('/chat/1', { answers });
    await expect.element(main.getByRole('article', { name: 'Answer' })).toBeVisible();
    await expect.poll(() => requestsTo(modelRetirement.list).length).toBeGreaterThan(0);
    await expectHidden(main.getByText(/retires on/));
  });

  test.each([
    ['its own model', 'gpt-4o'],
    ['the default model', null],
  ])('asks whether to continue with the successor after %s has retired', async (_, model) => {
    open('/chat/1', {
      answers() {
        oneAnswer({ model: 'gpt-4o' }, { model });
        answer(modelRetirement.list, { items: [endingModel('gpt-4o', { lifecycle: 'gone' })] });
      },
    });
    await expect.element(question).toBeVisible();
    await main.getByRole('button', { name: 'Continue with gpt-6.1-terra' }).click();
    await expect
      .poll(() => requestsTo(chat.updateThread).map(({ body }) => body))
      .toMatchObject([{ model: 'gpt-6.1-terra' }]);
    await expectHidden(question);
  });

  test('migrates an assistant, which then answers as before', async () => {
    open('/chat/1', {
      answers() {
        serveAssistants(assistant(4, { name: 'Tutor', model: 'gpt-4o' }));
        oneAnswer({ model: 'gpt-4o' }, { assistantId: 4 });
        answer(modelRetirement.list, { items: [endingModel('gpt-4o', { lifecycle: 'gone' })] });
      },
    });
    await expect.element(question).toBeVisible();
    answer(modelMigrations.move, ({ body: { fromModel, toModel } }) => {
      serveAssistants(assistant(4, { name: 'Tutor', model: toModel }));
      return {
        ...{
          id: 1,
          fromModel,
          toModel,
          moved: 1,
          withoutTemperature: 0,
          withoutEffort: 0,
          leftAlone: [],
          remaining: 0,
        },
        ...{ assistants: [{ id: 4, name: 'Tutor' }], createdAt: fixtureDate, undoneAt: null },
      };
    });
    await main.getByRole('button', { name: 'Migrate Tutor to gpt-6.1-terra' }).click();
    await expectToast('1 assistant migrated to gpt-6.1-terra', 'Each was saved as a new version.');
    // A retired model cannot be restored.
    await expectHidden(page.getByRole('button', { name: 'Undo' }));
    expect(requestsTo(modelMigrations.move).map(({ body }) => body)).toEqual([
      { fromModel: 'gpt-4o', toModel: 'gpt-6.1-terra', assistantIds: [4] },
    ]);
    await expectHidden(question);
  });

  test('names the successor in a failed answer and continues with it', async () => {
    const error = { code: 'model_not_found', message: 'Not there any more.', successor: 'gpt-6.1-terra' } as const;
    open('/chat/1', {
      answers() {
        oneAnswer({ state: 'failed', error, text: '', model: 'gpt-4o' }, { model: 'gpt-4o' });
        answer(chat.regenerate, refusal('unavailable', 'Not now.'));
      },
    });
    await expect.element(main.getByText('Its successor is gpt-6.1-terra.')).toBeVisible();
    await main.getByRole('button', { name: 'Continue with gpt-6.1-terra' }).click();
    await expect
      .poll(() => requestsTo(chat.regenerate).map(({ body }) => body))
      .toMatchObject([{ model: 'gpt-6.1-terra' }]);
  });
});
