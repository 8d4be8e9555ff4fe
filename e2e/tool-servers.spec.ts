import type { Page } from '@playwright/test';
import { startToolServer } from '../server/src/testing/tool-peer.ts';
import { startProtectedToolServer } from '../server/src/testing/tool-sign-in.ts';
import {
  test as base,
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  request,
} from './fixtures.ts';
import { presses } from './presses.ts';
import { type Roster, startRoster } from './roster.ts';

/** An installation that may reach servers on its own machine, and such a server. */
const test = base.extend<{ peer: Awaited<ReturnType<typeof startToolServer>> }, { roster: Roster }>({
  roster: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
    async ({}, use) => {
      await using roster = await startRoster({ env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
      await use(roster);
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
  peer: async ({}, use) => {
    const peer = await startToolServer();
    await use(peer);
    await peer.close();
  },
});

const tab = '/settings?tab=tools';
const rows = (page: Page) => page.getByRole('list', { name: 'Tool servers' }).getByRole('listitem');

async function add(page: Page, url: string) {
  await page.getByRole('button', { name: 'Add Server' }).click();
  await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Tool Server' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('Notes');
  await dialog.getByLabel(/^URL/).fill(url);
  await dialog.getByLabel('Access').selectOption('With a header');
  await dialog.getByLabel(/^Value/).fill('Bearer planted-in-the-header-4321');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await page.getByRole('dialog', { name: 'Use “Notes” in an Assistant' }).getByRole('button', { name: 'Done' }).click();
}

test('adds a server, selects its tools for an assistant, and removes it', { tag: '@main' }, async ({
  page,
  roster,
  withAssistant,
  peer,
}) => {
  await page.goto(tab);
  await expect(page.getByText('No tool servers yet.')).toBeVisible();
  await add(page, peer.url);
  const row = rows(page).first();
  await expect(row.getByRole('button', { name: '2 tools of Notes' })).toBeVisible();
  await expect(row).toContainText('Authorization …4321');
  expect(await page.content()).not.toContain('planted-in-the-header');
  await expectAccessible(page);
  await row.getByRole('button', { name: '2 tools of Notes' }).click();
  await expect(page.getByRole('list', { name: 'Tools', exact: true }).getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page);
  await page.keyboard.press('Escape');

  const edit = `/settings?tab=assistants&edit=${withAssistant.assistantId}`;
  await page.goto(edit);
  await page.getByText('Connected tools').click();
  await page.getByText('0 of 2 tools chosen').click();
  await page.getByRole('checkbox', { name: 'Write a note' }).check();
  await page.getByLabel('Approval for Write a note').selectOption('Ask once in a conversation');
  await expectAccessible(page);
  const chosen = async () =>
    (await request(page, roster, 'GET', `/api/assistants/${withAssistant.assistantId}/tools`)).body;
  await expect.poll(chosen).toMatchObject([{ name: 'write_note', approval: 'once', state: 'ready' }]);
  await page.reload();
  await page.getByText('Connected tools').click();
  await expect(page.getByText('1 of 2 tools chosen')).toBeVisible();

  await page.goto(tab);
  await page.getByRole('button', { name: 'Actions for Notes' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove “Notes”?' });
  await expect(question).toContainText('1 assistant loses its tools: Tutor.');
  await question.getByRole('button', { name: 'Remove Server' }).click();
  await expectToast(page, 'Tool server removed', '“Notes” is no longer used.');
  await expect(page.getByText('No tool servers yet.')).toBeVisible();
  expect(await chosen()).toEqual([]);
});

test('signs a user in to a server by keyboard, after a refusal', async ({ page, signedIn: _ }) => {
  const notes = await startProtectedToolServer({ asks: true });
  await page.goto(tab);
  await page.getByRole('button', { name: 'Add Server' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Tool server (MCP)' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add Tool Server' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('Notes');
  await page.keyboard.press('Tab');
  await page.keyboard.type(notes.url);
  await page.keyboard.press('Tab');
  await expect(dialog.getByLabel('Access')).toBeFocused();
  await page.keyboard.type('Each');
  await expectAccessible(page);
  await dialog.getByLabel('Client ID').press('Enter');
  await expect(dialog).toBeHidden();
  const row = rows(page).first();
  await expect(row).toContainText('Sign-in required');
  await expectAccessible(page);

  const signIn = row.getByRole('button', { name: 'Sign in to Notes' });
  await signIn.press('Enter');
  await page.getByRole('button', { name: 'Deny' }).press('Enter');
  await expectToast(page, 'Failed to sign in', 'You did not give Roster access');
  await signIn.press('Enter');
  await page.getByRole('button', { name: 'Allow' }).press('Enter');
  await expectToast(page, 'Signed in to “Notes”', 'Roster is loading its tools.');
  await expect(page).toHaveURL(/\/settings\?tab=tools$/);
  await expect(row.getByRole('button', { name: '2 tools of Notes' })).toBeVisible();
  await expect(row).toContainText('Signed in');
  for (const secret of notes.authority.secrets) expect(await page.content()).not.toContain(secret);

  await page.getByRole('button', { name: 'Actions for Notes' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
  await expect(row).toContainText('Sign-in required');
  await notes.close();
});

test('keeps the page readable in both themes, on a phone and from right to left', async ({
  page,
  roster,
  withAssistant,
  peer,
}) => {
  const made = [];
  for (const [name, url] of [
    ['Notes', peer.url],
    ['خادم الأدوات', 'https://10.0.0.1/mcp?a-long-address-that-goes-on=and-on-and-on-and-on'],
  ])
    made.push((await request(page, roster, 'POST', '/api/tool-servers', { name, url })).body.id);
  await followDevice(page);
  await page.goto(tab);
  await expect(page.getByText('Unreachable')).toBeVisible();
  await expect(page.getByRole('button', { name: '2 tools of Notes' })).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  await expectNoSidewaysScroll(page);
  await page.goto(`/settings?tab=assistants&edit=${withAssistant.assistantId}`);
  await page.getByText('Connected tools').click();
  await page.getByText('0 of 2 tools chosen').click();
  await page.getByRole('checkbox', { name: 'Write a note' }).check();
  await page.getByRole('button', { name: 'What it does: Write a note' }).click();
  await expectNoSidewaysScroll(page);
});

for (const by of ['pointer', 'keyboard'] as const)
  test(`adds a tool server and chooses its tools in seven presses, by ${by}`, async ({
    page,
    peer,
    withAssistant: _,
  }) => {
    const { press, type, expectPresses } = presses(page, by);
    await page.goto('/');
    await press(page.getByRole('link', { name: 'Settings', exact: true }));
    await press(page.getByRole('tab', { name: 'Tools' }));
    await press(page.getByRole('button', { name: 'Add Server' }));
    await press(page.getByRole('menuitem', { name: 'Tool server (MCP)' }));
    const form = page.getByRole('dialog', { name: 'Add Tool Server' });
    await type(form.getByLabel('Name'), 'Notes');
    await type(form.getByLabel(/^URL/), peer.url);
    await press(form.getByRole('button', { name: 'Add Server' }));
    const dialog = page.getByRole('dialog', { name: 'Use “Notes” in an Assistant' });
    await press(dialog.getByRole('button', { name: 'Choose all' }));
    await expect(dialog.getByText(/^(\d+) of \1 tools chosen for Tutor$/)).toBeVisible();
    await press(dialog.getByRole('button', { name: 'Done' }));
    expectPresses(7);
  });
