import {
  expect,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  expectToast,
  followDevice,
  request,
  test,
} from './fixtures.ts';

test('compares a saved version with the current one, and restores it', async ({ page, roster, withAssistant }) => {
  await followDevice(page);
  const { assistantId } = withAssistant;
  const change = (instructions: string) =>
    request(page, roster, 'PATCH', `/api/assistants/${assistantId}`, { instructions });
  await change('Be patient.\nGive one example.');
  await change('Be brief.\nGive one example.');
  await page.goto(`/settings?tab=assistants&edit=${assistantId}&version=2`);
  const versions = page.getByRole('dialog', { name: /^Versions of/ });
  const instructions = versions.getByRole('region', { name: 'Instructions', exact: true });
  await expect(instructions.getByRole('deletion')).toContainText('Be patient.');
  await expect(instructions.getByRole('insertion')).toContainText('Be brief.');
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expect(versions.getByRole('button', { name: 'All versions' })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await versions.getByRole('button', { name: 'Restore this version' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click();
  await expectToast(page, 'Version 2 restored', 'It is now in use.');
  await expect(versions).toBeHidden();
  await expect(page.getByLabel('Instructions')).toHaveValue('Be patient.\nGive one example.');
  await page.getByRole('button', { name: 'See versions' }).click();
  await expect(versions.getByRole('list', { name: 'Versions' }).getByRole('listitem').first()).toContainText(
    'Version 2 restored',
  );
});
