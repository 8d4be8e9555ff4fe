import { assistants } from '@roster/contracts/assistants/assistants';
import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { assistant } from '#web/testing/assistants.ts';
import { expectCount, expectHidden, expectText, expectTexts, expectToast } from '#web/testing/page.ts';
import { openTools, rows, server } from '#web/testing/tool-servers.ts';

describe('list of tool servers', () => {
  test('shows the kind, owner and error of each', async () => {
    openTools([
      server(4, { state: 'waiting', tools: 0, lookedAt: null }),
      server(3, { state: 'failed', notice: 'tools.example.org refuses connections.' }),
      server(2, { isOwn: false, isOffered: true, url: 'https://tools.example.org' }),
      server(1, { isOn: false, auth: { type: 'header', name: 'Authorization', last4: '4321' } }),
    ]);
    await expectText(rows.nth(0), 'Loading its tools');
    await expectText(rows.nth(1), 'tools.example.org refuses connections.');
    await expectText(rows.nth(2), 'Shared by an administrator');
    await expectTexts(rows.nth(2).getByRole('button'), ['2 tools', 'Use in an assistant']);
    await expectText(rows.nth(3), /Off.*Authorization …4321/);
  });

  test('shows a server’s tools with their arguments as text', async () => {
    openTools([server(1)]);
    await page.getByRole('button', { name: '2 tools of Server 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Tools of “Server 1”' });
    const [reads, writes] = [dialog.getByRole('listitem').nth(0), dialog.getByRole('listitem').nth(1)];
    await expectText(reads, /Read a note ?read_note ?Only reads/);
    await expectText(reads, 'Reads <b>one</b> note.');
    await expectText(reads, /id ?integer, required/);
    await expectText(reads, 'one of "short", "long"');
    await expectText(writes, 'Can change data');
    await reads.getByText('Argument schema').click();
    await expectText(reads, '"description": "Its number"');
  });

  test('shows the list to a Viewer, and explains why it is disabled', async () => {
    openTools([server(1)], 'Viewer');
    const add = page.getByRole('button', { name: 'Add Server' });
    await expect.element(add).toHaveAttribute('aria-disabled', 'true');
    await expect.element(add).toHaveAccessibleDescription(/Viewer/);
    await page.getByRole('button', { name: 'Actions for Server 1' }).click();
    for (const name of [/^Edit/, /^Refresh tools/, /^Turn off/, /^Remove/])
      await expect.element(page.getByRole('menuitem', { name })).toHaveAttribute('aria-disabled', 'true');
  });

  test('shows why it failed to load, and retries', async () => {
    openTools([]);
    await expect.element(page.getByText('No tool servers yet.')).toBeVisible();
    answer(toolServers.list, refusal('unavailable', 'The database is being moved.'));
    openTools([]);
    answer(toolServers.list, refusal('unavailable', 'The database is being moved.'));
    const alert = page.getByRole('alert').filter({ hasText: 'Failed to load the tool servers' });
    await expectText(alert, 'The database is being moved.');
    answer(toolServers.list, [server(1)]);
    await alert.getByRole('button', { name: 'Try Again' }).click();
    await expectText(rows.nth(0), 'Server 1');
  });
});

test('says that tools are being fetched, and shows them when they arrive', async () => {
  let now = server(1, { state: 'waiting' });
  openTools([now]);
  answer(toolServers.list, () => [now]);
  answer(toolServers.tools, {
    tools: [],
    leftOut: [],
    leftOutCount: 0,
    usedBy: [],
    usedByCount: 0,
    otherPeople: 0,
  });
  await expectText(rows.nth(0), /Loading the server’s tools. This can take up to 20 seconds/);
  await page.getByRole('button', { name: '2 tools of Server 1' }).click();
  const dialog = page.getByRole('dialog');
  await expectText(dialog.getByRole('status'), /Loading the server’s tools/);
  await expectHidden(dialog.getByText('Roster found no tools'));
  now = server(1, { state: 'ready', tools: 0 });
  await expect.element(dialog.getByText('Roster found no tools')).toBeVisible();
  await expectCount(dialog.getByText(/Loading the server’s tools/), 0);
});

test('refreshes an unreachable server from its row', async () => {
  openTools([server(1, { state: 'failed', notice: 'Roster was interrupted each time it asked this server.' })]);
  answer(toolServers.refresh, server(1, { state: 'waiting' }));
  await page.getByRole('button', { name: 'Try again: Server 1' }).click();
  await expect.poll(() => requestsTo(toolServers.refresh).length).toBe(1);
});

test('offers no tools of a server that was never reached', async () => {
  openTools([server(1, { state: 'failed', tools: 0 }), server(2)]);
  await expect.element(page.getByRole('button', { name: '2 tools of Server 2' })).toBeVisible();
  await expectHidden(page.getByRole('button', { name: '0 tools of Server 1' }));
});

test('says who loses which tools before removing a server', async () => {
  openTools([server(1, { auth: { type: 'query', name: 'api_key', last4: '4321' } })]);
  answer(toolServers.tools, {
    tools: [],
    leftOut: [],
    leftOutCount: 0,
    usedBy: [
      { id: 1, name: 'Tutor' },
      { id: 2, name: 'Keeper' },
    ],
    usedByCount: 3,
    otherPeople: 2,
  });
  answer(toolServers.remove, undefined);
  await page.getByRole('button', { name: 'Actions for Server 1' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Remove “Server 1”?' });
  await expectText(dialog, '3 assistants lose its tools: Tutor, Keeper and 1 more.');
  await expectText(
    dialog,
    'Assistants of 2 other people lose its tools too. Its key is deleted. This cannot be undone.',
  );
  await dialog.getByRole('button', { name: 'Remove Server' }).click();
  await expectToast('Tool server removed');
});

describe('using a server in an assistant', () => {
  const openFirst = (notice?: string) =>
    openTools([server(1, notice === undefined ? {} : { state: 'failed', tools: 0, notice })]);

  test('fills in a known server, and then chooses all its tools in one change', async () => {
    openFirst();
    answer(toolServers.create, server(1));
    answer(assistants.list, [assistant(1)]);
    answer(toolServers.choose, []);
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).click();
    await page.getByRole('button', { name: /^Notion/ }).click();
    await expect.element(page.getByLabelText('URL')).toHaveValue('https://mcp.notion.com/mcp');
    await expect.element(page.getByLabelText('Access')).toHaveValue('oauth');
    await page.getByRole('button', { name: /^DeepWiki/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
    expect(requestsTo(toolServers.create)[0]?.body).toMatchObject({ url: 'https://mcp.deepwiki.com/mcp' });
    const dialog = page.getByRole('dialog', { name: 'Use “Server 1” in an Assistant' });
    await expectText(dialog, '0 of 2 tools chosen for Tutor');
    await dialog.getByRole('button', { name: 'Choose all' }).click();
    await expect.poll(() => requestsTo(toolServers.choose).map(({ body }) => body.tools.length)).toEqual([2]);
  });

  test('shows the line that lets the operator allow a private address', async () => {
    openFirst(
      '10.0.0.7 is in a private network. Roster’s operator can allow it with 10.0.0.7:443 in TOOL_HOSTS_ALLOWED.',
    );
    await expect.element(page.getByText('TOOL_HOSTS_ALLOWED=10.0.0.7:443', { exact: true })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Copy the line for the operator' })).toBeVisible();
  });

  test('shows that line as soon as such a server has been added, and offers no assistant', async () => {
    const notice =
      '10.0.0.7 is in a private network. Roster’s operator can allow it with 10.0.0.7:443 in TOOL_HOSTS_ALLOWED.';
    openFirst(notice);
    answer(toolServers.create, server(1, { state: 'failed', tools: 0, notice }));
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).click();
    await page.getByRole('button', { name: /^DeepWiki/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
    const dialog = page.getByRole('dialog', { name: 'No Tools from “Server 1”' });
    await expect.element(dialog.getByText('TOOL_HOSTS_ALLOWED=10.0.0.7:443', { exact: true })).toBeVisible();
    await expectCount(dialog.getByText(/edit the assistant/), 0);
  });
});
