import { conversation } from './conversation.ts';
import { expect, expectAccessible, expectNoSidewaysScroll, expectToast, goodKey, request, test } from './fixtures.ts';

test('creates an assistant from a template, tries it unsaved, and keeps a question', async ({
  page,
  roster,
  signedIn: _,
}) => {
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await page.goto('/assistants');
  await expect(page.getByRole('heading', { name: 'No assistants yet' })).toBeVisible();
  await page.getByRole('button', { name: 'New assistant' }).first().click();
  await page.getByRole('searchbox', { name: 'Search templates' }).fill('minutes');
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Meeting notes/ }).click();
  const instructions = page.getByRole('textbox', { name: 'Instructions' });
  await expect(instructions).toHaveValue(/turn transcripts/);

  await instructions.fill('You are a parrot.');
  await page.getByRole('button', { name: 'Start a trial' }).click();
  const trial = page.getByRole('region', { name: 'Trial' });
  const { answers, untilDone } = conversation(page);
  await trial.getByLabel('Message', { exact: true }).fill('Who are you? [[delay 0]]');
  await page.keyboard.press('Enter');
  await untilDone();
  await expect(answers.last()).toContainText('You are a parrot.');
  await expect(trial.getByText(/Cost so far/)).toBeVisible();
  await instructions.fill('You are a gardener.');
  await trial.getByLabel('Message', { exact: true }).fill('And now? [[delay 0]]');
  await page.keyboard.press('Enter');
  await untilDone();
  await expect(answers.last()).toContainText('You are a gardener.');
  await expectAccessible(page);
  expect((await request(page, roster, 'GET', '/api/assistants')).body).toEqual([]);

  await instructions.press('Control+s');
  await expectToast(page, 'Assistant created', 'is ready to chat');
  await expect(page).toHaveURL(/\/assistants\/\d+$/);
  expect((await request(page, roster, 'GET', '/api/assistants')).body).toMatchObject([
    { name: 'Meeting notes', instructions: 'You are a gardener.', tags: ['work'] },
  ]);
  await page.getByRole('button', { name: 'Start a trial' }).click();
  await trial.getByLabel('Message', { exact: true }).fill('What grows in November? [[delay 0]]');
  await page.keyboard.press('Enter');
  await untilDone();
  await trial.getByRole('button', { name: 'Keep as test question' }).click();
  await expectToast(page, 'Question kept', 'From trials');
  await page.getByRole('tab', { name: 'Test Sets' }).click();
  await expect(page.getByRole('link', { name: 'From trials' })).toBeVisible();
  // A trial is no conversation.
  expect((await request(page, roster, 'GET', '/api/threads')).body.items).toEqual([]);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('edits an assistant and finds again what was left without saving', async ({ page, withAssistant }) => {
    await page.goto(`/assistants/${withAssistant.assistantId}`);
    const name = page.getByRole('textbox', { name: 'Name' });
    const kept = page.waitForResponse(
      (response) => response.url().includes('/api/assistants/draft') && response.status() === 204,
    );
    await name.fill('Half typed');
    await kept;
    await page.getByRole('button', { name: 'Cancel' }).tap();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).tap();
    await expect(page).toHaveURL(/\/assistants$/);
    await page.goto(`/assistants/${withAssistant.assistantId}`);
    await page.getByRole('button', { name: 'Restore them' }).tap();
    await expect(name).toHaveValue('Half typed');
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save changes' }).tap();
    await expectToast(page, 'Assistant updated', 'Your changes have been saved.');
    await page.reload();
    await expect(name).toHaveValue('Half typed');
    await expect(page.getByRole('button', { name: 'Restore them' })).toHaveCount(0);
  });
});
