import { conversation, numberedTokens } from './conversation.ts';
import { expect, request, test } from './fixtures.ts';

test.beforeEach(async ({ page, withAssistant }) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
});

test('keeps the text of an answer that broke off, and gives a whole one on retry', { tag: '@main' }, async ({
  page,
}) => {
  const { ask, answers, untilDone } = conversation(page);
  await ask('Count for me [[bench 40]] [[drop after 12 once]]');
  await expect(answers.getByText('The text received so far is kept. Try again for a complete answer.')).toBeVisible();
  await expect(answers).toContainText('t0011');
  await expect(answers).not.toContainText('t0012');
  await page.reload();
  await expect(answers).toContainText('t0011');
  await answers.getByRole('button', { name: 'Try again' }).click();
  await untilDone();
  await expect(answers).toContainText('t0039');
  await expect(answers.getByText('Version 2 of 2')).toBeVisible();
});

test('leads from a rejected key to Settings, which report it too', async ({ page }) => {
  const { ask, answers } = conversation(page);
  await ask('Can you hear me? [[401]]');
  await expect(answers.getByText('The provider rejected the API key.')).toBeVisible();
  await expect(answers).toContainText('Incorrect API key provided');
  await expect(answers.getByRole('button', { name: 'Try again' })).toBeVisible();
  await answers.getByRole('link', { name: 'Open Settings' }).click();
  await expect(page).toHaveURL('/settings?tab=api-keys');
  await expect(page.getByText('Not verified', { exact: true })).toBeVisible();
  await expect(page.getByText('Incorrect API key provided')).toBeVisible();
});

test('offers another assistant for a retired model, which then answers', async ({ page, roster }) => {
  await request(page, roster, 'POST', '/api/assistants', { name: 'Successor', model: 'gpt-4.1' });
  await page.reload();
  const { ask, answers, untilDone } = conversation(page);
  await ask('Are you still there? [[fail 404 once]]');
  await expect(answers.getByText('The provider no longer offers this model, or not with this key.')).toBeVisible();
  await answers.getByRole('button', { name: 'Choose another assistant or model' }).click();
  await page.getByRole('option', { name: /^Successor / }).click();
  await expect(page.getByRole('button', { name: 'Assistant: Successor' })).toBeVisible();
  await answers.getByRole('button', { name: 'Try again' }).click();
  await untilDone();
  await expect(answers).toContainText('You wrote: “Are you still there?”');
  await expect(answers).toContainText('gpt-4.1');
});

test('does not call a provider again before the wait it asked for', async ({ page }) => {
  const { ask, answers, untilDone } = conversation(page);
  await ask('Too fast? [[429 retry-after 90 once]]');
  await expect(answers.getByText('The provider is limiting requests right now.')).toBeVisible();
  await expect(answers.getByRole('button', { name: /^Try again in \d+ s$/ })).toBeDisabled();
  await page.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() + 91_000;
  });
  await page.reload();
  await answers.getByRole('button', { name: 'Try again', exact: true }).click();
  await untilDone();
  await expect(answers).toContainText('You wrote: “Too fast?”');
});

test('shows a short wait that the provider asks for while it lasts', async ({ page }) => {
  const { ask, answers, untilDone } = conversation(page);
  await ask('Slowly now [[429 retry-after 3 once]]');
  const note = answers.getByText('The provider was busy and asked to wait 3 seconds before the next try.');
  await expect(note).toBeVisible();
  await untilDone();
  await expect(answers).toContainText('You wrote: “Slowly now”');
  await expect(note).toBeVisible();
});

test('leads from a conversation that is too long to the question', async ({ page }) => {
  const { ask, answers, questions, untilDone } = conversation(page);
  await ask('All of it [[context]]');
  await expect(answers.getByText('The conversation is longer than this model can read.')).toBeVisible();
  await answers.getByRole('button', { name: 'Edit the question' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit question' });
  await expect(editor).toBeFocused();
  await editor.fill('Less of it');
  await editor.press('Enter');
  await untilDone();
  await expect(questions).toHaveText([/Less of it/]);
  await expect(answers).toContainText('You wrote: “Less of it”');
});

test('does not show as an answer what the provider sends instead of one', async ({ page }) => {
  const { ask, answers, untilDone } = conversation(page);
  await ask('Through a broken gateway [[html]]');
  await expect(answers.getByText('The provider is having trouble.')).toBeVisible();
  await expect(answers).not.toContainText('Bad Gateway');
  await untilDone();
  await ask('In pieces, with unknown events in between [[bench 30]] [[unknown]] [[fragments]]');
  await untilDone();
  await expect(answers.last()).toContainText(numberedTokens(30));
  await ask('With nonsense in between [[bench 30]] [[malformed 12]]');
  await expect(answers.last().getByText('The provider sent something that could not be read.')).toBeVisible();
  await expect(answers.last()).toContainText(numberedTokens(12));
});
