import { assistants } from '@roster/contracts/assistants/assistants';
import {
  type MigrationPlan,
  type ModelMigration,
  modelMigrations,
} from '@roster/contracts/assistants/model-migrations';
import { models } from '@roster/contracts/models/models';
import { modelRetirement } from '@roster/contracts/models/retirement';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, ListPage, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { endingModel, fixtureDate, model, modelList, person } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectTexts, expectToast, pickModel } from '#web/testing/page.ts';

const successor = 'gpt-6.1-terra';
const ending = model('gpt-4o', { shutdownDate: '2027-01-14', lifecycle: 'ending', successor });
const known = modelList(
  ending,
  model('gpt-6-astra', { temperature: 'no' }),
  model(successor, { temperature: 'conditional' }),
);

const usage: MigrationPlan['usage'] = {
  ...{ requests: 9, inputTokens: 1_000, cachedTokens: 0, outputTokens: 500 },
  ...{ costUsd: 12.4, costAfterUsd: 3.1 },
};
const plan = (more: Partial<MigrationPlan> = {}): MigrationPlan => ({
  count: 2,
  assistants: [
    { id: 2, name: 'Writer', notTaken: [] },
    { id: 1, name: 'Tutor', notTaken: ['temperature', 'reasoningEffort'] },
  ],
  ...{ withoutTemperature: 1, withoutEffort: 1, usage },
  ...more,
});
const done = (id: number, more: Partial<ModelMigration> = {}): ModelMigration => ({
  ...{ id, fromModel: 'gpt-4o', toModel: successor, moved: 2, withoutTemperature: 1, withoutEffort: 1 },
  assistants: [
    { id: 2, name: 'Writer' },
    { id: 1, name: 'Tutor' },
  ],
  ...{ createdAt: fixtureDate, undoneAt: null },
  ...more,
});

const dialog = page.getByRole('dialog', { name: 'Migrate to a successor' });
const box = (name: string | RegExp) => dialog.getByRole('checkbox', { name });
const rows = page.getByRole('region', { name: 'Model migrations' }).getByRole('listitem');

function openList(answers?: () => void, role: 'Editor' | 'Viewer' = 'Editor') {
  open('/settings?tab=assistants', {
    user: { ...person, role },
    answers() {
      answer(models.list, known);
      serveAssistants(assistant(2, { name: 'Writer' }), assistant(1));
      answer(modelMigrations.plan, plan());
      answers?.();
    },
  });
}
const begin = () =>
  page
    .getByRole('button', { name: `Migrate to ${successor}` })
    .last()
    .click();

test('accepts any typed model while the list is unavailable', async () => {
  const asked: unknown[] = [];
  const planned = Promise.withResolvers<void>();
  openList(() => {
    answer(models.list, {
      source: 'unknown',
      notice: 'The list of models cannot be read.',
      models: [],
      defaultModel: '',
      connections: [],
    });
    answer(modelRetirement.list, { items: [endingModel('gpt-4o')] });
    answer(modelMigrations.plan, async ({ query }) => {
      asked.push(query.toModel);
      await planned.promise;
      return plan();
    });
  });
  await begin();
  const field = dialog.getByLabelText('New model');
  await expect.element(dialog.getByRole('button', { name: /^Migrate/ })).toHaveAttribute('aria-disabled', 'true');
  planned.resolve();
  await pickModel(field, 'accounts/acme/models/next-1');
  await expectText(dialog.getByText(/^You paid/), /would cost about .* with accounts\/acme\/models\/next-1\.$/);
  await expect.poll(() => asked.at(-1)).toBe('accounts/acme/models/next-1');
});

test('shows cost and unsupported settings, and migrates the given assistant', async () => {
  openList();
  await begin();
  await expect.element(dialog.getByLabelText('New model')).toHaveTextContent(successor);
  await expectText(
    dialog.getByText(/^You paid/),
    'You paid $12.40 for gpt-4o in the last 30 days. The same tokens would cost about $3.10 with gpt-6.1-terra.',
  );
  await expect.element(dialog.getByText('$12.40 → about $3.10')).toBeVisible();
  await expectText(
    dialog.getByText(/accepts a temperature/),
    'gpt-6.1-terra accepts a temperature only when reasoning effort is None; it is ignored for 1 assistant.',
  );
  await expectText(
    dialog.getByText(/does not support the reasoning effort/),
    'gpt-6.1-terra does not support the reasoning effort of 1 assistant; its default is used instead.',
  );
  await expect.element(box(/^Tutor/)).toBeChecked();
  await expect.element(box(/^Writer/)).not.toBeChecked();
  answer(modelMigrations.move, { ...done(5, { moved: 1 }), leftAlone: [], remaining: 1 });
  await dialog.getByRole('button', { name: 'Migrate 1 assistant' }).click();
  await expectToast('1 assistant migrated to gpt-6.1-terra', 'Each was saved as a new version.');
  await expectHidden(dialog);
  expect(requestsTo(modelMigrations.move).map(({ body }) => body)).toEqual([
    { fromModel: 'gpt-4o', toModel: successor, assistantIds: [1] },
  ]);
});

test('migrates all to the chosen model and undoes it', async () => {
  openList();
  await begin();
  await box('All 2').click();
  await expect.element(box(/^Writer/)).toBeChecked();
  answer(
    modelMigrations.plan,
    plan({ withoutTemperature: 2, withoutEffort: 0, usage: { ...usage, costAfterUsd: null } }),
  );
  await pickModel(dialog.getByLabelText('New model'), 'gpt-6-astra');
  await expectText(
    dialog.getByText(/^You paid/),
    'You paid $12.40 for gpt-4o in the last 30 days. There is no known price for gpt-6-astra.',
  );
  await expectText(
    dialog.getByText(/does not accept a temperature/),
    'gpt-6-astra does not accept a temperature; it is ignored for 2 assistants.',
  );
  answer(modelMigrations.move, {
    ...done(5, { toModel: 'gpt-6-astra' }),
    ...{ leftAlone: [], remaining: 0 },
  });
  answer(modelMigrations.undo, {
    ...done(5, { toModel: 'gpt-6-astra', undoneAt: fixtureDate }),
    ...{ undone: 1, leftAlone: [{ id: 2, name: 'Writer', model: 'gpt-4.1' }] },
  });
  await dialog.getByRole('button', { name: 'Migrate 2 assistants' }).click();
  await expectToast('2 assistants migrated to gpt-6-astra', 'Each was saved as a new version.');
  expect(requestsTo(modelMigrations.move).map(({ body }) => body)).toEqual([
    { fromModel: 'gpt-4o', toModel: 'gpt-6-astra' },
  ]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast('1 assistant back on gpt-4o', 'The model of Writer has been changed since and was kept.');
});

test('migrates nothing without a selection, and shows errors in the dialog', async () => {
  openList();
  await begin();
  await box(/^Tutor/).click();
  await expect
    .element(dialog.getByRole('button', { name: 'Migrate', exact: true }))
    .toHaveAttribute('aria-disabled', 'true');
  await box(/^Tutor/).click();
  await box(/^Writer/).click();
  await expect.element(box('All 2')).toBeChecked();
  answer(modelMigrations.move, refusal('conflict', 'None of the selected assistants uses gpt-4o any more.'));
  await dialog.getByRole('button', { name: 'Migrate 2 assistants' }).click();
  await expectText(dialog.getByRole('alert'), 'None of the selected assistants uses gpt-4o any more.');
});

test('lists migrations below the assistants, each with Undo', async () => {
  openList(() =>
    answer(modelMigrations.list, ({ query }) =>
      query.cursor === undefined
        ? new ListPage([done(9), done(8, { moved: 7, undoneAt: fixtureDate })], '8')
        : [done(3, { assistants: [] })],
    ),
  );
  await expectTexts(rows, [
    /^gpt-4o gpt-6\.1-terra Writer and Tutor, /,
    /^gpt-4o gpt-6\.1-terra Writer, Tutor and 5 others, .* Undone /,
  ]);
  await page.getByRole('button', { name: 'Load more migrations' }).click();
  await expectCount(rows, 3);
  await expectText(rows.last(), /2 assistants, /);
  answer(modelMigrations.undo, refusal('conflict', 'This migration has already been undone.'));
  await rows.first().getByRole('button', { name: 'Undo the migration from gpt-4o to gpt-6.1-terra' }).click();
  await expectToast('Failed to undo the migration', 'This migration has already been undone.');
  expect(requestsTo(modelMigrations.undo)).toMatchObject([{ params: { id: 9 } }]);
});

test('shows migrations to a Viewer without actions', async () => {
  openList(() => answer(modelMigrations.list, [done(9)]), 'Viewer');
  await expectCount(rows, 1);
  for (const name of ['Undo the migration from gpt-4o to gpt-6.1-terra', `Migrate to ${successor}`])
    await expect.element(page.getByRole('button', { name }).first()).toHaveAttribute('aria-disabled', 'true');
  expect(requestsTo(assistants.update)).toEqual([]);
});
