import { type ToolServer, toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { person } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectToast } from '#web/testing/page.ts';
import { openTools, rows, server } from '#web/testing/tool-servers.ts';

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
    await dialog.getByLabelText('URL').fill('tools.example.org');
    await dialog.getByLabelText('Access').selectOptions('With a header');
    await add.click();
    await expect.element(dialog.getByText('Enter an address that begins with https://')).toBeVisible();
    await expect.element(dialog.getByText('The value is required')).toBeVisible();
    await dialog.getByLabelText('URL').fill('https://tools.example.org/mcp');
    await dialog.getByLabelText(/^Value/).fill('Bearer secret');
    await expectHidden(dialog.getByText('Share with everyone'));
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
    await page.getByLabelText('URL').fill('https://tools.example.org/mcp');
    await page.getByRole('checkbox', { name: /Share with everyone/ }).click();
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
    await dialog.getByLabelText('URL').fill('https://tools.example.org/mcp');
    await dialog.getByLabelText('Access').selectOptions('Each person signs in (OAuth)');
    await expectText(dialog, 'After saving, sign in to load its tools.');
    await dialog.getByRole('button', { name: 'Add Server' }).click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.create)[0]?.body.auth).toEqual({ type: 'oauth', clientId: null });
    await expectText(rows.nth(0), 'Sign-in required');
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
    await expectText(dialog, 'Leave empty to keep the current one (…9876).');
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
    await expectToast('Failed to start signing in', 'tools.example.org does not say how people sign in.');
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
    await expectText(rows.nth(1), /Sign-in required.*login.example.org did not sign you in\./);
    await expectText(rows.nth(2), 'Signed in');
    answer(toolServers.signOut, undefined);
    await page.getByRole('button', { name: 'Actions for Server 1' }).click();
    await expectCount(page.getByRole('menuitem'), 1);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect.poll(() => requestsTo(toolServers.signOut).map(({ params }) => params.id)).toEqual([1]);
    await page.getByRole('button', { name: 'Actions for Server 3' }).click();
    await expect
      .element(page.getByRole('menuitem', { name: 'Refresh tools' }))
      .toHaveAttribute('aria-disabled', 'true');
  });

  test.each([
    ['signedIn=1', 'Signed in to “Server 1”', 'Roster is loading its tools.'],
    ['signInFailed=expired', 'Failed to sign in', 'The sign-in took longer than ten minutes'],
    ['signInFailed=toString', 'Failed to sign in', 'Please try again.'],
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
    await page.getByRole('menuitem', { name: 'Command on this machine' }).click();
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
    await expectHidden(dialog.getByLabelText('URL'));
    await dialog.getByRole('button', { name: 'Save Changes' }).click();
    await expectHidden(dialog);
    expect(requestsTo(toolServers.update)[0]?.body).toEqual({ name: 'Renamed', isOffered: false });
  });
});

test('keeps the header unless another is typed, and shows server errors', async () => {
  openTools([server(1, { auth: { type: 'header', name: 'X-Key', last4: '4321' } })]);
  const message = 'Enter the value again: it was given for another address';
  answer(toolServers.update, refusal('invalid_input', message, { 'auth.value': message }));
  await page.getByRole('button', { name: 'Actions for Server 1' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Tool Server' });
  await expect.element(dialog.getByText('Leave empty to keep the current one (…4321).')).toBeVisible();
  await dialog.getByLabelText('URL').fill('https://other.example.org/mcp');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect.element(dialog.getByLabelText('Value', { exact: true })).toHaveAccessibleDescription(message);
  expect(requestsTo(toolServers.update)[0]?.body.auth).toEqual({ type: 'header', name: 'X-Key' });
});
