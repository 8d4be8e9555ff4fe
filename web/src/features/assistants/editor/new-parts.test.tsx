import { assistants } from '@roster/contracts/assistants/assistants';
import { type AssistantDraftValues, assistantDrafts } from '@roster/contracts/assistants/drafts';
import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { trials } from '@roster/contracts/trials';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { serveAssistants } from '#web/testing/assistants.ts';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectText, expectTexts, press } from '#web/testing/page.ts';
import { serveFiles, storedFile } from '#web/testing/stored-files.ts';
import { before, now, read, server, write } from '#web/testing/tool-servers.ts';

const name = page.getByLabelText('Name');
const fileRows = page.getByRole('list', { name: 'Files of this assistant' }).getByRole('listitem');
const readChoice = { serverId: 1, name: 'read_note', approval: 'never' as const, digest: now };
const handbook = { fileId: 7, filename: 'handbook.pdf', size: 2_048 };

async function openNew(values: AssistantDraftValues | null = null) {
  open('/assistants/new', {
    answers() {
      serveAssistants();
      serveFiles(storedFile(7, 'handbook.pdf'), storedFile(8, 'prices.txt'));
      const draft = values && { assistantId: null, version: null, values, savedAt: fixtureDate };
      answer(assistantDrafts.get, { draft });
      answer(assistantDrafts.keep, undefined);
      answer(assistantDrafts.remove, undefined);
      answer(toolServers.list, [server(1)]);
      const none = { leftOut: [], leftOutCount: 0, usedBy: [], usedByCount: 0, otherPeople: 0 };
      answer(toolServers.tools, { tools: [read, write], ...none });
    },
  });
  await page.getByRole('button', { name: values ? 'Continue' : 'Empty form' }).click();
  if (values) await page.getByRole('button', { name: 'Restore them' }).click();
}

async function chooseBoth() {
  await page.getByRole('heading', { name: 'Files' }).click();
  await page.getByRole('button', { name: 'Add files' }).click();
  await page.getByRole('checkbox', { name: 'handbook.pdf' }).click();
  await page.getByRole('button', { name: 'Add 1' }).click();
  await page.getByRole('heading', { name: 'Tools', exact: true }).click();
  await page.getByRole('heading', { name: 'Connected tools' }).click();
  await page.getByText('0 of 2 tools chosen').click();
  await page.getByRole('checkbox', { name: 'Read a note' }).click();
}

test('begins at the top of the form, though the template was far down', async () => {
  await page.viewport(390, 844);
  open('/assistants/new', {
    answers() {
      serveAssistants();
      serveFiles();
      answer(assistantDrafts.get, { draft: null });
      answer(toolServers.list, []);
    },
  });
  const last = page.getByRole('region', { name: 'Start from a template' }).getByRole('button').last();
  await last.click();
  await expect.element(name).toBeInViewport();
  expect(window.scrollY).toBe(0);
});

test('chooses files and tools before a new assistant is saved, and creates it with them', async () => {
  await openNew();
  await name.fill('Tutor');
  await chooseBoth();
  await expectTexts(fileRows, [/handbook\.pdf/]);
  await expect.element(page.getByText('1 connected tool', { exact: true })).toBeVisible();
  await expect
    .poll(() => requestsTo(assistantDrafts.keep).at(-1)?.body.values)
    .toMatchObject({ name: 'Tutor', files: [handbook], chosenTools: [readChoice] });
  await press('Control+s');
  await expect.poll(address).toBe('/assistants/1');
  expect(requestsTo(assistants.create).map(({ body }) => body)).toMatchObject([
    { name: 'Tutor', fileIds: [7], chosenTools: [readChoice] },
  ]);
  expect(requestsTo(assistants.create)[0]?.body).not.toHaveProperty('files');
  expect(requestsTo(toolServers.choose)).toEqual([]);
});

test('tries the chosen tools, and says that files are searched later', async () => {
  await openNew();
  answer(trials.begin, refusal('conflict', 'Your budget for this month is used up.'));
  await chooseBoth();
  const trial = page.getByRole('region', { name: 'Trial' });
  await expectText(trial, /Files are searched once the assistant is created/);
  await trial.getByRole('button', { name: 'Start a trial' }).click();
  await expect
    .poll(() => requestsTo(trials.begin).at(-1)?.body)
    .toMatchObject({ assistantId: null, settings: { files: [handbook], chosenTools: [readChoice] } });
});

test('restores files and tools that were chosen and left', async () => {
  await openNew({ name: 'Half', files: [handbook], chosenTools: [{ ...readChoice, digest: before }] });
  await expect.element(page.getByText('1 connected tool', { exact: true })).toBeVisible();
  await page.getByRole('heading', { name: 'Files' }).click();
  await fileRows.getByRole('button', { name: 'Remove handbook.pdf' }).click();
  await page.getByRole('heading', { name: 'Tools', exact: true }).click();
  await page.getByRole('heading', { name: 'Connected tools' }).click();
  await page.getByText('1 of 2 tools chosen').click();
  await page.getByRole('button', { name: 'Accept change: Read a note' }).click();
  await press('Control+s');
  await expect.poll(() => requestsTo(assistants.create).at(-1)?.body).toMatchObject({ chosenTools: [readChoice] });
  expect(requestsTo(assistants.create)[0]?.body).not.toHaveProperty('fileIds');
});

test('removes a chosen tool that its server no longer has', async () => {
  await openNew({ name: 'Half', chosenTools: [{ ...readChoice, name: 'gone_tool' }] });
  const heading = page.getByRole('heading', { name: 'Tools', exact: true });
  await heading.click();
  await page.getByRole('heading', { name: 'Connected tools' }).click();
  await page.getByRole('button', { name: 'Remove gone_tool' }).click();
  await expectText(page.getByRole('group').filter({ has: heading }), /^Tools\s*None/);
});

test('names a chosen file that was deleted, and keeps everything', async () => {
  await openNew({ name: 'Half', files: [handbook, { ...handbook, fileId: 8, filename: 'prices.txt' }] });
  const message = 'This file no longer exists.';
  answer(assistants.create, refusal('not_found', message, { 'fileIds.1': message }));
  await press('Control+s');
  const notice = page.getByText('No longer among your files: prices.txt.');
  await expect.element(notice).toBeVisible();
  await expectTexts(fileRows, [/handbook\.pdf/, /prices\.txt/]);
  await expect.element(name).toHaveValue('Half');
});

test('shows which chosen tool has changed', async () => {
  await openNew({ name: 'Half', chosenTools: [readChoice] });
  const message = 'The tool read_note has changed. Check it before you select it.';
  answer(assistants.create, refusal('conflict', message, { chosenTools: message }));
  await press('Control+s');
  await expect.element(page.getByRole('alert').filter({ hasText: message })).toBeVisible();
});
