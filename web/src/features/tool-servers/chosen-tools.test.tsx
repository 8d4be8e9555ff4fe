import { assistants } from '@roster/contracts/assistants/assistants';
import { models } from '@roster/contracts/models/models';
import { type ChosenTool, type Tool, type ToolServer, toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { model, modelList, person } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectTexts, expectToast } from '#web/testing/page.ts';
import { before, now, read, server, write } from '#web/testing/tool-servers.ts';

describe('tools of an assistant', () => {
  const chosen = (tool: Tool, more: Partial<ChosenTool> = {}): ChosenTool => ({
    serverId: 1,
    serverName: 'Server 1',
    name: tool.name,
    title: tool.title,
    approval: 'never',
    digest: tool.digest,
    state: 'ready',
    ...more,
  });
  async function openChoices(
    given: ChosenTool[],
    role: 'Editor' | 'Viewer' = 'Editor',
    more: Partial<ToolServer> = {},
  ) {
    let kept = given;
    open('/settings?tab=assistants&edit=1', {
      user: { ...person, role },
      answers() {
        answer(models.list, modelList(model('gpt-4o')));
        serveAssistants(assistant(1));
        answer(assistants.files, []);
        answer(toolServers.list, [server(1, more)]);
        answer(toolServers.tools, {
          tools: [read, write],
          leftOut: [],
          leftOutCount: 0,
          usedBy: [],
          usedByCount: 0,
          otherPeople: 0,
        });
        answer(toolServers.chosen, () => kept);
        answer(toolServers.choose, ({ body }) => {
          kept = body.tools.map((one) => chosen(one.name === 'read_note' ? read : write, one));
          serveAssistants(assistant(1, { version: 1 + sent().length }));
          return kept;
        });
      },
    });
    await page.getByText('Connected tools').click();
  }
  const tools = page.getByRole('list', { name: 'Tools of Server 1' }).getByRole('listitem');
  const sent = () => requestsTo(toolServers.choose).map(({ body }) => body.tools);

  test('selects tools one by one, with approval only for those that may change something', async () => {
    await openChoices([]);
    await page.getByText('0 of 2 tools chosen').click();
    await tools.nth(0).getByRole('checkbox', { name: 'Read a note' }).click();
    await tools.nth(1).getByRole('checkbox', { name: 'Write a note' }).click();
    const asked = page.getByLabelText('Approval for Write a note');
    await expect.element(asked).toHaveValue('always');
    await asked.selectOptions('Ask once in a conversation');
    await expect.poll(() => sent().length).toBe(3);
    expect(sent().at(-1)).toEqual([
      { serverId: 1, name: 'read_note', approval: 'never', digest: now },
      { serverId: 1, name: 'write_note', approval: 'once', digest: now },
    ]);
    await tools.nth(0).getByRole('checkbox', { name: 'Read a note' }).click();
    await expect.element(page.getByText('1 of 2 tools chosen')).toBeVisible();
    await expect
      .poll(() =>
        sent()
          .at(-1)
          ?.map(({ name }) => name),
      )
      .toEqual(['write_note']);
    await expect.element(page.getByText(`This is version ${1 + sent().length}.`)).toBeVisible();
  });

  test('ticks a tool at once, while it is being saved', async () => {
    await openChoices([]);
    await page.getByText('0 of 2 tools chosen').click();
    const box = tools.nth(0).getByRole('checkbox', { name: 'Read a note' });
    await expect.element(box).toBeEnabled();
    const element = box.element();
    if (!(element instanceof HTMLInputElement)) throw new Error('This is no checkbox.');
    element.click();
    // Only microtasks run in between, so the box is never painted unticked.
    for (let microtask = 0; microtask < 50; microtask++) await null;
    expect(element.checked).toBe(true);
    await expect.poll(() => sent().length).toBe(1);
  });

  test('asks every time about changed tools until they are accepted', async () => {
    await openChoices([chosen(write, { digest: before, state: 'changed' })]);
    await page.getByText('1 of 2 tools chosen').click();
    const row = tools.nth(1);
    await expectText(row, 'Changed');
    await expect.element(page.getByLabelText('Approval for Write a note')).toHaveValue('always');
    await page.getByRole('button', { name: 'Accept change: Write a note' }).click();
    await expect.poll(sent).toEqual([[{ serverId: 1, name: 'write_note', approval: 'never', digest: now }]]);
    await expectHidden(row.getByText('Changed'));
  });

  test('removes tools that no longer exist', async () => {
    await openChoices([chosen(read), chosen({ ...write, name: 'old', title: 'Old' }, { state: 'gone' })]);
    await expect.element(page.getByText('1 of 2 tools chosen')).toBeVisible();
    const lost = page.getByRole('list', { name: 'Unavailable tools' }).getByRole('listitem');
    await expectTexts(lost, [/^Old \(Server 1\): its server no longer has it/]);
    await page.getByRole('button', { name: 'Remove Old' }).click();
    await expect.poll(sent).toEqual([[{ serverId: 1, name: 'read_note', approval: 'never', digest: now }]]);
  });

  test('asks the user to sign in to the server', async () => {
    await openChoices([chosen(read)], 'Editor', { signIn: { state: 'again', notice: null } });
    await expect.element(page.getByText('Sign in again', { exact: true })).toBeVisible();
    await page.getByText('1 of 2 tools chosen').click();
    await expect.element(page.getByRole('link', { name: 'Sign in under Settings, Tools' })).toBeVisible();
    await expect.element(tools.nth(0).getByRole('checkbox')).toBeChecked();
  });

  test('shows tools to a Viewer, disabled', async () => {
    await openChoices([chosen(read)], 'Viewer');
    await page.getByText('1 of 2 tools chosen').click();
    await expect.element(tools.nth(0).getByRole('checkbox')).toBeChecked();
    await expect.element(tools.nth(0).getByRole('checkbox')).toBeDisabled();
    await tools.nth(0).getByRole('button', { name: 'What it does: Read a note' }).click();
    await expectText(tools.nth(0), 'Reads <b>one</b> note.');
  });

  test('keeps the selection if the server refuses', async () => {
    await openChoices([]);
    answer(toolServers.choose, refusal('conflict', 'The tool read_note has changed meanwhile.'));
    await page.getByText('0 of 2 tools chosen').click();
    await tools.nth(0).getByRole('checkbox', { name: 'Read a note' }).click();
    await expectToast('Failed to update the tools', 'The tool read_note has changed meanwhile.');
    await expect.element(tools.nth(0).getByRole('checkbox')).not.toBeChecked();
  });
});
