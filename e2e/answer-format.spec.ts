import { conversation, startThread } from './conversation.ts';
import { expect, expectAccessibleInBothThemes, followDevice, request, test } from './fixtures.ts';

const responseSchema = JSON.stringify({
  type: 'object',
  properties: {
    title: { type: 'string' },
    rows: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } },
    },
  },
});

test('shows a structured answer as it comes, then as a tree, and validates it in a worker', async ({
  page,
  roster,
  withAssistant,
}) => {
  await followDevice(page);
  const { assistantId } = withAssistant;
  await request(page, roster, 'PATCH', `/api/assistants/${assistantId}`, { responseSchema });
  const threadId = await startThread(page, roster, { assistantId });
  await page.goto(`/chat/${threadId}`);
  const talk = conversation(page);
  const inForm = talk.answers.getByRole('group', { name: 'Structured answer' });

  await talk.ask('Prices [[rows 40]] [[delay 40]]');
  const raw = talk.answers.locator('pre');
  await expect(raw).toContainText('{"title":');
  await expect(inForm).toHaveCount(0);
  await talk.untilDone();
  await expect(inForm.getByRole('table', { name: 'rows' }).getByRole('row')).toHaveCount(41);
  await expect(raw).toHaveCount(0);

  await talk.ask('Prices [[invalid]] [[rows 3]] [[delay 0]]');
  await talk.untilDone();
  for (const reloaded of [false, true]) {
    if (reloaded) await page.reload();
    // Validated by a worker, the only script that the content security policy allows it to start.
    await expect(talk.answers.last()).toContainText('The answer does not match its schema:');
    await expect(talk.answers.last()).toContainText('/title must be a string');
  }
  await expect(talk.answers.getByText('does not match its schema:')).toHaveCount(1);
  await expectAccessibleInBothThemes(page);
});
