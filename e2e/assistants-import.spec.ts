import { readFileSync } from 'node:fs';
import type { Download } from '@playwright/test';
import { expect, expectToast, goodKey, newEmail, password, request, test, untilUsable } from './fixtures.ts';

const retired = {
  object: 'list',
  data: [
    {
      id: 'asst_LeftBehindInAugust2026',
      object: 'assistant',
      name: 'Recipe Scribe',
      description: 'Writes recipes down.',
      model: 'gpt-4o',
      instructions: 'Use grams.',
      tools: [{ type: 'code_interpreter' }, { type: 'retrieval' }],
      temperature: 1.3,
    },
  ],
};

async function contentOf(download: Download) {
  return JSON.parse(readFileSync(await download.path(), 'utf8'));
}

test('imports assistants from the provider in three steps', { tag: '@main' }, async ({ page, signedIn: _ }) => {
  await page.goto('/settings?tab=assistants&view=import');
  await untilUsable(page);
  const fetchThem = page.getByRole('button', { name: 'Fetch Assistants' });
  await fetchThem.click();
  await expect(page.getByText('API Key is required')).toBeVisible();
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await fetchThem.click();

  await expect(page.getByRole('heading', { name: 'Select assistants' })).toBeVisible();
  await expect(page.getByText('6 assistants found.')).toBeVisible();
  const tutor = page.getByRole('listitem').filter({ hasText: 'Math Tutor' });
  await expect(tutor).toContainText('asst_8fKq2ZrVn1LxWcTy5uHbGdEo');
  await expect(tutor).toContainText('gpt-4o');
  await expect(tutor).toContainText('Explains step by step and asks back.');
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(fetchThem).toBeVisible();
  await expect(page.getByLabel('API key', { exact: true })).toHaveValue('');
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await fetchThem.click();

  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expectToast(page, 'No assistants selected', 'Please select at least one assistant to import');
  await page.getByRole('checkbox', { name: /Math Tutor/ }).check();
  await page.getByRole('checkbox', { name: /Contract Reader/ }).check();
  await page.getByRole('button', { name: 'Import 2 assistants' }).click();
  await expectToast(page, 'Assistants imported', '2 imported, 0 failed.');
  await expect(page.getByRole('tab', { name: 'Your Assistants' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByText('2 assistants imported')).toBeVisible();
  await expect(page.getByText('Changed during import:')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: /^Contract Reader:/ })).toContainText(
    'Its vector store cannot be imported',
  );
  await expect(page.getByRole('heading', { name: 'Math Tutor' })).toBeVisible();
  await expect(page.getByText('asst_8fKq2ZrVn1LxWcTy5uHbGdEo')).toBeVisible();

  await page.getByRole('tab', { name: 'Import', exact: true }).click();
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await fetchThem.click();
  await expect(page.getByText('Imported as Math Tutor')).toBeVisible();
  await expect(page.getByRole('checkbox', { name: /Math Tutor/ })).toBeDisabled();
});

test('reads a file of the retired API, and reports it the second time', async ({ page, signedIn: _ }) => {
  const file = { name: 'assistants.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(retired)) };
  const choose = async () => {
    await page.goto('/settings?tab=assistants&view=import');
    await untilUsable(page);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose File' }).click();
    await (await chooser).setFiles(file);
  };
  await choose();
  await page.getByRole('button', { name: 'Import 1 Assistant' }).click();
  await expectToast(page, 'Assistants imported', '1 imported, 0 failed.');
  await expect(page.getByRole('heading', { name: 'Recipe Scribe' })).toBeVisible();
  await expect(page.getByText('The tool retrieval cannot be imported.')).toBeVisible();
  await choose();
  await expect(page.getByText("It was imported already, as 'Recipe Scribe'.")).toBeVisible();
});

test('exports a file that another account reads back', async ({ page, roster, elsewhere, withAssistant: _ }) => {
  await page.goto('/settings?tab=assistants');
  await untilUsable(page);
  const one = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export Tutor' }).click();
  expect((await one).suggestedFilename()).toBe('tutor.json');
  const all = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all' }).click();
  expect((await all).suggestedFilename()).toBe('roster-assistants.json');
  const content = await contentOf(await all);
  expect(content).toMatchObject({ format: 'roster.assistants', assistants: [{ name: 'Tutor', model: 'gpt-4o' }] });

  await request(elsewhere, roster, 'POST', '/api/register', { email: newEmail(), password });
  await elsewhere.goto('/settings?tab=assistants&view=import');
  const chooser = elsewhere.waitForEvent('filechooser');
  await elsewhere.getByRole('button', { name: 'Choose File' }).click();
  const buffer = Buffer.from(JSON.stringify(content));
  await (await chooser).setFiles({ name: 'roster-assistants.json', mimeType: 'application/json', buffer });
  await elsewhere.getByRole('button', { name: 'Import 1 Assistant' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Tutor' })).toBeVisible();
});
