import { type DescribedService, startDescribedService } from '../server/src/testing/described-service.ts';
import { conversation, startThread } from './conversation.ts';
import {
  test as base,
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
} from './fixtures.ts';
import { type Roster, startRoster } from './roster.ts';

/** An installation that may reach services on its own machine, and such a service. */
const test = base.extend<{ service: DescribedService }, { roster: Roster }>({
  roster: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
    async ({}, use) => {
      await using roster = await startRoster({ env: { TOOL_HOSTS_ALLOWED: '127.0.0.1' } });
      await use(roster);
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern
  service: async ({}, use) => {
    const service = await startDescribedService();
    await use(service);
    await service.close();
  },
});

test('pastes a description, selects one of its tools, and requests, approves and calls it', async ({
  page,
  roster,
  withAssistant,
  service,
}) => {
  await followDevice(page);
  await page.goto('/settings?tab=tools');
  await page.getByRole('button', { name: 'Add Server' }).click();
  await page.getByRole('menuitem', { name: 'Tools from an OpenAPI description' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add Tools from an OpenAPI Description' });
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Notes');
  await dialog.getByLabel('Text').fill(JSON.stringify(service.description, undefined, 2));
  await dialog.getByLabel('Access').selectOption('With a key in the query');
  await dialog.getByLabel(/^Value/).fill('planted-in-the-query-4321');
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  await expectNoSidewaysScroll(page);
  await dialog.getByRole('button', { name: 'Add Server' }).press('Enter');
  await expect(dialog).toBeHidden();
  const row = page.getByRole('list', { name: 'Tool servers' }).getByRole('listitem').first();
  await expect(row).toContainText('api_key …4321');
  await row.getByRole('button', { name: '4 tools of Notes' }).click();
  await page.getByText('3 operations were left out', { exact: true }).click();
  await expect(page.getByRole('list', { name: 'Left out' })).toContainText('it needs a cookie');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.evaluate(() => document.documentElement.removeAttribute('dir'));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Escape');

  await page.goto(`/settings?tab=assistants&edit=${withAssistant.assistantId}`);
  await page.getByText('Connected tools').click();
  await page.getByText('0 of 4 tools chosen').click();
  await page.getByRole('checkbox', { name: 'Write a note' }).check();
  await expect(page.getByText('1 of 4 tools chosen')).toBeVisible();
  await expect(page.getByLabel('Approval for Write a note')).toHaveValue('always');

  const threadId = await startThread(page, roster, { assistantId: withAssistant.assistantId, title: 'Notes' });
  await page.goto(`/chat/${threadId}`);
  const { ask, answers, untilDone } = conversation(page);
  await ask('[[call Notes__writeNote]] Milk');
  await answers.getByRole('button', { name: 'Approve', exact: true }).click();
  await untilDone();
  await expect(answers).toContainText('HTTP 200');
  expect(service.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/notes?api_key=planted-in-the-query-4321',
  ]);
  expect(await page.content()).not.toContain('planted-in-the-query');
});
