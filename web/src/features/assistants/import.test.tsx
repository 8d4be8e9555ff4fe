import { account } from '@roster/contracts/account';
import { assistants, type ImportCandidate } from '@roster/contracts/assistants/assistants';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant } from '#web/testing/assistants.ts';
import { savedKey } from '#web/testing/new-account.ts';
import { expectToast } from '#web/testing/page.ts';

const openImport = (answers?: () => void) => open('/settings?tab=assistants&view=import', answers && { answers });

const candidate = (index: number): ImportCandidate => ({
  id: `asst_${index}`,
  name: `Assistant ${index}`,
  model: 'gpt-4o',
  description: '',
  source: 'assistants',
  notes: [],
  importedAs: null,
});

test('uses the saved key if that is selected', async () => {
  const found = [1, 2, 3, 4, 5, 6].map(candidate);
  openImport(() => {
    answer(account.config, savedKey);
    answer(assistants.fetchFromProvider, found);
    answer(assistants.importBatch, ({ body }) => ({
      imported: body.assistantIds.map((id, at) => ({
        ...assistant(at + 1, { name: id, openaiAssistantId: id }),
        notes: [],
      })),
      failed: [],
    }));
  });
  await expect.element(page.getByRole('radio', { name: 'The saved key' })).toBeChecked();
  await page.getByRole('button', { name: 'Fetch Assistants' }).click();
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Import 6 assistants' }).click();
  await expect.element(page.getByText('6 assistants imported')).toBeVisible();
  expect(requestsTo(assistants.fetchFromProvider)).toMatchObject([{ body: {} }]);
  expect(requestsTo(assistants.importBatch)).toMatchObject([{ body: { assistantIds: found.map(({ id }) => id) } }]);
});

test('reports a key that the provider rejects', async () => {
  openImport(() => answer(assistants.fetchFromProvider, refusal('key_rejected', 'Incorrect API key provided: sk-…')));
  await page.getByLabelText('API key', { exact: true }).fill(`sk-invalid-${'x'.repeat(40)}`);
  await page.getByRole('button', { name: 'Fetch Assistants' }).click();
  await expectToast('Failed to fetch assistants', 'Incorrect API key provided');
});

test('reports that the provider no longer serves assistants', async () => {
  openImport(() =>
    answer(assistants.fetchFromProvider, refusal('not_served', 'OpenAI answers 404 to GET /assistants.')),
  );
  await page.getByLabelText('API key', { exact: true }).fill(`sk-${'simulated'.repeat(5)}`);
  await page.getByRole('button', { name: 'Fetch Assistants' }).click();
  await expect.element(page.getByText('OpenAI no longer offers assistants')).toBeVisible();
  await expect.element(page.getByText('If you have a JSON file of them, import it below.')).toBeVisible();
});

async function choose(name: string, content: string) {
  await expect.element(page.getByRole('button', { name: 'Choose File' })).toBeVisible();
  const field = document.querySelector('input[type=file]');
  if (!field) throw new Error('There is no field for files');
  await userEvent.upload(field, new File([content], name, { type: 'application/json' }));
}

test('shows what a file contains before it imports', async () => {
  const planned = [
    { id: '#1', name: 'Tutor 2', model: 'gpt-4o', description: '', notes: ['Its tools cannot be imported: a.'] },
  ];
  const failed = [{ id: '#2', name: null, reason: 'Model is missing.' }];
  openImport(() =>
    answer(assistants.importFile, ({ query }) =>
      query.preview
        ? { imported: [], failed, planned }
        : { imported: [{ ...assistant(1, { name: 'Tutor 2' }), notes: [] }], failed, planned: [] },
    ),
  );
  await choose('agents.json', '[1, 2]');
  const region = page.getByRole('region', { name: 'agents.json' });
  await expect.element(region.getByText('1 assistant to import, 1 left out.')).toBeVisible();
  await expect.element(region.getByText('Its tools cannot be imported: a.')).toBeVisible();
  await expect.element(region.getByText('Model is missing.')).toBeVisible();
  await region.getByRole('button', { name: 'Import 1 Assistant' }).click();
  await expectToast('Assistants imported', '1 imported, 1 failed.');
  expect(requestsTo(assistants.importFile).map(({ query, body }) => [query.preview, body])).toEqual([
    [true, [1, 2]],
    [undefined, [1, 2]],
  ]);
});

test('reports what is wrong with a file', async () => {
  openImport();
  await choose('broken.json', '{');
  await expect.element(page.getByText('broken.json: The file is not valid JSON.')).toBeVisible();
});
