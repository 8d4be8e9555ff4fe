import { conversation, numberedTokens } from './conversation.ts';
import { expect, goodKey, newEmail, password, request, test } from './fixtures.ts';

test('keeps the text after a crash in mid-answer, and gives a whole answer on retry', async ({ page, ownRoster }) => {
  await request(page, ownRoster, 'POST', '/api/register', { email: newEmail(), password });
  await request(page, ownRoster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  await page.goto(`${ownRoster.url}/chat`);
  const { ask, answers, questions, growth, untilDone } = conversation(page);
  await ask('Count on [[bench 200]] [[delay 40]]');
  await expect(answers).toContainText('t0040');
  await growth();
  await ownRoster.kill();
  await expect(answers).toContainText('Connection lost. Reconnecting');
  await ownRoster.start();

  const interrupted = answers.getByText('Interrupted: the server stopped while writing this answer');
  await expect(interrupted).toBeVisible();
  await page.reload();
  await expect(interrupted).toBeVisible();
  await expect(questions).toHaveCount(1);
  await expect(answers).toContainText(numberedTokens(20));
  await expect(answers).not.toContainText('t0199');
  await answers.getByRole('button', { name: 'Try again' }).click();
  await untilDone();
  await expect(answers).toContainText(numberedTokens(200));
  await expect(answers.getByText('Version 2 of 2')).toBeVisible();
});
