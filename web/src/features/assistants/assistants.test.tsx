import { assistants } from '@roster/contracts/assistants/assistants';
import { models } from '@roster/contracts/models/models';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { fixtureDate, model, modelList } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectToast, pickModel } from '#web/testing/page.ts';

const card = (name: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) });
const modelField = page.getByLabelText('Model', { exact: true });
const temperature = page.getByRole('slider', { name: 'Temperature' });

const ending = model('gpt-4o', { shutdownDate: '2027-01-14', lifecycle: 'ending', successor: 'gpt-6.1-terra' });
const known = modelList(
  ending,
  model('gpt-6.1-terra'),
  model('gpt-6-astra', { temperature: 'no', efforts: ['low', 'medium', 'high'] }),
);

function openAssistants(view = '', ...given: Parameters<typeof serveAssistants>) {
  open(`/settings?tab=assistants${view}`, {
    answers() {
      answer(models.list, known);
      serveAssistants(...given);
    },
  });
}

test('explains an empty list', async () => {
  openAssistants();
  await expect.element(page.getByRole('tab', { name: 'Your Assistants' })).toHaveAttribute('aria-selected', 'true');
  await expect.element(page.getByRole('heading', { name: 'No assistants found' })).toBeVisible();
  await expect.element(page.getByText('You have not created any assistants yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Import from OpenAI' }).click();
  await expect.element(page.getByRole('tab', { name: 'Import', exact: true })).toHaveAttribute('aria-selected', 'true');
  openAssistants();
  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await expect.element(page.getByRole('heading', { name: 'Create Assistant' })).toBeVisible();
});

test('shows why the list failed to load, and retries', async () => {
  openAssistants('', assistant(1));
  answer(assistants.list, refusal('unavailable', 'The database is being moved.'));
  const panel = page.getByRole('alert').filter({ hasText: 'Failed to load assistants' });
  await expectText(panel, 'The database is being moved.');
  answer(assistants.list, [assistant(1)]);
  await panel.getByRole('button', { name: 'Try Again' }).click();
  await expect.element(card('Tutor')).toBeVisible();
});

describe('creating', () => {
  test('turns on built-in tools and restricts a search to domains', async () => {
    openAssistants('&view=create', assistant(1));
    const search = page.getByRole('switch', { name: 'Web search' });
    const domains = page.getByLabelText('Allowed domains');
    await expectHidden(domains);
    await search.click();
    await domains.fill('https://example.org');
    await page.getByLabelText('Name').fill('Researcher');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect
      .element(page.getByText('Enter a domain like example.org, without https:// and without a path'))
      .toBeVisible();
    expect(requestsTo(assistants.create)).toEqual([]);
    await domains.fill('example.org, nasa.gov');
    await page.getByRole('switch', { name: 'Code interpreter' }).click();
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect
      .poll(() => requestsTo(assistants.create).map(({ body }) => Object(body).tools))
      .toEqual([{ webSearch: { domains: ['example.org', 'nasa.gov'] }, codeInterpreter: {} }]);
  });

  test('sets the location of web searches', async () => {
    openAssistants('&view=create', assistant(1));
    await page.getByRole('switch', { name: 'Web search' }).click();
    await page.getByLabelText('Name').fill('Researcher');
    const place = page.getByRole('group', { name: 'Location' });
    const country = place.getByLabelText('Country');
    await place.getByLabelText('City').fill('New York');
    await country.fill('u');
    await page.getByLabelText('Allowed domains').fill('nasa.gov');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect.element(place.getByText('Enter the country as two capital letters, like NL')).toBeVisible();
    expect(requestsTo(assistants.create)).toEqual([]);
    await country.fill('us');
    await expect.element(place.getByText('United States')).toBeVisible();
    const sent = () => expect.poll(() => requestsTo(assistants.create).map(({ body }) => Object(body).tools));
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await sent().toEqual([{ webSearch: { domains: ['nasa.gov'], location: { city: 'New York', country: 'US' } } }]);
  });

  test('drops an empty location', async () => {
    openAssistants('&view=create', assistant(1));
    await page.getByRole('switch', { name: 'Web search' }).click();
    await page.getByLabelText('Name').fill('Researcher');
    const city = page.getByRole('group', { name: 'Location' }).getByLabelText('City');
    await city.fill('Utrecht');
    await city.fill(' ');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect
      .poll(() => requestsTo(assistants.create).map(({ body }) => Object(body).tools))
      .toEqual([{ webSearch: {} }]);
  });

  test('offers the successor of a retiring model', async () => {
    openAssistants('&view=create', assistant(1));
    await expect
      .element(page.getByText('This model retires on January 14, 2027. Its successor is gpt-6.1-terra.'))
      .toBeVisible();
    await page.getByRole('button', { name: 'Use gpt-6.1-terra' }).click();
    await expect.element(modelField).toHaveTextContent('gpt-6.1-terra');
    await expect.element(modelField).toHaveFocus();
    await expectHidden(page.getByText('Its successor is'));
  });

  test('takes another model as fallback, or none', async () => {
    openAssistants('&view=create');
    const fallback = page.getByLabelText('Fallback', { exact: true });
    await expect.element(fallback).toHaveTextContent('None');
    await page.getByLabelText('Name').fill('Tutor');
    await pickModel(fallback, 'gpt-6-astra');
    await expect.element(fallback).toHaveTextContent('gpt-6-astra');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect
      .poll(() => requestsTo(assistants.create).map(({ body }) => Object(body).fallbackModel))
      .toEqual(['gpt-6-astra']);
  });

  test('summarizes earlier messages only if that is switched on', async () => {
    openAssistants('&view=create');
    const summarize = page.getByRole('switch', { name: 'Summarize earlier messages automatically' });
    await expect.element(summarize).not.toBeChecked();
    await summarize.click();
    await expect.element(summarize).toBeChecked();
    await page.getByLabelText('Name').fill('Tutor');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expect
      .poll(() => requestsTo(assistants.create).map(({ body }) => Object(body).earlierMessages))
      .toEqual(['summarize']);
  });

  test('enforces limits and names them', async () => {
    openAssistants('&view=create');
    const create = page.getByRole('button', { name: 'Create Assistant' });
    const [name, description, instructions] = ['Name', 'Description', 'Instructions'].map((label) =>
      page.getByLabelText(label),
    );
    if (!name || !description || !instructions) throw new Error('A field is missing');
    await create.click();
    await expect.element(page.getByText('Name is required')).toBeVisible();
    await expect.element(name).toHaveFocus();
    // Counted in code points: an emoji is one character.
    await name.fill('🦉'.repeat(101));
    await expect.element(page.getByText('101/100')).toBeVisible();
    await expect.element(page.getByText('Name cannot exceed 100 characters')).toBeVisible();
    await description.fill('d'.repeat(501));
    await expect.element(page.getByText('501/500')).toBeVisible();
    await instructions.fill('i'.repeat(1501));
    await expect.element(page.getByText('1,501/1,500')).toBeVisible();
    await create.click();
    await expect.element(page.getByText('Description cannot exceed 500 characters')).toBeVisible();
    await expect.element(page.getByText('Instructions cannot exceed 1500 characters')).toBeVisible();

    await name.fill('🦉'.repeat(100));
    await description.fill('d'.repeat(500));
    await instructions.fill('i'.repeat(1500));
    await create.click();
    await expect.element(card('🦉'.repeat(100))).toBeVisible();
  });

  test('offers a reasoning effort for models without a temperature', async () => {
    openAssistants('&view=create', assistant(1));
    await expect.element(modelField).toHaveTextContent('gpt-4o');
    await expectHidden(page.getByLabelText('Reasoning effort'));
    await pickModel(modelField, 'gpt-6-astra');
    await expect.element(page.getByText('gpt-6-astra does not accept a temperature.')).toBeVisible();
    await expectHidden(temperature);
    await page.getByLabelText('Name').fill('Thinker');
    await page.getByLabelText('Reasoning effort').selectOptions('High');
    await page.getByRole('button', { name: 'Create Assistant' }).click();
    await expectText(card('Thinker'), 'No effect with this model');
    await expectText(card('Thinker'), 'High');
    expect(requestsTo(assistants.create)).toMatchObject([{ body: { model: 'gpt-6-astra', reasoningEffort: 'high' } }]);
  });

  test('confirms before discarding input', async () => {
    openAssistants('&view=create');
    await page.getByLabelText('Name').fill('Half done');
    await page.getByRole('link', { name: 'Files' }).click();
    const question = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await expect.element(page.getByLabelText('Name')).toHaveValue('Half done');
    await page.getByRole('link', { name: 'Files' }).click();
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(address).toBe('/files');
  });
});

test('makes another assistant the default', async () => {
  openAssistants('', assistant(2, { name: 'Second' }), assistant(1));
  await expectText(card('Tutor'), 'Default');
  await card('Second').getByRole('button', { name: 'Set Default: Second' }).click();
  await expectToast('Default assistant updated', 'Your default assistant has been updated successfully');
  await expect.element(card('Tutor').getByRole('button', { name: 'Set Default: Tutor' })).toBeVisible();
  await expectCount(card('Second').getByRole('button', { name: /Set Default/ }), 0);
  await expect.element(card('Second').getByText('Default', { exact: true })).toBeVisible();
  await expectCount(card('Tutor').getByText('Default', { exact: true }), 0);
});

test('fills the edit form and saves the changes', async () => {
  openAssistants('', assistant(1));
  answer(assistants.files, []);
  await page.getByRole('button', { name: 'Edit Tutor' }).click();
  const panel = page.getByRole('dialog', { name: 'Edit Assistant' });
  await expect.element(panel.getByLabelText('Name')).toHaveValue('Tutor');
  await expect.element(panel.getByLabelText('Instructions')).toHaveValue('Explain with one example.');
  await panel.getByLabelText('Name').fill('');
  await panel.getByRole('button', { name: 'Save Changes' }).click();
  await expect.element(panel.getByText('Name is required')).toBeVisible();
  await panel.getByLabelText('Name').fill('Professor');
  await panel.getByRole('button', { name: 'Save Changes' }).click();
  await expectToast('Assistant updated', 'Your changes have been saved.');
  await expectHidden(panel);
  await expect.element(card('Professor')).toBeVisible();
});

test('confirms before deleting', async () => {
  openAssistants('', assistant(1));
  const dialog = page.getByRole('alertdialog', { name: 'Delete Assistant' });
  await page.getByRole('button', { name: 'Delete Tutor' }).click();
  await expectText(dialog, 'Are you sure you want to delete this assistant? This action cannot be undone.');
  await expectText(dialog, 'Tutor');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(card('Tutor')).toBeVisible();
  const answered = Promise.withResolvers<void>();
  answer(assistants.remove, async () => {
    await answered.promise;
    answer(assistants.list, []);
  });
  await page.getByRole('button', { name: 'Delete Tutor' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.element(dialog.getByRole('button', { name: 'Deleting...' })).toBeVisible();
  answered.resolve();
  await expectToast('Assistant deleted', 'The assistant has been deleted successfully');
  await expect.element(page.getByRole('heading', { name: 'No assistants found' })).toBeVisible();
});

describe('files of an assistant', () => {
  const panel = page.getByRole('dialog', { name: 'Edit Assistant' });
  const files = page.getByRole('list', { name: 'Files of this assistant' }).getByRole('listitem');

  test('shows why the files failed to load, and retries', async () => {
    openAssistants('', assistant(1));
    answer(assistants.files, refusal('unavailable', 'The database is being moved.'));
    await page.getByRole('button', { name: 'Edit Tutor' }).click();
    await expect.element(panel.getByText('The database is being moved.')).toBeVisible();
    answer(assistants.files, []);
    await panel.getByRole('button', { name: 'Try Again' }).click();
    await expect.element(panel.getByText('No files yet.')).toBeVisible();
  });

  test('shows why a file was not indexed, and retries it', async () => {
    const file = { fileId: 5, filename: 'handbook.md', size: 11, addedAt: fixtureDate };
    openAssistants('', assistant(1, { files: 1 }));
    answer(assistants.files, [{ ...file, state: 'failed', error: 'This file holds no text.' }]);
    answer(assistants.retryFile, () => {
      answer(assistants.files, [{ ...file, state: 'ready', error: null }]);
      return [{ ...file, state: 'indexing', error: null }];
    });
    await page.getByRole('button', { name: 'Edit Tutor' }).click();
    await expectText(files, 'This file holds no text.');
    await files.getByRole('button', { name: 'Retry handbook.md' }).click();
    await expectText(files, 'Ready');
    expect(requestsTo(assistants.retryFile)).toMatchObject([{ params: { id: 1, fileId: 5 } }]);
  });
});
