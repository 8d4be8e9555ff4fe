import { assistants } from '@roster/contracts/assistants/assistants';
import { assistantDrafts } from '@roster/contracts/assistants/drafts';
import { usage } from '@roster/contracts/usage/usage';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { person } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectTexts } from '#web/testing/page.ts';

const main = page.getByRole('main');
const names = main.getByRole('heading', { level: 3 });
const search = page.getByRole('searchbox', { name: 'Search assistants' });

function openPage(...given: Parameters<typeof serveAssistants>) {
  open('/assistants', {
    answers() {
      serveAssistants(...given);
      answer(usage.assistants, [{ assistantId: 2, costUsd: 1.25, unpricedRequests: 0, lastUsedOn: '2026-11-20' }]);
    },
  });
}

const several = [
  assistant(1, { name: 'Tutor', tags: ['School'] }),
  assistant(2, { name: 'Lawyer', tags: ['work', 'school'] }),
  assistant(3, { name: 'Cook' }),
];

describe('the page of assistants', () => {
  test('lists them by last use, with cost of the month and tags, and keeps the chosen order', async () => {
    openPage(...several);
    await expectTexts(names, ['Lawyer', 'Cook', 'Tutor']);
    const lawyer = main.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Lawyer' }) });
    await expectText(lawyer, /November 20, 2026/);
    await expectText(lawyer, /\$1\.25/);
    await page.getByRole('combobox', { name: 'Sort by' }).selectOptions('Name');
    await expectTexts(names, ['Cook', 'Lawyer', 'Tutor']);
    show('/assistants');
    await expectTexts(names, ['Cook', 'Lawyer', 'Tutor']);
  });

  test('waits for the last use before it lists them, so that none moves', async () => {
    const known = Promise.withResolvers<never[]>();
    open('/assistants', {
      answers() {
        serveAssistants(...several);
        answer(usage.assistants, () => known.promise);
      },
    });
    await expect.poll(() => requestsTo(assistants.list)).not.toEqual([]);
    await expect.element(main.getByText('Loading assistants')).toBeInTheDocument();
    await expectTexts(names, []);
    known.resolve([]);
    await expectTexts(names, ['Cook', 'Lawyer', 'Tutor']);
  });

  test('finds by words and by a tag, and says if nothing matches', async () => {
    openPage(...several);
    await page.getByRole('button', { name: 'School', exact: true }).click();
    await expectTexts(names, ['Lawyer', 'Tutor']);
    await search.fill('tut');
    await expectTexts(names, ['Tutor']);
    await search.fill('nothing');
    await expect.element(page.getByText('No assistant matches.')).toBeVisible();
    await search.fill('');
    await page.getByRole('button', { name: 'School', exact: true }).click();
    await expectTexts(names, ['Lawyer', 'Cook', 'Tutor']);
  });

  test('shows a table that leads to the editor, and remembers it', async () => {
    openPage(...several);
    await page.getByRole('button', { name: 'Show as a table' }).click();
    const rows = page.getByRole('table', { name: 'Assistants' }).getByRole('row');
    await expectText(rows.nth(1), /Lawyer.*gpt-4o.*work, school.*November 20, 2026.*\$1\.25/);
    show('/assistants');
    await expect.element(page.getByRole('table', { name: 'Assistants' })).toBeVisible();
    await expect
      .element(page.getByRole('link', { name: 'Cook', exact: true }))
      .toHaveAttribute('href', '/assistants/3');
  });

  test('deletes one after asking, and opens the editor', async () => {
    openPage(...several);
    await page.getByRole('button', { name: 'Delete Cook' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expectTexts(names, ['Lawyer', 'Tutor']);
    expect(requestsTo(assistants.remove).map(({ params }) => params)).toEqual([{ id: 3 }]);
    answer(assistantDrafts.get, { draft: null });
    await page.getByRole('button', { name: 'Edit Tutor' }).click();
    await expect.poll(address).toBe('/assistants/1');
    await expect.element(page.getByRole('button', { name: 'Start a trial' })).toBeVisible();
  });

  test('explains an empty list and a failure', async () => {
    openPage();
    await expect.element(page.getByRole('heading', { name: 'No assistants yet' })).toBeVisible();
    await expectHidden(search);
    answer(assistants.list, refusal('unavailable', 'The database is being moved.'));
    open('/assistants', {
      answers: () => answer(assistants.list, refusal('unavailable', 'The database is being moved.')),
    });
    await expectText(page.getByRole('alert'), /The database is being moved\./);
  });

  test('lets a Viewer look, but not create', async () => {
    open('/assistants', {
      user: { ...person, role: 'Viewer' },
      answers() {
        serveAssistants(...several);
        answer(usage.assistants, []);
      },
    });
    await expectTexts(names, ['Cook', 'Lawyer', 'Tutor']);
    await expect.element(page.getByRole('button', { name: 'New assistant' })).toHaveAttribute('aria-disabled', 'true');
  });
});
