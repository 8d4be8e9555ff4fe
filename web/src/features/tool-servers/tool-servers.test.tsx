import { type ToolServer, toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { person } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectToast } from '#web/testing/page.ts';
import { read, server, write } from '#web/testing/tool-servers.ts';

const rows = page.getByRole('list', { name: 'Tool servers' }).getByRole('listitem');

function openTools(given: ToolServer[], role: 'Admin' | 'Editor' | 'Viewer' = 'Editor', commands: string[] = []) {
  open('/settings?tab=tools', {
    user: { ...person, role },
    answers() {
      answer(toolServers.list, given);
      answer(toolServers.commands, commands);
      answer(toolServers.tools, {
        tools: [read, write],
        leftOut: [],
        leftOutCount: 0,
        usedBy: [],
        usedByCount: 0,
        otherPeople: 0,
      });
    },
  });
}

describe('list of tool servers', () => {
  test('shows the kind, owner and error of each', async () => {
    openTools([
      server(4, { state: 'waiting', tools: 0, lookedAt: null }),
      server(3, { state: 'failed', notice: 'tools.example.org refuses connections.' }),
      server(2, { isOwn: false, isOffered: true, url: 'https://tools.example.org' }),
      server(1, { isOn: false, auth: { type: 'header', name: 'Authorization', last4: '4321' } }),
    ]);
    await expectText(rows.nth(0), 'Asking for its tools');
    await expectText(rows.nth(1), 'tools.example.org refuses connections.');
    await expectText(rows.nth(2), 'Offered by an administrator');
    await expectCount(rows.nth(2).getByRole('button'), 1);
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
    await expectText(writes, 'May change things');
    await reads.getByText('Schema of the arguments').click();
    await expectText(reads, '"description": "Its number"');
  });

  test('shows the list to a Viewer, and explains why it is disabled', async () => {
    openTools([server(1)], 'Viewer');
    const add = page.getByRole('button', { name: 'Add Server' });
    await expect.element(add).toHaveAttribute('aria-disabled', 'true');
    await expect.element(add).toHaveAccessibleDescription(/Viewer/);
    await page.getByRole('button', { name: 'Actions for Server 1' }).click();
    for (const name of [/^Edit/, /^Ask for its tools again/, /^Turn off/, /^Remove/])
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
  await expectText(rows.nth(0), /Asking the server for its tools. This can take up to 20 seconds/);
  await page.getByRole('button', { name: '2 tools of Server 1' }).click();
  const dialog = page.getByRole('dialog');
  await expectText(dialog.getByRole('status'), /Asking the server for its tools/);
  await expectHidden(dialog.getByText('It has no tools'));
  now = server(1, { state: 'ready', tools: 0 });
  await expect.element(dialog.getByText('It has no tools')).toBeVisible();
  await expectCount(dialog.getByText(/Asking the server/), 0);
});

describe('adding a server', () => {
  test('validates by the contract, and sends the typed header', async () => {
    openTools([]);
    answer(toolServers.create, server(1));
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add Tool Server' });
    const add = dialog.getByRole('button', { name: 'Add Server' });
    await add.click();
    await expect.element(dialog.getByText('Name is required')).toBeVisible();
    await expect.element(dialog.getByText('The address is required')).toBeVisible();
    await dialog.getByLabelText('Name').fill('Notes');
    await dialog.getByLabelText('Address').fill('tools.example.org');
    await dialog.getByLabelText('Access').selectOptions('With a header');
    await add.click();
    await expect.element(dialog.getByText('Enter an address that begins with https://')).toBeVisible();
    await expect.element(dialog.getByText('The value is required')).toBeVisible();
    await dialog.getByLabelText('Address').fill('https://tools.example.org/mcp');
    await dialog.getByLabelText(/^Value/).fill('Bearer secret');
    await expectHidden(dialog.getByText('Offer it to everybody'));
    expect(requestsTo(toolServers.create)).toEqual([]);
    await add.click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.create).map(({ body }) => body)).toMatchObject([
      {
        name: 'Notes',
        url: 'https://tools.example.org/mcp',
        auth: { type: 'header', name: 'Authorization', value: 'Bearer secret' },
        isOffered: false,
      },
    ]);
  });

  test('offers sharing with everyone to administrators only', async () => {
    openTools([], 'Admin');
    answer(toolServers.create, server(1));
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Notes');
    await page.getByLabelText('Address').fill('https://tools.example.org/mcp');
    await page.getByRole('checkbox', { name: /Offer it to everybody/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add Server' }).click();
    await expect.poll(() => requestsTo(toolServers.create).map(({ body }) => body.isOffered)).toEqual([true]);
  });
});

describe('server with sign-in', () => {
  const needed = { state: 'needed', notice: null } as const;
  const oauth = { type: 'oauth', name: null, last4: null } as const;
  const signIn = page.getByRole('button', { name: 'Sign in to Server 1' });

  test('is added without further input, and asks to sign in', async () => {
    let servers: ToolServer[] = [];
    openTools([]);
    answer(toolServers.list, () => servers);
    answer(toolServers.create, () => {
      servers = [server(1, { auth: oauth, state: 'sign_in', signIn: needed, tools: 0, lookedAt: null })];
      return server(1);
    });
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add Tool Server' });
    await dialog.getByLabelText('Name').fill('Notes');
    await dialog.getByLabelText('Address').fill('https://tools.example.org/mcp');
    await dialog.getByLabelText('Access').selectOptions('Each person signs in (OAuth)');
    await expectText(dialog, 'Once it is saved, sign in to it.');
    await dialog.getByRole('button', { name: 'Add Server' }).click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.create)[0]?.body.auth).toEqual({ type: 'oauth', clientId: null });
    await expectText(rows.nth(0), 'Sign in needed');
    await expect.element(signIn).toBeVisible();
  });

  test('accepts a client if the server needs one, and keeps its secret', async () => {
    const auth = { type: 'oauth', name: 'by-hand', last4: '9876' } as const;
    openTools([server(1, { auth, signIn: needed })]);
    const message = 'Enter the secret again: it was given for another address';
    answer(toolServers.update, refusal('invalid_input', message, { 'auth.clientSecret': message }));
    await page.getByRole('button', { name: 'Actions for Server 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Tool Server' });
    await expect.element(dialog.getByLabelText('Client ID')).toHaveValue('by-hand');
    await expectText(dialog, 'Empty: the one that is stored stays (…9876).');
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expect.element(dialog.getByLabelText('Client Secret', { exact: true })).toHaveAccessibleDescription(message);
    expect(requestsTo(toolServers.update)[0]?.body.auth).toEqual({ type: 'oauth', clientId: 'by-hand' });
    await dialog.getByLabelText('Client Secret', { exact: true }).fill('another');
    answer(toolServers.update, server(1));
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.update)[1]?.body.auth).toMatchObject({ clientSecret: 'another' });
  });

  test('opens the sign-in page, or says why it cannot', async () => {
    openTools([server(1, { auth: oauth, state: 'sign_in', signIn: needed })]);
    answer(toolServers.signIn, refusal('conflict', 'tools.example.org does not say how people sign in.'));
    await signIn.click();
    await expectToast('Signing in could not begin', 'tools.example.org does not say how people sign in.');
    const address = `${window.location.href.split('#')[0]}#left`;
    answer(toolServers.signIn, { address });
    await signIn.click();
    await expect.poll(() => window.location.hash).toBe('#left');
    window.history.replaceState(null, '', address.split('#')[0]);
  });

  test('says why the last attempt failed, and who must sign in again', async () => {
    openTools([
      server(3, { auth: oauth, signIn: { state: 'again', notice: null } }),
      server(2, { auth: oauth, signIn: { state: 'needed', notice: 'login.example.org did not sign you in.' } }),
      server(1, { auth: oauth, isOwn: false, isOffered: true, signIn: { state: 'done', notice: null } }),
    ]);
    await expectText(rows.nth(0), 'Sign in again');
    await expectText(rows.nth(1), /Sign in needed.*login.example.org did not sign you in\./);
    await expectText(rows.nth(2), 'Signed in');
    answer(toolServers.signOut, undefined);
    await page.getByRole('button', { name: 'Actions for Server 1' }).click();
    await expectCount(page.getByRole('menuitem'), 1);
    await page.getByRole('menuitem', { name: 'Sign out of it' }).click();
    await expect.poll(() => requestsTo(toolServers.signOut).map(({ params }) => params.id)).toEqual([1]);
    await page.getByRole('button', { name: 'Actions for Server 3' }).click();
    await expect
      .element(page.getByRole('menuitem', { name: 'Ask for its tools again' }))
      .toHaveAttribute('aria-disabled', 'true');
  });

  test.each([
    ['signedIn=1', 'Signed in to “Server 1”', 'Roster asks it for its tools.'],
    ['signInFailed=expired', 'You were not signed in', 'It took longer than ten minutes'],
    ['signInFailed=toString', 'You were not signed in', 'It did not work. Please try again.'],
  ])('reports the result: %s', async (search, title, description) => {
    open(`/settings?tab=tools&${search}`, {
      user: { ...person, role: 'Editor' },
      answers() {
        answer(toolServers.list, [server(1, { auth: oauth, signIn: { state: 'done', notice: null } })]);
      },
    });
    await expectToast(title, description);
  });
});

describe('command', () => {
  test('lets an administrator add one from the operator’s list', async () => {
    openTools([], 'Admin', ['files', 'notes']);
    answer(toolServers.addCommand, server(1));
    await page.getByRole('button', { name: 'Add Server' }).click();
    await page.getByRole('menuitem', { name: 'Command of this machine' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add Command' });
    await dialog.getByRole('button', { name: 'Add Command' }).click();
    await expect.element(dialog.getByText('Name is required')).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Notes');
    await dialog.getByLabelText('Command').selectOptions('notes');
    await dialog.getByRole('button', { name: 'Add Command' }).click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.addCommand)[0]?.body).toEqual({ name: 'Notes', command: 'notes', isOffered: false });
  });

  test('has a name, but no URL or authentication to edit', async () => {
    openTools([server(1, { kind: 'command', url: 'command:notes' })], 'Admin');
    await expectText(rows.nth(0), 'Server 1Commandnotes');
    answer(toolServers.update, server(1));
    await page.getByRole('button', { name: 'Actions for Server 1' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Tool Server' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Renamed');
    await expectHidden(dialog.getByLabelText('Address'));
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.update)[0]?.body).toEqual({ name: 'Renamed', isOffered: false });
  });
});

test('refreshes an unreachable server from its row', async () => {
  openTools([server(1, { state: 'failed', notice: 'Roster was interrupted each time it asked this server.' })]);
  answer(toolServers.refresh, server(1, { state: 'waiting' }));
  await page.getByRole('button', { name: 'Try again to ask Server 1' }).click();
  await expect.poll(() => requestsTo(toolServers.refresh).length).toBe(1);
});

test('offers no tools of a server that was never reached', async () => {
  openTools([server(1, { state: 'failed', tools: 0 }), server(2)]);
  await expect.element(page.getByRole('button', { name: '2 tools of Server 2' })).toBeVisible();
  await expectHidden(page.getByRole('button', { name: '0 tools of Server 1' }));
});

test('keeps the header unless another is typed, and shows server errors', async () => {
  openTools([server(1, { auth: { type: 'header', name: 'X-Key', last4: '4321' } })]);
  const message = 'Enter the value again: it was given for another address';
  answer(toolServers.update, refusal('invalid_input', message, { 'auth.value': message }));
  await page.getByRole('button', { name: 'Actions for Server 1' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Tool Server' });
  await expect.element(dialog.getByText('Empty: the one that is stored stays (…4321).')).toBeVisible();
  await dialog.getByLabelText('Address').fill('https://other.example.org/mcp');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect.element(dialog.getByLabelText('Value', { exact: true })).toHaveAccessibleDescription(message);
  expect(requestsTo(toolServers.update)[0]?.body.auth).toEqual({ type: 'header', name: 'X-Key' });
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
  await expectText(dialog, 'Assistants of 2 other people lose its tools too. Its key is deleted. It cannot be undone.');
  await dialog.getByRole('button', { name: 'Remove Server' }).click();
  await expectToast('Tool server removed');
});
