import { conversation } from './conversation.ts';
import { expect, expectAccessible, test } from './fixtures.ts';

test('lines messages up in two tabs, edits and sends one now, over a reload', { tag: '@main' }, async ({
  page,
  context,
  withAssistant,
}) => {
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  const { ask, answers, questions, stop } = conversation(page);
  await ask('Tell me everything [[bench 30000]] [[delay 40]]');
  await expect(answers).toContainText('t0003');
  const box = page.getByRole('textbox', { name: 'Message', exact: true });
  const line = page.getByRole('region', { name: 'Queued messages' });
  const rows = line.getByRole('listitem');
  for (const text of ['And the second', 'And the third']) {
    await box.fill(text);
    await box.press('Enter');
    await expect(rows.last()).toContainText(text);
  }
  await expectAccessible(page);

  const secondTab = await context.newPage();
  await secondTab.goto(page.url());
  const there = secondTab.getByRole('region', { name: 'Queued messages' }).getByRole('listitem');
  await expect(there).toHaveCount(2);
  await there.first().getByRole('button', { name: 'Edit message' }).click();
  const editor = secondTab.getByRole('textbox', { name: 'Edit queued message' });
  await editor.fill('And the edited second');
  await editor.press('Enter');
  await expect(rows.first()).toContainText('And the edited second');
  await secondTab.close();

  await page.reload();
  await expect(rows).toHaveCount(2);
  await rows.last().getByRole('button', { name: 'Send now' }).click();
  await expect(questions).toHaveCount(3);
  await expect(questions.nth(1)).toContainText('And the third');
  await expect(questions.nth(2)).toContainText('And the edited second');
  await expect(answers.nth(2)).toContainText('This is your message number 3');
  await expect(stop).toBeHidden();
  await expect(line).toBeHidden();
});
