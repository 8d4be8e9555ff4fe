import { startThread } from './conversation.ts';
import { expect, expectAccessible, test, untilUsable } from './fixtures.ts';

test('conversations are selected by keyboard, deleted together, and restored from the trash', async ({
  page,
  roster,
  signedIn,
}) => {
  expect(signedIn.email).not.toBe('');
  for (const title of ['Apples', 'Pears', 'Plums']) await startThread(page, roster, { title });
  await page.goto('/chat');
  await untilUsable(page);
  const list = page.getByRole('navigation', { name: 'Recent conversations' });
  const bar = page.getByRole('toolbar', { name: 'Selected conversations' });
  await list.getByRole('link', { name: 'Plums' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(bar).toContainText('1 selected');
  await list.getByRole('link', { name: 'Apples' }).click({ modifiers: ['Shift'] });
  await expect(bar).toContainText('3 selected');
  await list.getByRole('link', { name: 'Pears' }).click();
  await expect(bar).toContainText('2 selected');
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(list.getByRole('link')).toHaveText(['Pears']);

  await page.getByRole('button', { name: 'Open the trash' }).click();
  await expect(page.getByRole('heading', { name: 'Trash', level: 1 })).toBeVisible();
  const trash = page.getByRole('list', { name: 'Deleted conversations' }).getByRole('listitem');
  await expect(trash).toHaveCount(2);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore Apples' }).click();
  await expect(trash).toHaveCount(1);
  await page.getByRole('button', { name: 'Empty trash (1)' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Empty trash' }).click();
  await expect(page.getByRole('heading', { name: 'The trash is empty' })).toBeVisible();
  await page.goto('/chat');
  await expect(list.getByRole('link')).toHaveText([/Apples|Pears/, /Apples|Pears/]);
});
