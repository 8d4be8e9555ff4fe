import { conversation, numberedTokens } from './conversation.ts';
import { expect, expectToast, goodKey, newEmail, password, test, untilUsable } from './fixtures.ts';

test('gets from nothing to an answer that survives a reload, is found again and continued', { tag: '@main' }, async ({
  page,
}) => {
  await page.goto('/auth?tab=register');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await page.getByRole('button', { name: 'Register' }).click();

  await page.getByRole('link', { name: 'Add API key' }).click();
  await page.getByLabel('API key', { exact: true }).fill(goodKey);
  await page.getByRole('button', { name: 'Save API Key' }).click();
  await expectToast(page, 'API Key Updated', 'Your OpenAI API key has been securely stored.');

  await page.getByRole('tab', { name: 'Assistants' }).click();
  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await page.getByLabel('Name').fill('Gardener');
  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await page.getByRole('link', { name: 'Chat with Gardener' }).click();

  const { ask, answers, questions, growth, untilDone, stop } = conversation(page);
  await ask('Plan my garden [[bench 400]] [[delay 40]]');
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  await expect(stop).toBeVisible();
  await expect(answers).toContainText('t0003');
  await growth();
  await page.reload();
  await expect(stop).toBeVisible();
  await growth();
  await untilDone();
  await expect(answers).toContainText(numberedTokens(400));
  await expect(questions).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Plan garden', level: 2 })).toBeVisible();
  await expect(answers).toContainText('gpt-4o');
  await expect(answers).toContainText('tokens');

  await ask('And what about tides?');
  await untilDone();
  await expect(answers.last()).toContainText('This is your message number 2');
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('tides');
  const found = page.getByRole('link', { name: 'Plan garden' });
  await expect(found.locator('mark').first()).toHaveText('tides');
});

test('shows a running answer in a second tab, and stops it in both from either', {
  tag: '@main',
}, async ({ page, context, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const first = conversation(page);
  await first.ask('Tell me everything [[bench 30000]] [[delay 40]]');
  await expect(first.answers).toContainText('t0003');
  const secondTab = await context.newPage();
  await secondTab.goto(page.url());
  const second = conversation(secondTab);
  await expect(second.answers).toContainText('t0003');
  await second.growth();
  await first.growth();

  await first.stop.click();
  await expect(first.answers.getByText('Stopped', { exact: true })).toBeVisible();
  await expect(second.answers.getByText('Stopped', { exact: true })).toBeVisible();
  const text = await first.answers.innerText();
  expect(text).toContain('t0003');
  expect(text).not.toContain('t29999');
  await page.reload();
  await expect(first.answers.getByText('Stopped', { exact: true })).toBeVisible();
  await expect(first.answers).toContainText('t0003');

  await second.ask('Go on in this tab');
  await second.untilDone();
  await expect(first.questions).toHaveCount(2);
  await expect(first.answers.last()).toContainText('This is your message number 2');
});

test('continues an answer while nobody watches', async ({ page, context, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await conversation(page).ask('Work on alone [[bench 100]] [[delay 20]]');
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  const address = page.url();
  await page.close();
  const later = await context.newPage();
  await later.goto(address);
  await expect(conversation(later).answers).toContainText(numberedTokens(100));
});

test('chooses the assistant in the dialog for a new chat', async ({ page, withAssistant: _ }) => {
  await page.goto('/chat');
  await untilUsable(page);
  await expect(page.getByRole('heading', { name: 'Chat with AI' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Recent Conversations' })).toBeVisible();
  await expect(page.getByText('No conversations yet')).toBeVisible();
  const listed = page.getByRole('region', { name: 'Your Assistants' });
  await expect(listed.getByRole('listitem')).toHaveText(/Tutor.*gpt-4o.*Default/);
  await page.getByRole('button', { name: 'New Chat' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start New Chat' });
  await expect(dialog.getByLabel('Assistant').getByRole('option', { selected: true })).toHaveText('Tutor · gpt-4o');
  await dialog.getByLabel('Assistant').selectOption('No assistant · gpt-4o');
  await dialog.getByRole('button', { name: 'Start Chat' }).click();
  const { ask, answers, untilDone } = conversation(page);
  await ask('Which instructions do you have?');
  await untilDone();
  await expect(answers).not.toContainText('I keep to my instructions');

  await listed.getByRole('button', { name: 'Tutor' }).click();
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
  await ask('Which instructions do you have now?');
  await untilDone();
  await expect(answers).toContainText('I keep to my instructions: “Explain with one example.”');
});

test('shows a notice that leads to Settings without a key', async ({ page, signedIn: _ }) => {
  await page.goto('/chat');
  await untilUsable(page);
  await expect(page.getByText('An API key is needed to chat')).toBeVisible();
  const { message, send } = conversation(page);
  await message.fill('Is anybody there?');
  await send.click();
  await expect(page.getByText('No API key is saved')).toBeVisible();
  await expect(message).toHaveValue('Is anybody there?');
  await page.getByRole('main').getByRole('link', { name: 'Open Settings' }).click();
  await expect(page).toHaveURL('/settings?tab=api-keys');
  await page.goBack();
  await expect(message).toHaveValue('Is anybody there?');
});

test('keeps typed text over a reload and a failure, until it is sent', { tag: '@main' }, async ({
  page,
  withAssistant,
}) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { message, ask, untilDone, questions, send } = conversation(page);
  await ask('The first question');
  await untilDone();
  await message.fill('Not yet finished');
  await page.reload();
  await expect(message).toHaveValue('Not yet finished');

  await page.route('**/api/threads/*/messages', (route) => route.abort());
  await send.click();
  await expect(page.getByText('Failed to send the message')).toBeVisible();
  await expect(message).toHaveValue('Not yet finished');
  await page.unroute('**/api/threads/*/messages');
  await send.click();
  await expect(message).toHaveValue('');
  await untilDone();
  await expect(questions).toHaveText([/The first question/, /Not yet finished/]);
  await page.reload();
  await expect(questions).toHaveCount(2);
  await expect(message).toHaveValue('');
});

test('does not stop the answer on a double click on Send, but on a click on Stop', async ({ page, withAssistant }) => {
  const stops: string[] = [];
  page.on('request', (call) => {
    if (call.url().endsWith('/stop')) stops.push(call.url());
  });
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { message, send, stop, growth, untilDone } = conversation(page);
  await message.fill('Write on [[bench 30000]] [[delay 40]]');
  await send.hover();
  await page.mouse.down();
  await page.mouse.up();
  await expect(stop).toBeVisible();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await growth();
  expect(stops).toHaveLength(0);
  await stop.click();
  await untilDone();
  expect(stops).toHaveLength(1);
});

test('sends a message only once if its confirmation was lost', { tag: '@main' }, async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { message, send, ask, untilDone, questions } = conversation(page);
  await ask('The first question');
  await untilDone();
  let lost = 0;
  await page.route('**/api/threads/*/messages', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    await route.abort();
  });
  await message.fill('Only once, please');
  await send.click();
  await expect(page.getByText('Failed to send the message')).toBeVisible();
  await page.reload();
  await untilDone();
  await expect(message).toHaveValue('Only once, please');
  await send.click();
  await expect(message).toHaveValue('');
  await untilDone();
  await page.reload();
  await expect(questions).toHaveText([/The first question/, /Only once, please/]);
});
