import { conversation, startThread } from './conversation.ts';
import {
  expect,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
  request,
  test,
} from './fixtures.ts';

test('links a web citation by its number to the page, in a second tab and after a reload', async ({
  page,
  context,
  roster,
  withAssistant,
}) => {
  await followDevice(page);
  const { email: _, assistantId } = withAssistant;
  const draft = { name: 'Tutor', model: 'gpt-4o', tools: { webSearch: {} } };
  expect((await request(page, roster, 'PATCH', `/api/assistants/${assistantId}`, draft)).status).toBe(200);
  const threadId = await startThread(page, roster, { title: 'Weather', assistantId });
  const other = await context.newPage();
  await Promise.all([page.goto(`/chat/${threadId}`), other.goto(`/chat/${threadId}`)]);
  const { ask, untilDone } = conversation(page);
  await ask('[[web]] Where does it rain?');
  await untilDone();
  await page.reload();
  for (const tab of [page, other]) {
    await expect(tab.getByText('Searched the web: Where does it rain?')).toBeVisible();
    await expect(tab.getByRole('button', { name: /^Source \d/ })).toHaveText(['1', '2', '1']);
  }
  await other.close();
  await page.getByRole('button', { name: 'Source 2: https://example.com/second?page=2' }).press('Enter');
  const pages = page.getByRole('region', { name: 'Web sources' }).getByRole('listitem');
  await expect(pages.last()).toBeFocused();
  await expect(pages.last()).toBeInViewport();
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
});
