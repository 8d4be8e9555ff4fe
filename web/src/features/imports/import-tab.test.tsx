import { type Import, imports } from '@roster/contracts/imports';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectToast } from '#web/testing/page.ts';

const path = '/settings?tab=import';

const item = (more: Partial<Import>): Import => ({
  id: 1,
  filename: 'chatgpt.zip',
  size: 1_000,
  source: 'chatgpt',
  state: 'ready',
  conversations: 1_200,
  messages: 30_000,
  files: 0,
  assistants: 0,
  projects: 0,
  prompts: 0,
  queued: 0,
  known: 0,
  from: '2023-05-01T12:00:00.000Z',
  to: '2025-06-02T12:00:00.000Z',
  leftOut: [],
  processed: 0,
  importedConversations: 0,
  importedMessages: 0,
  importedFiles: 0,
  importedAssistants: 0,
  importedProjects: 0,
  kept: 0,
  error: null,
  createdAt: fixtureDate,
  finishedAt: null,
  undoUntil: null,
  ...more,
});
const list = (...items: Import[]) => ({ items, nextCursor: null });
const step = page.getByRole('region', { name: 'chatgpt.zip' });

test('shows what a file contains, and what cannot be imported, before it imports', async () => {
  let now = item({
    known: 200,
    leftOut: [
      { reason: 'files', count: 3, names: [] },
      { reason: 'system_messages', count: 1, names: [] },
      { reason: 'projects', count: 2, names: ['Garden'] },
    ],
  });
  open(path, {
    answers() {
      answer(imports.list, () => list(now));
      answer(imports.start, () => {
        now = { ...now, state: 'importing', processed: 300 };
        return now;
      });
    },
  });
  await expectText(step, '1,200 conversations with 30,000 messages, from May 1, 2023 to June 2, 2025.');
  await expectText(step, '200 of them are already in Roster');
  await expectText(step, '3 images and files that the export does not contain');
  await expectText(step, 'without their project. (\u2068Garden\u2069, 1 more)');
  await expectText(step, '1 system message:');
  await step.getByRole('button', { name: 'Import 1,200 Conversations' }).click();
  await expectText(step, '300 of 1,200 conversations');
  await expect.element(step.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '25');
});

test('undoes an import after asking, and says why that was refused', async () => {
  const done = item({
    state: 'done',
    importedConversations: 2,
    importedMessages: 9,
    undoUntil: '2999-01-01T00:00:00.000Z',
  });
  open(path, {
    answers() {
      answer(imports.list, list(done));
      answer(imports.undo, refusal('conflict', 'Too late.'));
    },
  });
  const row = page.getByRole('list', { name: 'Earlier imports' }).getByRole('listitem');
  await expectText(row, '2 conversations with 9 messages imported.');
  await row.getByRole('button', { name: 'Undo the import of chatgpt.zip' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Undo this import?' });
  await dialog.getByRole('button', { name: 'Undo Import' }).click();
  await expectToast('Failed to undo the import', 'Too late.');
});

test.each([
  [{ state: 'failed', error: 'The archive is damaged.' }, 'The archive is damaged.'],
  [{ state: 'done' }, 'Nothing new: everything was already in Roster.'],
  [{ state: 'undone', kept: 2 }, 'except for 2 conversations that you have continued since'],
  [{ state: 'expired' }, 'not started within seven days'],
  [{ state: 'canceled' }, 'Nothing was imported.'],
] satisfies [Partial<Import>, string][])('says how an import has ended (%j)', async (more, text) => {
  open(path, { answers: () => answer(imports.list, list(item(more))) });
  await expectText(page.getByRole('list', { name: 'Earlier imports' }), text);
  await expectHidden(page.getByRole('button', { name: /^Undo/ }));
});

test('refuses files that cannot be an export without sending them', async () => {
  open(path, { answers: () => answer(imports.list, list()) });
  await page.getByLabelText('Export with conversations').upload(new File(['x'], 'photo.png', { type: 'image/png' }));
  await expectText(page.getByRole('alert'), 'photo.png: Choose the ZIP archive or JSON file that you downloaded.');
});

test('names what the account of another Roster brings, and what it cannot bring', async () => {
  let now = item({
    source: 'roster',
    ...{ conversations: 0, messages: 0, assistants: 2, projects: 1, queued: 1, from: null, to: null },
    leftOut: [
      { reason: 'keys', count: 2, names: [] },
      { reason: 'tool_servers', count: 1, names: ['Weather'] },
    ],
  });
  open(path, {
    answers() {
      answer(imports.list, () => list(now));
      answer(imports.start, () => {
        now = { ...now, state: 'done', importedAssistants: 2, importedProjects: 1 };
        return now;
      });
    },
  });
  await expectText(step, 'It also contains 2 assistants, 1 project and 1 queued message.');
  await expectText(step, 'queued messages wait for you.');
  await expectText(step, '2 API keys and access tokens: an export contains no secrets. Add them again.');
  await expectText(
    step,
    'connect it again with its secrets, and choose the tools of your assistants. (\u2068Weather\u2069)',
  );
  await step.getByRole('button', { name: 'Import', exact: true }).click();
  await expectText(page.getByRole('main'), '2 assistants and 1 project imported.');
});
