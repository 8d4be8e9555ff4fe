import { assistants } from '@roster/contracts/assistants/assistants';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { model, modelList } from '#web/testing/new-account.ts';
import { expectText } from '#web/testing/page.ts';

test('validates the response schema while typing and inserts an example', async () => {
  open('/settings?tab=assistants&view=create', {
    answers() {
      answer(models.list, modelList(model('gpt-4o')));
      serveAssistants(assistant(1));
    },
  });
  const schema = page.getByLabelText('JSON schema');
  await page.getByText('Answer format').click();
  await expect.element(page.getByText('Leave empty for plain-text answers.')).toBeVisible();
  await schema.fill('{"type": "object",');
  await expectText(page.getByRole('alert'), 'This is not JSON yet');
  await schema.fill('{"type": "object", "properties": {"a/b": {"type": "text"}}}');
  await expectText(page.getByRole('alert'), '(at /properties/a~1b/type)');
  await page.getByLabelText('Name').fill('Reader');
  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await expect.element(schema).toBeVisible();
  expect(requestsTo(assistants.create)).toHaveLength(0);
  await schema.fill('{"type": "object"}');
  await expect.element(page.getByText('may not match this schema exactly')).toBeVisible();

  await page.getByRole('button', { name: 'Examples' }).click();
  await page.getByRole('menuitem', { name: 'A table' }).click();
  await expect.element(page.getByText('The provider guarantees answers that match this schema.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(schema).toHaveValue('{"type": "object"}');
  await page.getByRole('button', { name: 'Create Assistant' }).click();
  await expect
    .poll(() => requestsTo(assistants.create))
    .toMatchObject([{ body: { responseSchema: '{"type": "object"}' } }]);
});
