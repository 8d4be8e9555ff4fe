import { assistants } from '@roster/contracts/assistants';
import { chat } from '@roster/contracts/chat';
import { modelLife } from '@roster/contracts/model-life';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, callsOf, refusal } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant, keepAssistants } from '#web/testing/assistants.ts';
import { oneAnswer } from '#web/testing/conversations.ts';
import { endingModel } from '#web/testing/new-account.ts';
import { expectHidden, expectText } from '#web/testing/page.ts';

const main = page.getByRole('main');
const card = (name: string) =>
  main.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

describe('the page of the models that end', () => {
  const openWith = (...items: ReturnType<typeof endingModel>[]) =>
    open('/assistants/models', { answers: () => answer(modelLife.list, { items }) });

  test('says when, who says so, what uses them and what the successor would cost', async () => {
    const usage = {
      requests: 31,
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      costUsd: 12.4,
      costAfterUsd: 3.1,
    };
    openWith(
      endingModel('gpt-4o', {
        assistants: [{ id: 4, name: 'Tutor' }],
        assistantCount: 101,
        conversations: 2,
        tunedModels: [{ id: 1, name: 'Weather', model: 'ft:gpt-4o:me::1' }],
        tunedModelCount: 1,
        usage,
      }),
      endingModel('house-model', { lifecycle: 'gone', source: 'catalogue', successor: null }),
    );
    const first = card('gpt-4o');
    await expectText(first, 'Ends on January 14, 2027');
    await expectText(first, 'Said by the provider’s list of models of November 2, 2026');
    await expectText(first, 'and 100 more');
    await expect.element(first.getByText('2', { exact: true })).toBeVisible();
    await expectText(first, '31 calls, $12.40. The same tokens with gpt-6.1-terra: about $3.10.');
    const second = card('house-model');
    await expectText(second, 'Ended on January 14, 2027');
    await expectText(second, 'None is known');
    await expectText(second, 'Not used');
    await first.getByRole('link', { name: 'Tutor' }).click();
    await expect.poll(address).toBe('/settings?tab=assistants&edit=4');
  });

  test('says so where none ends, and where they could not be loaded', async () => {
    openWith();
    await expect.element(main.getByText('No model that you use ends soon')).toBeVisible();
    open('/assistants/models', { answers: () => answer(modelLife.list, refusal('unavailable', 'Being moved.')) });
    await expectText(page.getByRole('alert'), 'Being moved.');
  });
});

describe('in a conversation whose model ends', () => {
  const question = main.getByText('gpt-4o has ended. Continue with gpt-6.1-terra?');

  test('one line says when, until it is put away', async () => {
    const answers = () => {
      oneAnswer({ model: 'gpt-4o' }, { model: 'gpt-4o' });
      answer(modelLife.list, { items: [endingModel('gpt-4o')] });
    };
    open('/chat/1', { answers });
    const line = main.getByText('gpt-4o ends on January 14, 2027');
    await expect.element(line).toBeVisible();
    await main.getByRole('button', { name: 'Dismiss' }).click();
    await expectHidden(line);
  });

  test.each([
    ['its own model', 'gpt-4o'],
    ['the default model', null],
  ])('one question asks whether the successor goes on, where %s has ended', async (_, model) => {
    open('/chat/1', {
      answers() {
        oneAnswer({ model: 'gpt-4o' }, { model });
        answer(modelLife.list, { items: [endingModel('gpt-4o', { lifecycle: 'gone' })] });
      },
    });
    await expect.element(question).toBeVisible();
    await main.getByRole('button', { name: 'Continue with gpt-6.1-terra' }).click();
    await expect
      .poll(() => callsOf(chat.updateThread).map(({ body }) => body))
      .toMatchObject([{ model: 'gpt-6.1-terra' }]);
    await expectHidden(question);
  });

  test('an assistant is moved, and answers here as before', async () => {
    open('/chat/1', {
      answers() {
        keepAssistants(assistant(4, { name: 'Tutor', model: 'gpt-4o' }));
        oneAnswer({ model: 'gpt-4o' }, { assistantId: 4 });
        answer(modelLife.list, { items: [endingModel('gpt-4o', { lifecycle: 'gone' })] });
      },
    });
    await expect.element(question).toBeVisible();
    await main.getByRole('button', { name: 'Move Tutor to gpt-6.1-terra' }).click();
    await expect.poll(() => callsOf(assistants.update).map(({ body }) => body)).toEqual([{ model: 'gpt-6.1-terra' }]);
    await expectHidden(question);
  });

  test('a failed answer names the successor, and goes on with it', async () => {
    const error = { code: 'model_not_found', message: 'Not there any more.', successor: 'gpt-6.1-terra' } as const;
    open('/chat/1', {
      answers() {
        oneAnswer({ state: 'failed', error, text: '', model: 'gpt-4o' }, { model: 'gpt-4o' });
        answer(chat.regenerate, refusal('unavailable', 'Not now.'));
      },
    });
    await expect.element(main.getByText('Its successor is gpt-6.1-terra.')).toBeVisible();
    await main.getByRole('button', { name: 'Continue with gpt-6.1-terra' }).click();
    await expect
      .poll(() => callsOf(chat.regenerate).map(({ body }) => body))
      .toMatchObject([{ model: 'gpt-6.1-terra' }]);
  });
});
