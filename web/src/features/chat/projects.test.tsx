import { chat } from '@roster/contracts/chat';
import { projects } from '@roster/contracts/projects/projects';
import { trash } from '@roster/contracts/trash';
import { usage } from '@roster/contracts/usage/usage';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectTexts, expectToast } from '#web/testing/page.ts';
import { project, projectThread, serveProjects } from '#web/testing/projects.ts';
import { serveFiles, storedFile } from '#web/testing/stored-files.ts';

const list = page.getByRole('navigation', { name: 'Recent conversations' });
const section = page.getByRole('region', { name: 'Projects' });
const dialog = page.getByRole('dialog');
const row = (id: number) => list.getByRole('link', { name: `Conversation ${id}`, exact: true });
const figures = { inputTokens: 10, cachedTokens: 0, outputTokens: 10, reasoningTokens: 0, estimatedRequests: 0 };

function serveBoth() {
  serveThreads([thread(1), thread(2, { projectId: 1 }), thread(3)]);
  serveProjects([project(1, { name: 'Garden', conversations: 1 }), project(2, { name: 'Taxes' })]);
}

test('creates a first project, with instructions and a model', async () => {
  open('/projects', { answers: () => serveProjects([]) });
  await expect.element(page.getByText('No projects yet')).toBeVisible();
  await page.getByRole('button', { name: 'New Project' }).first().click();
  await dialog.getByRole('button', { name: 'Create Project' }).click();
  await expect.element(dialog.getByText('Name is required')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Garden');
  await dialog.getByRole('radio', { name: 'green' }).click();
  await dialog.getByRole('textbox', { name: 'Instructions' }).fill('Plan for May.');
  await dialog.getByRole('button', { name: 'Create Project' }).click();
  await expect.poll(address).toBe('/projects/1');
  await expect.element(page.getByText('Plan for May.')).toBeVisible();
  await expect.element(page.getByText('No conversations in this project')).toBeVisible();
  const { name, color, instructions, model } = requestsTo(projects.create)[0]?.body ?? {};
  expect([name, color, instructions, model]).toEqual(['Garden', 'green', 'Plan for May.', null]);
});

test('inserts variables into a project’s instructions, with the values of what answers', async () => {
  open('/projects/1', {
    answers() {
      serveProjects([project(1, { name: 'Garden', instructions: 'You are .', assistantId: 4 })]);
      serveAssistants(assistant(4, { name: 'Tutor', model: 'gpt-4o' }));
    },
  });
  await page.getByRole('button', { name: 'Edit' }).click();
  const instructions = dialog.getByRole('textbox', { name: 'Instructions' });
  await expect.element(instructions).toHaveValue('You are .');
  const box = instructions.element();
  if (!(box instanceof HTMLTextAreaElement)) throw new Error('No text area');
  box.setSelectionRange(8, 8);
  await dialog.getByRole('button', { name: 'Insert variable' }).click();
  await page.getByRole('menuitem', { name: /\{\{assistant_name\}\}.*Now: Tutor/ }).click();
  await expect.element(instructions).toHaveValue('You are {{assistant_name}}.');
  await expectText(dialog.getByText('1 variable, filled in with each message:'), /Tutor/);
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect
    .poll(() => requestsTo(projects.update)[0]?.body)
    .toMatchObject({ instructions: 'You are {{assistant_name}}.' });
});

test('shows conversations, cost and default of a project, edits and archives it', async () => {
  open('/projects/1', {
    answers() {
      serveProjects(
        [project(1, { name: 'Garden', model: 'gpt-4o', conversations: 120 })],
        [projectThread(5), projectThread(6, { archived: true })],
      );
      const spent = { project: { id: 1, name: 'Garden' }, requests: 3, costUsd: 0.25, unpricedRequests: 0, ...figures };
      answer(usage.byProject, { items: [spent] });
    },
  });
  await expect.element(page.getByText('$0.25')).toBeVisible();
  await expect.element(page.getByText('2 of 120 conversations')).toBeVisible();
  const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
  await expectTexts(rows, [/^Conversation 5/, /^Conversation 6 Archived/]);
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Herbs');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect.element(page.getByRole('heading', { name: 'Herbs' })).toBeVisible();
  expect(requestsTo(projects.update)[0]?.body).toMatchObject({ name: 'Herbs', model: 'gpt-4o', assistantId: null });
  await page.getByRole('button', { name: 'Project actions' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await expectToast('Project archived');
  expect(requestsTo(projects.update)[1]?.body).toEqual({ archived: true });
});

test('shows conversations first on a phone, and the details of the project once opened', async () => {
  await page.viewport(390, 844);
  open('/projects/1', {
    answers: () => serveProjects([project(1, { name: 'Garden', instructions: 'Plan for May.' })], [projectThread(5)]),
  });
  const first = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem').first();
  await expect.element(first).toBeInViewport();
  await expect.element(page.getByText('Plan for May.')).not.toBeVisible();
  await page.getByText('Instructions, files, cost').click();
  await expect.element(page.getByText('Plan for May.')).toBeVisible();
});

test('adds files that are searched, shows their state and removes one', async () => {
  const added = { fileId: 4, filename: 'beds.pdf', size: 2_000_000, error: null, addedAt: fixtureDate };
  const table = {
    ...added,
    fileId: 5,
    filename: 'prices.csv',
    state: 'failed' as const,
    error: 'It cannot be searched.',
  };
  open('/projects/1', {
    answers() {
      serveProjects([project(1)]);
      serveFiles(storedFile(4, 'beds.pdf'), storedFile(6, 'prices.csv'));
    },
  });
  await page.getByRole('button', { name: 'Add files' }).click();
  await expect.element(dialog.getByRole('checkbox', { name: /prices\.csv/ })).toBeDisabled();
  await dialog.getByRole('checkbox', { name: /beds\.pdf/ }).click();
  answer(projects.addFiles, [{ ...added, state: 'ready' }, table]);
  answer(projects.files, [{ ...added, state: 'ready' }, table]);
  await dialog.getByRole('button', { name: 'Add 1' }).click();
  const rows = page.getByRole('list', { name: 'Files' }).getByRole('listitem');
  await expectTexts(rows, [/^beds\.pdf .*Ready/, /^prices\.csv .*Failed: It cannot be searched\. Retry/]);
  expect(requestsTo(projects.addFiles)[0]?.body).toEqual({ fileIds: [4] });
  answer(projects.removeFile, undefined);
  answer(projects.files, [table]);
  await page.getByRole('button', { name: 'Remove beds.pdf' }).click();
  await expectTexts(rows, [/^prices\.csv/]);
  expect(requestsTo(projects.removeFile)[0]?.params).toEqual({ id: 1, fileId: 4 });
});

test('asks whether the conversations of a deleted project stay', async () => {
  open('/projects/1', {
    answers() {
      serveProjects([project(1, { name: 'Garden', conversations: 2 })], [projectThread(5)]);
      answer(trash.list, { items: [], count: 0, nextCursor: null });
    },
  });
  await page.getByRole('button', { name: 'Project actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete Project' });
  await expectText(question, 'Its 2 conversations');
  await question.getByRole('radio', { name: /Move to the trash/ }).click();
  await question.getByRole('button', { name: 'Delete Project' }).click();
  await expect.poll(address).toBe('/projects');
  expect(requestsTo(projects.remove)[0]).toMatchObject({ params: { id: 1 }, query: { conversations: 'trash' } });
});

test('lists projects above the conversations, and stays collapsed', async () => {
  open('/chat', { answers: serveBoth });
  await expectTexts(section.getByRole('listitem'), ['Garden 1 conversations', 'Taxes']);
  await section.getByRole('button', { name: 'Projects', exact: true }).click();
  await expectHidden(section.getByRole('listitem'));
  open('/chat', { answers: serveBoth });
  await expect.element(section.getByRole('button', { name: 'Projects', exact: true })).toBeVisible();
  await expectHidden(section.getByRole('listitem'));
});

test('moves a conversation by its menu with the keyboard, and back', async () => {
  open('/chat', { answers: serveBoth });
  await row(2).hover();
  await list.getByRole('button', { name: 'Actions for Conversation 2' }).click();
  await expect.element(page.getByRole('menuitem', { name: 'Rename' })).toHaveFocus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{Enter}');
  await expect.element(dialog.getByRole('button', { name: 'Garden' })).toHaveAttribute('aria-current', 'true');
  await dialog.getByRole('button', { name: 'Taxes' }).click();
  await expectToast('1 conversation moved to Taxes');
  await expectHidden(dialog);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect
    .poll(() => requestsTo(projects.move).map(({ body }) => body))
    .toEqual([
      { ids: [2], projectId: 2 },
      { ids: [2], projectId: 1 },
    ]);
});

test('moves selected conversations to a new project', async () => {
  open('/chat', { answers: serveBoth });
  await row(1).hover();
  await list.getByRole('checkbox', { name: 'Select Conversation 1' }).click();
  await row(3).click();
  await page.getByRole('button', { name: 'Move to project' }).click();
  await dialog.getByRole('button', { name: 'New project…' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Trips');
  await dialog.getByRole('button', { name: 'Create Project' }).click();
  await expectToast('2 conversations moved to Trips');
  expect(requestsTo(projects.move)[0]?.body).toEqual({ ids: [1, 3], projectId: 3 });
  await expectHidden(page.getByRole('toolbar', { name: 'Selected conversations' }));
});

test('moves a conversation that is dragged onto a project', async () => {
  open('/chat', { answers: serveBoth });
  await row(1).dropTo(section.getByRole('link', { name: /Garden/ }));
  await expectToast('1 conversation moved to Garden');
  expect(requestsTo(projects.move)[0]?.body).toEqual({ ids: [1], projectId: 1 });
});

test('starts a conversation in a project with its model, unless another is chosen or it is left', async () => {
  open('/chat?new=true&project=1', {
    answers() {
      serveThreads([thread(7)], exchange(7, { text: 'Roses?' }, { text: 'Yes' }));
      serveProjects([project(1, { name: 'Garden', model: 'gpt-4o-mini' })]);
    },
  });
  await expectText(page.getByRole('region', { name: 'New conversation' }), 'In project Garden');
  await expectText(page.getByRole('region', { name: 'New conversation' }), 'gpt-4o-mini answers');
  const [question] = exchange(7, { text: 'Roses?' });
  if (!question) throw new Error('There is no question');
  const run = { id: 9, threadId: 7, messageId: 2, state: 'queued' as const };
  answer(chat.createThread, thread(7, { projectId: 1 }));
  answer(chat.send, { message: question, run, runs: [run] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Roses?');
  await page.getByRole('button', { name: 'Send message' }).click();
  await expect.poll(address).toBe('/chat/7');
  expect(requestsTo(chat.createThread)[0]?.body).toMatchObject({ projectId: 1, model: 'gpt-4o-mini' });
  open('/chat?new=true&project=1', { answers: serveBoth });
  await page.getByRole('link', { name: 'Start without the project' }).click();
  await expect.poll(address).toBe('/chat?new=true');
});

test('names the project of an open conversation, and filters by one', async () => {
  open('/chat/2', { answers: serveBoth });
  await expect.element(page.getByRole('link', { name: 'Project Garden' })).toHaveAttribute('href', '/projects/1');
  await page.getByRole('button', { name: 'Filter conversations' }).click();
  await page.getByRole('combobox', { name: 'Add a filter' }).selectOptions('Project');
  await page.getByRole('combobox', { name: 'Project' }).selectOptions('Taxes');
  await expect.poll(() => requestsTo(chat.threads).at(-1)?.query.project).toBe(2);
});
