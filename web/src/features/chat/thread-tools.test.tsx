import { chat } from '@roster/contracts/chat';
import { models } from '@roster/contracts/models/models';
import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { open, show } from '#web/testing/app.tsx';
import { assistant, serveAssistants } from '#web/testing/assistants.ts';
import { oneAnswer, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectTexts, expectToast, press } from '#web/testing/page.ts';

const marks = page.getByRole('list', { name: 'Tools changed for this conversation' }).getByRole('listitem');
const dialog = page.getByRole('dialog', { name: 'Tools in this conversation' });
const switchOf = (name: string) => dialog.getByRole('switch', { name });
const box = page.getByRole('textbox', { name: 'Message' });
const sentTools = () => requestsTo(chat.updateThread).map(({ body }) => body.tools);

async function openTools() {
  await page.getByRole('button', { name: 'Attach files, switch tools' }).click();
  await page.getByRole('menuitem', { name: 'Tools in this conversation' }).click();
}
const server = { name: 'look', title: 'Look', approval: 'never', digest: 'a'.repeat(64), state: 'ready' } as const;

test('overrides tools of a conversation, shows them in the composer and resets them there', async () => {
  open('/chat/1', {
    answers() {
      oneAnswer({ text: 'Hello' }, { assistantId: 1, model: null });
      serveAssistants(assistant(1, { tools: { webSearch: {} } }));
      answer(toolServers.chosen, [
        { ...server, serverId: 7, serverName: 'Weather' },
        { ...server, name: 'see', serverId: 7, serverName: 'Weather' },
      ]);
    },
  });
  await openTools();
  await expect.element(switchOf('Web search')).toBeChecked();
  await expect.element(switchOf('Code interpreter')).not.toBeChecked();
  await switchOf('Web search').click();
  await switchOf('Image generation').click();
  await switchOf('Weather').click();
  await expect.poll(() => sentTools().at(-1)).toEqual({ webSearch: false, imageGeneration: true, serversOff: [7] });
  await page.getByRole('button', { name: 'Done' }).click();
  await expectTexts(marks, ['Web search off', 'Image generation on', 'Weather off']);

  await page.getByRole('button', { name: 'Reset: Weather off' }).click();
  await expectTexts(marks, ['Web search off', 'Image generation on']);
  await expect.element(box).toHaveFocus();
  await openTools();
  await dialog.getByRole('button', { name: 'Assistant’s settings' }).click();
  await expect.poll(() => sentTools().at(-1)).toBeNull();
  await press('Escape');
  await expectCount(marks, 0);
});

test('disables tools that the model lacks, with the reason', async () => {
  const reason = 'gpt-4o does not support it.';
  open('/chat/1', {
    answers() {
      oneAnswer({ text: 'Hello' }, { tools: { codeInterpreter: true } });
      const notice = 'The provider may not support these tools.';
      answer(models.tools, { webSearch: reason, codeInterpreter: reason, imageGeneration: null, notice });
    },
  });
  await expectTexts(marks, ['Code interpreter on']);
  await openTools();
  await expect.element(switchOf('Web search')).toBeDisabled();
  await expect.element(switchOf('Web search')).toHaveAccessibleDescription(reason);
  await expect.element(dialog.getByText('The provider may not support these tools.')).toBeVisible();
  // An enabled tool can be turned off anyway.
  await switchOf('Code interpreter').click();
  await expect.element(switchOf('Code interpreter')).toBeDisabled();
  expect(requestsTo(models.tools)).toMatchObject([{ query: { model: 'gpt-4o' } }]);
});

test('saves tools before sending the question, and does not send it if that fails', async () => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'Hello' }) });
  const store = hold(chat.updateThread);
  await openTools();
  await switchOf('Web search').click();
  await page.getByRole('button', { name: 'Done' }).click();
  await expectTexts(marks, ['Web search on']);
  await box.fill('What is new?');
  await press('Enter');
  store(refusal('internal', 'It could not be stored.'));
  await expectToast('Failed to change the tools', 'It could not be stored.');
  await expectCount(marks, 0);
  await expect.element(box).toHaveValue('What is new?');
  expect(requestsTo(chat.send)).toEqual([]);
});

test('keeps tools of a new conversation through a reload', async () => {
  const answers = () => {
    serveThreads([]);
    answer(chat.createThread, ({ body }) => thread(5, { tools: body.tools }));
    answer(chat.send, refusal('internal', 'Not now.'));
    answer(chat.removeThread, undefined);
  };
  open('/chat', { answers });
  await openTools();
  await switchOf('Code interpreter').click();
  await page.getByRole('button', { name: 'Done' }).click();
  await expectHidden(dialog);
  show('/chat');
  await expectTexts(marks, ['Code interpreter on']);
  await box.fill('Count');
  await press('Enter');
  await expect
    .poll(() => requestsTo(chat.createThread).map(({ body }) => body.tools))
    .toEqual([{ codeInterpreter: true }]);
});
