import { assistants } from '@roster/contracts/assistants/assistants';
import { chat } from '@roster/contracts/chat';
import { models } from '@roster/contracts/models/models';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { serveThreads, thread } from '#web/testing/conversations.ts';
import { model, modelList } from '#web/testing/new-account.ts';
import { expectHidden, expectTexts, expectToast } from '#web/testing/page.ts';

const starters = ['What is a fraction?', 'Give me an exercise'];

test('gives an assistant an icon, a color and starters, one per line', async () => {
  open('/settings?tab=assistants&view=create', {
    answers() {
      answer(models.list, modelList(model('gpt-4o')));
      serveAssistants(assistant(1));
    },
  });
  await page.getByLabelText('Name').fill('Tutor of fractions');
  await page.getByRole('radio', { name: 'graduation' }).click();
  await page.getByRole('radio', { name: 'violet' }).click();
  await expect.element(page.getByRole('radio', { name: 'No color' })).not.toBeChecked();
  const lines = page.getByLabelText('Conversation starters');
  await lines.fill('1\n2\n3\n4\n5\n6\n7');
  const create = page.getByRole('button', { name: 'Create Assistant' });
  await create.click();
  await expect.element(page.getByText('An assistant can have at most 6 starters')).toBeVisible();
  await lines.fill(`\n  ${starters.join('\n\n')}\n`);
  await create.click();
  await expectToast('Assistant created');
  expect(requestsTo(assistants.create).map(({ body }) => body)).toMatchObject([
    { icon: 'graduation', color: 'violet', starters },
  ]);
});

test('duplicates an assistant from the list', async () => {
  open('/settings?tab=assistants', {
    answers() {
      answer(models.list, modelList(model('gpt-4o')));
      serveAssistants(assistant(1));
      answer(assistants.duplicate, assistant(2, { name: 'Copy of Tutor' }));
    },
  });
  await page.getByRole('button', { name: 'Duplicate Tutor' }).click();
  await expectToast('Assistant duplicated', 'Copy of Tutor');
  expect(requestsTo(assistants.duplicate).map(({ params }) => params)).toEqual([{ id: 1 }]);
});

test('starts a conversation from a starter, and hides starters while typing', async () => {
  open('/chat?assistant=1', {
    answers() {
      serveThreads([]);
      serveAssistants(assistant(1, { starters, icon: 'graduation', color: 'violet' }));
      answer(chat.createThread, thread(7, { assistantId: 1 }));
      answer(chat.send, refusal('unavailable', 'The database is being moved.'));
    },
  });
  const offered = page.getByRole('list', { name: 'Conversation starters' }).getByRole('listitem');
  await expectTexts(offered, starters);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('Something else');
  await expectHidden(offered);
  await message.fill('');
  await offered.getByRole('button', { name: 'Give me an exercise' }).click();
  await expect
    .poll(() => requestsTo(chat.send).map(({ body }) => Object(body).message))
    .toEqual(['Give me an exercise']);
  // A message that could not be sent stays in the composer.
  await expect.element(message).toHaveValue('Give me an exercise');
});

test('offers starters in a conversation without messages', async () => {
  open('/chat/7', {
    answers() {
      serveThreads([thread(7, { assistantId: 1 })]);
      serveAssistants(assistant(1, { starters }));
      answer(chat.send, refusal('unavailable', 'The database is being moved.'));
    },
  });
  const offered = page.getByRole('list', { name: 'Conversation starters' }).getByRole('listitem');
  await expectTexts(offered, starters);
  await offered.getByRole('button', { name: 'Give me an exercise' }).click();
  await expect
    .poll(() => requestsTo(chat.send).map(({ body }) => Object(body).message))
    .toEqual(['Give me an exercise']);
});

test('aligns names in a list where one has an icon, and shows no letters where none has', async () => {
  const list = page.getByRole('region', { name: 'Your Assistants' });
  const left = (name: string) => list.getByText(name, { exact: true }).element().getBoundingClientRect().left;
  const openWith = (icon: 'graduation' | null) =>
    open('/chat', {
      answers() {
        serveThreads([]);
        serveAssistants(assistant(1, { icon }), assistant(2, { name: 'مساعد' }));
      },
    });
  openWith('graduation');
  await expect.element(list.getByText('م', { exact: true })).toBeVisible();
  expect(left('مساعد')).toBe(left('Tutor'));
  openWith(null);
  await expect.element(list.getByText('مساعد')).toBeVisible();
  await expectHidden(list.getByText('م', { exact: true }));
});
