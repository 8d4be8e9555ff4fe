import { conversation } from './conversation.ts';
import { expect, expectAccessible, request, test } from './fixtures.ts';

test('a temporary chat survives a reload, is in no list, and is deleted when it is closed', async ({
  page,
  roster,
  withAssistant,
}) => {
  expect(withAssistant.assistantId).toBeGreaterThan(0);
  await page.goto('/chat?new=true');
  await page.getByRole('button', { name: 'Temporary' }).click();
  const note = page.getByRole('note', { name: 'Temporary chat' });
  await expect(note).toBeVisible();
  const { ask, answers } = conversation(page);
  await ask('Between us: mistletoe');
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  await expect(answers.last()).toContainText('mistletoe');
  const id = Number(page.url().split('/').at(-1));

  await page.reload();
  await expect(note).toBeVisible();
  await expect(answers.last()).toContainText('mistletoe');
  await expect(page.getByText('No conversations yet')).toBeVisible();
  await expectAccessible(page);
  const found = await request(page, roster, 'GET', '/api/threads?q=mistletoe');
  expect(found.body.items).toEqual([]);

  await note.getByRole('button', { name: 'Close' }).click();
  await expect(page).toHaveURL(/\/chat$/);
  expect((await request(page, roster, 'GET', `/api/threads/${id}`)).status).toBe(404);
  expect((await request(page, roster, 'GET', '/api/trash')).body.count).toBe(0);
});
