import { modelChoices } from '@roster/contracts/models/model-choices';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { connection, model, modelList } from '#web/testing/new-account.ts';
import { expectHidden, expectText } from '#web/testing/page.ts';

const add = page.getByRole('button', { name: 'Compare with another model' });
const picker = page.getByRole('dialog', { name: 'Compare models' });

const rowsOf = () =>
  picker
    .getByRole('option')
    .elements()
    .map((row) => row.textContent);

test('adds models from the composer after typing, for an assistant too', async () => {
  open('/chat?assistant=1', {
    answers() {
      answer(models.list, {
        ...modelList(model('gpt-4o'), model('gpt-4.1')),
        connections: [connection(7, 'Home', model('@7/llama3.2'))],
      });
      serveAssistants(assistant(1, { model: 'gpt-4o' }));
    },
  });
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Which is better?');
  await add.click();
  await expect.element(picker.getByRole('option', { name: /^gpt-4o / })).toHaveAttribute('aria-selected', 'true');
  const before = rowsOf();
  await picker.getByRole('option', { name: /^llama3\.2 / }).click();
  await expect.element(picker.getByRole('option', { name: /^llama3\.2 / })).toHaveAttribute('aria-selected', 'true');
  // No row moves while several are being marked.
  expect(rowsOf()).toEqual(before);
  await picker.getByRole('button', { name: 'Ask 2 models' }).click();
  await expectHidden(picker);
  await expect.element(page.getByRole('button', { name: 'Compare 2 models: change' })).toBeVisible();
  await expectText(page.getByRole('main'), /Asks 2 models; each answer is billed: gpt-4o, llama3\.2 \(Home\)/);
  await expect.element(message).toHaveValue('Which is better?');
  await expect.element(message).toHaveFocus();
  expect(requestsTo(modelChoices.save).map(({ body }) => body.recent)).toEqual([['@7/llama3.2', 'gpt-4o']]);
});

test('asks for no key where a connection can answer', async () => {
  open('/chat', {
    answers() {
      const list = modelList();
      answer(models.list, { ...list, connections: [connection(7, 'Home', model('@7/llama3.2'))] });
    },
  });
  await expect.element(add).toBeVisible();
  await expectHidden(page.getByText('An API key is needed to chat'));
});
