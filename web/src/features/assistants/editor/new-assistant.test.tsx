import { assistants } from '@roster/contracts/assistants/assistants';
import { assistantDrafts } from '@roster/contracts/assistants/drafts';
import { chat, Thread } from '@roster/contracts/chat';
import { trials } from '@roster/contracts/trials';
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { nameField as name, openEditor } from '#web/testing/assistant-editor.ts';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { exchange, thread } from '#web/testing/conversations.ts';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectText, press } from '#web/testing/page.ts';

describe('a new assistant', () => {
  test('starts from a template that is found by what it does, with the tools it needs and why', async () => {
    openEditor('/assistants/new', null, []);
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('spreadsheet');
    await page.getByRole('button', { name: /^Data analyst/ }).click();
    await expect
      .element(page.getByText('Code interpreter, because numbers are calculated, not guessed.'))
      .toBeVisible();
    await expect.element(name).toHaveValue('Data analyst');
    await page.getByRole('button', { name: 'Create assistant' }).click();
    await expect.poll(address).toBe('/assistants/1');
    expect(requestsTo(assistants.create)).toMatchObject([
      { body: { name: 'Data analyst', tools: { codeInterpreter: {} }, tags: ['data', 'work'], icon: 'chart' } },
    ]);
  });

  test('is created once, however often Ctrl+S is pressed', async () => {
    openEditor('/assistants/new', null, []);
    await page.getByRole('button', { name: /^Copy editor/ }).click();
    const reply = hold(assistants.create);
    await press('Control+s');
    await press('Control+s');
    await expect.poll(() => requestsTo(assistants.create).length).toBe(1);
    await press('Control+s');
    reply(assistant(1, { name: 'Copy editor' }));
    await expect.poll(address).toBe('/assistants/1');
    expect(requestsTo(assistants.create).length).toBe(1);
  });

  test('keeps what is typed while it is created as changes of it', async () => {
    openEditor('/assistants/new', null, []);
    await page.getByRole('button', { name: /^Copy editor/ }).click();
    const reply = hold(assistants.create);
    await press('Control+s');
    await expect.poll(() => requestsTo(assistants.create).length).toBe(1);
    await name.fill('Copy editor of mine');
    reply(assistant(1, { name: 'Copy editor', version: 1 }));
    await expect.poll(address).toBe('/assistants/1');
    expect(requestsTo(assistantDrafts.keep).at(-1)).toMatchObject({
      query: { assistant: 1 },
      body: { version: 1, values: { name: 'Copy editor of mine' } },
    });
  });

  test('keeps all of a template that was changed', async () => {
    openEditor('/assistants/new', null, []);
    await page.getByRole('button', { name: /^Copy editor/ }).click();
    await name.fill('My editor');
    await expect
      .poll(() => requestsTo(assistantDrafts.keep).at(-1)?.body)
      .toMatchObject({
        values: { name: 'My editor', icon: 'pen', instructions: expect.stringContaining('You edit texts.') },
      });
  });

  test('keeps a draft that a model wrote before anything is typed, and warns before it is left', async () => {
    openEditor('/assistants/new', null, []);
    const written = { name: 'Plant doctor', description: '', instructions: 'You heal plants.', starters: [], tags: [] };
    const [question, reply] = exchange(5, { text: 'Plants' }, { text: JSON.stringify(written) });
    if (!question || !reply) throw new Error('No exchange');
    answer(trials.begin, Thread.parse(thread(5)));
    answer(chat.send, { message: question, run: { id: 9, threadId: 5, messageId: 2, state: 'queued' }, runs: [] });
    answer(chat.messages, { items: [question, reply], nextCursor: null, newerCursor: null });
    answer(chat.removeThread, undefined);
    await page.getByLabelText('What should it do?').fill('Plants');
    await page.getByRole('button', { name: 'Draft it' }).click();
    await expect.element(name).toHaveValue('Plant doctor');
    await expect.poll(() => requestsTo(assistantDrafts.keep).at(-1)?.body).toMatchObject({ values: written });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByRole('alertdialog', { name: 'Discard unsaved changes?' })).toBeVisible();
    expect(requestsTo(chat.removeThread).map(({ params }) => params)).toEqual([{ id: 5 }]);
  });

  test('continues what was left without saving', async () => {
    openEditor(
      '/assistants/new',
      { assistantId: null, version: null, values: { name: 'Half typed' }, savedAt: fixtureDate },
      [],
    );
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Restore them' }).click();
    await expect.element(name).toHaveValue('Half typed');
  });

  test('begins with an empty form on the default model', async () => {
    openEditor('/assistants/new', null, []);
    await page.getByRole('button', { name: 'Empty form' }).click();
    await expect.element(name).toHaveValue('');
    await page.getByRole('button', { name: 'Create assistant' }).click();
    await expect.element(page.getByText('Name is required')).toBeVisible();
    expect(requestsTo(assistants.create)).toEqual([]);
  });

  test('shows why a model drafted nothing', async () => {
    openEditor('/assistants/new', null, []);
    answer(trials.begin, refusal('conflict', 'Your budget for this month is used up.'));
    await page.getByLabelText('What should it do?').fill('Answers questions about plants');
    await page.getByRole('button', { name: 'Draft it' }).click();
    await expectText(page.getByRole('alert'), /Your budget for this month is used up\./);
    expect(requestsTo(trials.begin)).toMatchObject([{ body: { assistantId: null } }]);
  });

  test('is not created by a Viewer', async () => {
    open('/assistants/new', { user: { ...person, role: 'Viewer' }, answers: () => serveAssistants() });
    await page.getByRole('button', { name: 'Empty form' }).click();
    await expect
      .element(page.getByRole('button', { name: 'Create assistant' }))
      .toHaveAttribute('aria-disabled', 'true');
    await userEvent.keyboard('{Control>}s{/Control}');
    expect(requestsTo(assistants.create)).toEqual([]);
  });
});
