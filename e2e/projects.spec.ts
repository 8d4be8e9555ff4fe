import { conversation } from './conversation.ts';
import {
  expect,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  followDevice,
  request,
  test,
} from './fixtures.ts';

test('creates a project by keyboard, chats in it and moves a conversation into it', async ({
  page,
  roster,
  withAssistant: _,
}) => {
  await followDevice(page);
  await request(page, roster, 'POST', '/api/threads', { title: 'Compost' });
  await page.goto('/chat');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search pages/ }).fill('new project');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Garden');
  await page.getByRole('textbox', { name: 'Instructions' }).fill('Prefer native plants.');
  await expectAccessibleInBothThemes(page);
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: 'Name' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Garden' })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await page.getByRole('link', { name: 'New chat in this project' }).press('Enter');
  await expect(page.getByText('In project Garden')).toBeVisible();
  await page.getByLabel('Message', { exact: true }).fill('Which roses?');
  await page.keyboard.press('Enter');
  const { answers, untilDone } = conversation(page);
  await untilDone();
  await expect(answers).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'Project Garden' })).toBeVisible();

  await page.getByRole('button', { name: 'Actions for Compost' }).focus();
  await page.keyboard.press('Enter');
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Move to Project' });
  await dialog.getByRole('button', { name: 'Garden' }).press('Enter');
  await expect(page.getByText('1 conversation moved to Garden', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Project Garden' }).press('Enter');
  const rows = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(page.getByText(/^\d requests? ·/)).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('opens a project from Chat, and deletes it with its conversations', async ({
    page,
    roster,
    withAssistant: _,
  }) => {
    const { body: project } = await request(page, roster, 'POST', '/api/projects', { name: 'Garden' });
    await request(page, roster, 'POST', '/api/threads', { title: 'Compost', projectId: project.id });
    await page.goto('/chat');
    await page
      .getByRole('region', { name: 'Projects' })
      .getByRole('link', { name: /^Garden/ })
      .tap();
    await expect(page.getByRole('link', { name: 'Compost' })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Project actions' }).tap();
    await page.getByRole('menuitem', { name: 'Delete' }).tap();
    await page.getByRole('radio', { name: /Move to the trash/ }).check();
    await page.getByRole('button', { name: 'Delete Project' }).tap();
    await expect(page.getByText('No projects yet')).toBeVisible();
    await page.goto('/trash');
    await expect(page.getByText('Compost')).toBeVisible();
  });
});
