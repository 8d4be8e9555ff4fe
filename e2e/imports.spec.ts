import { exchange, exportedChat, zipped } from '../server/src/testing/exports.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, test, untilUsable } from './fixtures.ts';

test('imports conversations of ChatGPT, finds them, and undoes that', async ({ page, signedIn: _ }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/settings?tab=import');
  await untilUsable(page);
  const buffer = await zipped({
    'conversations.json': [
      exportedChat('1', 'Lighthouses', exchange('lamps')),
      exportedChat('2', null, [{ id: 's', parent: null, role: 'system', text: 'Be kind' }, ...exchange('foghorns')]),
    ],
  });
  await page
    .getByLabel('Export with conversations')
    .setInputFiles({ name: 'chatgpt.zip', mimeType: 'application/zip', buffer });
  const step = page.getByRole('region', { name: 'chatgpt.zip' });
  await expect(step).toContainText('2 conversations with 4 messages, on November 14, 2023');
  await expect(step).toContainText('1 system message');
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await step.getByRole('button', { name: 'Import 2 Conversations' }).click();
  await expect(step).toContainText('2 conversations with 4 messages imported.');
  await step.getByRole('link', { name: 'Show Conversations' }).click();
  await page.getByRole('link', { name: /Lighthouses/ }).click();
  await expect(page.getByText('Answer about lamps')).toBeVisible();

  await page.goto('/settings?tab=import');
  await page.getByRole('button', { name: 'Undo the import of chatgpt.zip' }).click();
  await page.getByRole('button', { name: 'Undo Import' }).click();
  await expect(page.getByRole('list', { name: 'Earlier imports' })).toContainText(
    'Everything it had imported was deleted',
  );
});
