import type { Page, Route } from '@playwright/test';
import { conversation, startThread } from './conversation.ts';
import { expect, test } from './fixtures.ts';

/** True if the last question is in view in the frame after Enter was pressed. */
async function watchNextFrame(page: Page) {
  const seen = await page.evaluateHandle(() => {
    const result: { frame: Promise<string | null> } = { frame: Promise.resolve(null) };
    result.frame = new Promise((resolve) => {
      const pressed = (event: KeyboardEvent) => {
        if (event.key !== 'Enter') return;
        document.removeEventListener('keydown', pressed, true);
        // Messages posted during a frame are delivered after it has been painted.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            const question = [...document.querySelectorAll('article[aria-label="Question"]')].at(-1);
            if (!(question instanceof HTMLElement)) return resolve(null);
            const { top, bottom } = question.getBoundingClientRect();
            resolve(
              question.checkVisibility({ visibilityProperty: true }) && top >= 0 && bottom <= innerHeight
                ? question.innerText
                : null,
            );
          };
          port2.postMessage(null);
        });
      };
      document.addEventListener('keydown', pressed, true);
    });
    return result;
  });
  return () => seen.evaluate(({ frame }) => frame);
}

/** Holds messages back before the server until they are released. */
async function holdMessages(page: Page) {
  const bodies: { message: string; clientId: string }[] = [];
  const answer = Promise.withResolvers<(route: Route) => Promise<void>>();
  await page.route('**/api/threads/*/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    bodies.push(route.request().postDataJSON());
    await (await answer.promise)(route);
  });
  return { bodies, answer: answer.resolve };
}

const refuse = (route: Route) =>
  route.fulfill({ status: 429, json: { code: 'too_many_runs', message: 'Three answers are being written already.' } });

test('shows a question in the frame after Enter, and only once when it has arrived', {
  tag: '@main',
}, async ({ page, withAssistant }) => {
  const { message, questions, answers, untilDone } = conversation(page);
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
  await expect(page.getByRole('button', { name: 'Attach files' })).toBeVisible();
  const first = await holdMessages(page);
  await message.fill('The first question');
  const firstFrame = await watchNextFrame(page);
  await message.press('Enter');
  expect(await firstFrame()).toContain('The first question');
  await expect(questions.getByText('Sending…')).toBeVisible();
  await expect(message).toHaveValue('');
  // Text typed meanwhile moves into the conversation.
  await page.keyboard.type('And then');
  first.answer((route) => route.continue());
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  await untilDone();
  await expect(questions).toHaveText([/^The first question/]);
  await expect(page.getByText('Sending…')).toBeHidden();
  await expect(message).toHaveValue('And then');
  await expect(message).toBeFocused();
  await page.unroute('**/api/threads/*/messages');

  // The server has it, and lists it in another response before its own.
  const second = await holdMessages(page);
  const secondFrame = await watchNextFrame(page);
  await message.press('Enter');
  expect(await secondFrame()).toContain('And then');
  const [isStored, isReported] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  second.answer(async (route) => {
    const response = await route.fetch();
    isStored.resolve();
    await isReported.promise;
    await route.fulfill({ response });
  });
  await isStored.promise;
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(answers).toHaveCount(2);
  await expect(questions).toHaveText([/^The first question/, /^And then/]);
  isReported.resolve();
  await untilDone();
  await expect(questions).toHaveText([/^The first question/, /^And then/]);
});

test('returns a rejected question to its field, with its files and what was typed since', async ({
  page,
  roster,
  withAssistant,
}) => {
  const id = await startThread(page, roster, { assistantId: withAssistant.assistantId });
  await page.goto(`/chat/${id}`);
  const { message, questions, untilDone } = conversation(page);
  const files = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
  await page.getByLabel('Files to attach').setInputFiles({
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Moss grows in the shade.'),
  });
  await expect(page.getByText('1 of 1 file attached')).toBeAttached();
  const held = await holdMessages(page);
  await message.fill('What grows here?');
  await message.press('Enter');
  await expect(questions).toContainText('notes.txt');
  await expect(files).toHaveCount(0);
  await page.keyboard.type('In the shade');
  held.answer(refuse);
  await expect(page.getByText('Three answers are being written already.')).toBeVisible();
  await expect(questions).toHaveCount(0);
  await expect(message).toHaveValue('What grows here?\n\nIn the shade');
  await expect(files).toHaveText([/notes\.txt/]);
  await page.unroute('**/api/threads/*/messages');
  await message.press('Enter');
  await untilDone();
  await expect(questions).toHaveText([/notes\.txt[\s\S]*What grows here\?\n\nIn the shade/], { useInnerText: true });
});

test('sends a lost message again as the same one', async ({ page, withAssistant }) => {
  const { message, questions, untilDone } = conversation(page);
  await page.goto(`/chat?assistant=${withAssistant.assistantId}`);
  await expect(page.getByPlaceholder('Message Tutor')).toBeFocused();
  await expect(page.getByRole('button', { name: 'Attach files' })).toBeVisible();
  const held = await holdMessages(page);
  await message.fill('Did this arrive?');
  await message.press('Enter');
  await expect(questions.getByText('Sending…')).toBeVisible();
  let tries = 0;
  // The server accepts it, and the response is lost.
  held.answer(async (route) => {
    tries += 1;
    if (tries > 1) return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await expect(page.getByText('The server cannot be reached.')).toBeVisible();
  await expect(message).toHaveValue('Did this arrive?');
  await expect(questions).toHaveCount(0);
  await message.press('Enter');
  await expect(page).toHaveURL(/\/chat\/\d+$/);
  await untilDone();
  await expect(questions).toHaveText([/^Did this arrive\?/]);
  expect(held.bodies.map(({ clientId }) => clientId)).toEqual([held.bodies[0]?.clientId, held.bodies[0]?.clientId]);
});

test('reopens the editor of a question whose correction was rejected', async ({ page, roster, withAssistant }) => {
  const id = await startThread(page, roster, { assistantId: withAssistant.assistantId });
  await page.goto(`/chat/${id}`);
  const { ask, questions, answers, untilDone } = conversation(page);
  await ask('Tell me about apples');
  await untilDone();
  const held = await holdMessages(page);
  await questions.hover();
  await questions.getByRole('button', { name: 'Edit question' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit question' });
  await editor.fill('Tell me about plums');
  await editor.press('Enter');
  await expect(questions).toHaveText([/^Tell me about plums/]);
  await expect(answers).toHaveCount(0);
  held.answer(refuse);
  await expect(editor).toHaveValue('Tell me about plums');
  await expect(answers).toHaveCount(1);
});
