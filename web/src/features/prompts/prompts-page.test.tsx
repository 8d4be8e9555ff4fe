import { prompts } from '@roster/contracts/prompts/prompts';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { expectHidden, expectTexts, expectToast } from '#web/testing/page.ts';
import { prompt, servePrompts } from '#web/testing/prompts.ts';

const rows = page.getByRole('list', { name: 'Prompts' }).getByRole('listitem');
const dialog = page.getByRole('dialog');
const field = (name: string) => dialog.getByRole('textbox', { name });

test('saves a first prompt, with a preview of its variables', async () => {
  open('/prompts', { answers: () => servePrompts() });
  await expect.element(page.getByText('No prompts yet')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'New Prompt' }).first().click();
  await field('Text').fill('For {{team}}, {{tone: kind | short}}, {{day: date}}, {{n=3}}');
  await expectTexts(dialog.getByRole('list', { name: 'Variables' }).getByRole('listitem'), [
    ...['team text, no default', 'tone choice: kind, short', 'day date, today by default', 'n text, “3” by default'],
  ]);
  await dialog.getByRole('button', { name: 'Save Prompt' }).click();
  await expect.element(dialog.getByText('Title is required')).toBeVisible();
  await field('Title').fill('Weekly report');
  await field('Name').fill('two words');
  await dialog.getByRole('button', { name: 'Save Prompt' }).click();
  await expect.element(dialog.getByText(/^Use up to 50 letters/)).toBeVisible();
  await field('Name').fill('/Weekly');
  await dialog.getByRole('button', { name: 'Save Prompt' }).click();
  await expectToast('Prompt saved', 'Type /weekly in a message to insert it.');
  await expectTexts(rows, [/^Edit Weekly report \/weekly For \{\{team\}\}/]);
});

test('keeps what was typed if a prompt was changed elsewhere, and asks before it is lost', async () => {
  open('/prompts', { answers: () => servePrompts(prompt(1, { title: 'Report' })) });
  await page.getByRole('button', { name: 'Edit Report' }).click();
  await field('Text').fill('Mine');
  answer(prompts.update, refusal('conflict', 'This prompt was changed in the meantime.'));
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect.element(dialog.getByText('This prompt was changed in the meantime.')).toBeVisible();
  await expect.element(field('Text')).toHaveValue('Mine');
  expect(requestsTo(prompts.update)[0]?.body.updatedAt).toBe(prompt(1).updatedAt);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expectHidden(dialog);
});

test('searches, and deletes after a question', async () => {
  const two = [prompt(1, { name: 'report', title: 'Report' }), prompt(2, { name: 'summary', title: 'Summary' })];
  open('/prompts', { answers: () => servePrompts(...two) });
  const search = page.getByRole('searchbox', { name: 'Search prompts' });
  await search.fill('nothing');
  await expect.element(page.getByText('No name or title contains “nothing”.')).toBeVisible();
  await page.getByRole('button', { name: 'Show All Prompts' }).click();
  await search.fill('sum');
  await expectTexts(rows, [/^Edit Summary/]);
  await page.getByRole('button', { name: 'Delete Summary' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete Prompt' }).click();
  await expectToast('Prompt deleted', 'Summary');
  expect(requestsTo(prompts.remove).map(({ params }) => params.id)).toEqual([2]);
});

test('shows what an import would do before it does it', async () => {
  const entry = { notes: [], reason: null };
  const report = {
    source: 'open-webui' as const,
    entries: [
      { ...entry, position: 1, name: 'one', title: 'One', state: 'new' as const },
      { ...entry, position: 2, name: '', title: '', state: 'refused' as const, reason: 'It has no text.' },
      { ...entry, position: 3, name: 'three', title: 'Three', state: 'new' as const, notes: ['Saved as /three-2.'] },
    ],
    ...{ added: 2, present: 0, refused: 1, left: 5 },
  };
  open('/prompts', {
    answers() {
      servePrompts();
      answer(prompts.importFile, report);
    },
  });
  await page.getByRole('button', { name: 'Import and export' }).click();
  await page.getByRole('menuitem', { name: 'Import' }).click();
  const input = page.getByLabelText('JSON file with prompts');
  await userEvent.upload(input, new File(['{'], 'broken.json', { type: 'application/json' }));
  await expect.element(dialog.getByText('broken.json: The file is not valid JSON.')).toBeVisible();
  await userEvent.upload(input, new File(['[1]'], 'prompts.json', { type: 'application/json' }));
  await expect
    .element(dialog.getByText('From Open WebUI: 2 new, 1 left out, 5 not read, because one import takes 1,000.'))
    .toBeVisible();
  await expectTexts(dialog.getByRole('list', { name: 'Prompts in the file' }).getByRole('listitem'), [
    ...['Entry 2 It has no text. Left out', 'Three /three Saved as /three-2. New', 'One /one New'],
  ]);
  expect(requestsTo(prompts.importFile).map(({ query, body }) => [query.preview, body])).toEqual([[true, [1]]]);
  await dialog.getByRole('button', { name: 'Import 2 Prompts' }).click();
  await expectToast('Prompts imported', '2 added, 0 already there, 1 left out.');
  expect(requestsTo(prompts.importFile).map(({ query }) => query.preview)).toEqual([true, undefined]);
});
