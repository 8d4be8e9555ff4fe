import { conversation, startThread } from './conversation.ts';
import { expect, expectNoSidewaysScroll, goodKey, newEmail, password, request, test } from './fixtures.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test('works by touch on a phone from registering to another answer', { tag: '@main' }, async ({ page }) => {
  await page.goto('/auth?tab=register');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await page.getByRole('button', { name: 'Register' }).tap();
  await page.getByRole('link', { name: 'Add API key' }).tap();
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await page.getByRole('button', { name: 'Save API Key' }).tap();
  await expect(page.getByText('API Key is set')).toBeVisible();
  await page.getByRole('tab', { name: 'Assistants' }).tap();
  await page.getByRole('button', { name: 'Create Assistant' }).tap();
  await page.getByLabel('Name').fill('Pocket');
  await page.getByRole('button', { name: 'Create Assistant' }).tap();
  await expect(page.getByRole('heading', { name: 'Pocket' })).toBeVisible();

  await page.getByRole('button', { name: 'Open sidebar' }).tap();
  await page.getByRole('dialog', { name: 'Sidebar' }).getByRole('link', { name: 'Chat', exact: true }).tap();
  await expect(page.getByText('No conversations yet')).toBeVisible();
  await page.getByRole('button', { name: 'New Chat' }).tap();
  await page.getByRole('button', { name: 'Start Chat' }).tap();
  const { message, send, answers, questions, growth, stop, untilDone } = conversation(page);
  await message.fill('Plan my garden [[bench 30000]] [[delay 40]]');
  await send.tap();
  await expect(answers).toContainText('t0003');
  await growth();
  await page.reload();
  await growth();
  await stop.tap();
  await expect(answers.getByText('Stopped', { exact: true })).toBeVisible();
  await questions.getByRole('button', { name: 'Edit question' }).tap();
  await page.getByRole('textbox', { name: 'Edit question' }).fill('Plan my balcony');
  await page.getByRole('button', { name: 'Save & send' }).tap();
  await untilDone();
  await expect(answers).toContainText('You wrote: “Plan my balcony”');
  await answers.getByRole('button', { name: 'Regenerate' }).tap();
  await expect(answers.getByText('2/2')).toBeVisible();
  await untilDone();

  await page.getByRole('button', { name: 'Back to the conversations' }).tap();
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('balcony');
  await expect(page.getByRole('heading', { name: 'Search results' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Recent conversations' }).getByRole('link').tap();
  await expect(questions).toContainText('Plan my balcony');
});

test('leaves room next to long names', async ({ page, roster, signedIn: _ }) => {
  const draft = { name: `${'n'.repeat(49)} ${'m'.repeat(50)}`, model: 'gpt-4o' };
  const { body } = await request(page, roster, 'POST', '/api/assistants', draft);
  const id = await startThread(page, roster, { title: 'Where the boats lie', assistantId: body.id });
  await page.goto(`/chat/${id}`);
  const { message } = conversation(page);
  await expect(message).toBeVisible();
  const title = page.getByRole('heading', { name: 'Where the boats lie' });
  await expect.poll(async () => (await title.boundingBox())?.width).toBeGreaterThan(60);
  // One line, like any other name.
  await expect.poll(async () => (await message.boundingBox())?.height).toBeLessThan(45);
});

test('fits the provider’s words about a key on the narrowest screens', async ({ page, roster, signedIn: _ }) => {
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await page.route('**/api/user/config', async (route) => {
    const answer = await route.fetch();
    const apiKeyNotice =
      'You can find your API key at https://platform.openai.com/account/api-keys-of-an-organization.';
    await route.fulfill({ response: answer, json: { ...(await answer.json()), apiKeyVerified: false, apiKeyNotice } });
  });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/settings?tab=api-keys');
  await expect(page.getByText('You can find your API key')).toBeVisible();
  await expectNoSidewaysScroll(page);
});
