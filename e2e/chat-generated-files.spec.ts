import { conversation, startThread } from './conversation.ts';
import {
  expect,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
  request,
  test,
  untilUsable,
} from './fixtures.ts';

test('shows generated files in the answer, enlarged, in another tab, after a reload and in Files', async ({
  page,
  context,
  roster,
  withAssistant,
}) => {
  await followDevice(page);
  const { email: _, assistantId } = withAssistant;
  const draft = { name: 'Tutor', model: 'gpt-4o', tools: { codeInterpreter: {} } };
  expect((await request(page, roster, 'PATCH', `/api/assistants/${assistantId}`, draft)).status).toBe(200);
  const threadId = await startThread(page, roster, { title: 'Numbers', assistantId });
  const other = await context.newPage();
  await Promise.all([page.goto(`/chat/${threadId}`), other.goto(`/chat/${threadId}`)]);
  const { ask, untilDone, answers } = conversation(page);
  await ask('[[make plot.png table.csv large.bin]] Draw the numbers');
  await untilDone();
  for (const tab of [page, other]) {
    const made = tab.getByRole('region', { name: 'Generated files' });
    await expect(made.getByRole('img', { name: 'plot.png' })).toBeVisible();
    await expect(made.getByRole('button', { name: 'Preview table.csv' })).toBeVisible();
    await expect(made).toContainText('large.bin could not be fetched: The file would be larger than 50 MB.');
  }
  await other.close();
  await expectAccessibleInBothThemes(page);
  await page.reload();
  await untilUsable(page);
  // By keyboard: the page may still be scrolling to the end of the conversation.
  await answers.getByRole('button', { name: 'Enlarge plot.png' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'plot.png' });
  await expect(dialog.getByRole('img', { name: 'plot.png' })).toBeVisible();
  await expectAccessibleInBothThemes(page);
  const download = page.waitForEvent('download');
  await dialog.getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('plot.png');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/files?purpose=made');
  await expect(page.getByRole('row').filter({ hasText: 'plot.png' })).toContainText('Made by AI');
});
