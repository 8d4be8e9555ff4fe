import { chat } from '@roster/contracts/chat';
import { messageQueue, type QueuedMessage } from '@roster/contracts/message-queue';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { exchange, serveThreads, thread } from '#web/testing/conversations.ts';
import { fixtureDate } from '#web/testing/new-account.ts';
import { expectCount, expectText } from '#web/testing/page.ts';

const box = page.getByRole('textbox', { name: 'Message', exact: true });
const line = page.getByRole('region', { name: 'Queued messages' });
const rows = line.getByRole('listitem');
const button = (name: string) => line.getByRole('button', { name, exact: true });

const waiting = (id: number, text: string, more: Partial<QueuedMessage> = {}): QueuedMessage => ({
  ...{ id, threadId: 1, text, files: [], models: [], held: null, problem: null, createdAt: fixtureDate },
  ...more,
});

type Served = { items: QueuedMessage[]; answering?: boolean };

/** A conversation with these queued messages. */
function serve({ items, answering = true }: Served) {
  const queue = { items };
  const run = { id: 2, state: answering ? ('running' as const) : ('stopped' as const) };
  const part = { text: 'Well', state: run.state, run, finishedAt: answering ? null : fixtureDate };
  const queued = items.length > 0 ? { queued: items.length } : {};
  serveThreads([thread(1, { runId: answering ? 2 : null, ...queued })], exchange(1, { text: 'Why?' }, part));
  answer(chat.events, () => new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }));
  answer(messageQueue.list, () => queue);
  answer(messageQueue.add, ({ body }) => {
    queue.items = [...queue.items, waiting(queue.items.length + 1, body.message)];
    answer(chat.thread, thread(1, { runId: 2, queued: queue.items.length }));
    return queue;
  });
  answer(messageQueue.remove, ({ params }) => {
    queue.items = queue.items.filter(({ id }) => id !== params.id);
  });
  answer(messageQueue.change, ({ params, body }) => {
    const found = queue.items.find(({ id }) => id === params.id);
    if (!found) return refusal('not_found', 'This message no longer waits: it has been sent or removed.');
    const changed = { ...found, text: body.message ?? found.text, held: body.editing ? ('editing' as const) : null };
    queue.items = queue.items.map((one) => (one.id === params.id ? changed : one));
    return changed;
  });
  answer(messageQueue.send, ({ params }) => {
    queue.items = queue.items.filter(({ id }) => id !== params.id);
    return queue;
  });
  return queue;
}

test('queues a message on Enter while an answer is being written', async () => {
  open('/chat/1', { answers: () => void serve({ items: [] }) });
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await box.fill('And then?');
  await userEvent.keyboard('{Enter}');
  await expectText(rows, /And then\?/);
  await expectText(line.getByRole('status'), 'Sent when the answer is complete');
  await expect.element(box).toHaveValue('');
  expect(requestsTo(messageQueue.add).map(({ params, body }) => [params, body])).toEqual([
    [{ id: 1 }, { message: 'And then?', clientId: expect.any(String) }],
  ]);
  expect([requestsTo(chat.send), requestsTo(chat.stop)]).toEqual([[], []]);
});

test('offers a button for it beside Stop once there is a text', async () => {
  open('/chat/1', { answers: () => void serve({ items: [] }) });
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await expectCount(page.getByRole('button', { name: 'Send next' }), 0);
  await box.fill('And then?');
  await page.getByRole('button', { name: 'Send next' }).click();
  await expectText(rows, /And then\?/);
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
});

test('keeps the text if the line is full', async () => {
  open('/chat/1', {
    answers: () => {
      serve({ items: [] });
      answer(messageQueue.add, refusal('conflict', '10 messages wait already.'));
    },
  });
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await box.fill('One more');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText(/10 messages wait already\./)).toBeVisible();
  await expect.element(box).toHaveValue('One more');
});

test('edits a message, which is held meanwhile, and restores it on Escape', async () => {
  open('/chat/1', { answers: () => void serve({ items: [waiting(1, 'Secnd')] }) });
  await button('Edit message').click();
  const editor = line.getByRole('textbox', { name: 'Edit queued message' });
  await expect.element(editor).toHaveFocus();
  await editor.fill('Something else');
  await userEvent.keyboard('{Escape}');
  await expectText(rows, /Secnd/);
  await button('Edit message').click();
  await editor.fill(' ');
  await userEvent.keyboard('{Enter}');
  await expectText(line.getByRole('alert'), 'Message is required');
  await editor.fill('Second');
  await userEvent.keyboard('{Enter}');
  await expectText(rows, /Second/);
  expect(requestsTo(messageQueue.change).map(({ body }) => body)).toEqual([
    { editing: true },
    { editing: false },
    { editing: true },
    { message: 'Second', editing: false },
  ]);
  expect(requestsTo(chat.stop)).toEqual([]);
});

test('returns an edited text to the message field if the message has been sent', async () => {
  open('/chat/1', { answers: () => void serve({ items: [waiting(1, 'Second')] }) });
  await button('Edit message').click();
  await line.getByRole('textbox', { name: 'Edit queued message' }).fill('Second, but longer');
  answer(messageQueue.change, refusal('not_found', 'This message no longer waits: it has been sent or removed.'));
  await button('Save').click();
  await expect.element(box).toHaveValue('Second, but longer');
});

test('removes a message and sends another now', async () => {
  open('/chat/1', { answers: () => void serve({ items: [waiting(1, 'Second'), waiting(2, 'Third')] }) });
  await expectCount(rows, 2);
  await button('Remove from queue').first().click();
  await expectText(rows, /Third/);
  await button('Send now').click();
  await expectCount(line, 0);
  expect(requestsTo(messageQueue.remove).map(({ params }) => params)).toEqual([{ id: 1 }]);
  expect(requestsTo(messageQueue.send).map(({ params, body }) => [params, body])).toEqual([[{ id: 2 }, {}]]);
});

test('says why the line waits, and sends the first message', async () => {
  const items = [waiting(1, 'Second', { held: 'stopped' }), waiting(2, 'Third', { held: 'stopped' })];
  open('/chat/1', { answers: () => void serve({ items, answering: false }) });
  await expectText(line.getByRole('status'), 'The answer was stopped, so these messages wait.');
  await expectCount(button('Send now'), 0);
  await button('Send').click();
  expect(requestsTo(messageQueue.send).map(({ params }) => params)).toEqual([{ id: 1 }]);
});

test('offers to send over a used-up budget', async () => {
  const problem = 'The budget of $5.00 for this month is used up.';
  const items = [waiting(1, 'Second', { held: 'over_budget', problem })];
  open('/chat/1', { answers: () => void serve({ items, answering: false }) });
  await expectText(line.getByRole('status'), problem);
  await button('Send anyway').click();
  expect(requestsTo(messageQueue.send).map(({ body }) => body)).toEqual([{ overBudget: true }]);
});
