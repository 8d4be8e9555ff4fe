import { chat, type Message, type RunEvent } from '@roster/contracts/chat';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer as answerCall, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { exchange, oneAnswer, serveThreads, thread } from '#web/testing/conversations.ts';
import { expectCount, expectHidden, expectText, expectToast } from '#web/testing/page.ts';

const answer = page.getByRole('article', { name: 'Answer' });
const again = answer.getByRole('button', { name: 'Continue' });
const reasoning = answer.getByText('Reasoning', { exact: false });

/** Streams events of run 1 on demand. */
function streamed() {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let number = 0;
  answerCall(chat.events, () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  return async (event: RunEvent) => {
    await expect.poll(() => stream !== undefined).toBe(true);
    stream?.enqueue(
      new TextEncoder().encode(`id: ${++number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
  };
}

const writing: Partial<Message> = { state: 'running', run: { id: 1, state: 'running' }, finishedAt: null };

test.each<[string, Partial<Message>, string]>([
  ['the limit', { endedEarly: 'length' }, 'The answer reached the output limit.'],
  ['the filter', { endedEarly: 'content_filter' }, 'The provider’s content filter ended this answer.'],
  ['its reader', { state: 'stopped' }, 'Stopped'],
  ['a crash', { state: 'interrupted' }, 'Interrupted: the server stopped while writing this answer'],
  [
    'a lost connection',
    { state: 'failed', error: { code: 'provider_broke_off', message: 'The provider broke off.' } },
    'The provider broke off.',
  ],
])('says that an answer was ended by %s and offers to continue', async (_, part, words) => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'Half', ...part }) });
  await expectText(answer, words);
  await expect.element(again).toBeVisible();
});

test.each<[string, Partial<Message>]>([
  ['is complete', {}],
  ['has no text', { text: '', state: 'stopped' }],
])('does not continue an answer that %s', async (_, part) => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'All', ...part }) });
  await expect.element(answer.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  await expectCount(again, 0);
});

test('continues only the last answer, and none of an API client', async () => {
  const cut = { text: 'Half', endedEarly: 'length' as const };
  open('/chat/1', {
    answers: () => serveThreads([thread(1)], exchange(1, { text: 'One' }, cut, { text: 'Two' }, { text: 'All' })),
  });
  await expectText(answer.first(), 'The answer reached the output limit.');
  await expectCount(again, 0);
  open('/chat/1', { answers: () => oneAnswer(cut, { madeBy: 'Helpdesk' }) });
  await expectText(answer, 'The answer reached the output limit.');
  await expectCount(again, 0);
});

test('grows in place when continued, and can be stopped', async () => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'Half of', endedEarly: 'length' }) });
  const tell = streamed();
  const [, stored] = exchange(1, { text: 'The question' }, { text: 'Half of' });
  if (!stored) throw new Error('There is no answer');
  answerCall(chat.continue, () => {
    const queued: Message = { ...stored, state: 'queued', run: { id: 1, state: 'queued' }, finishedAt: null };
    oneAnswer(queued, { runId: 1 });
    return { message: queued, run: { id: 1, threadId: 1, messageId: stored.id, state: 'queued' } };
  });
  await again.click();
  await expectText(answer, /Half of\s*Waiting for the model/);
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await tell({ type: 'text', text: 'Half of' });
  await tell({ type: 'text', text: ' it, and the rest' });
  await expectText(answer, 'Half of it, and the rest');
  oneAnswer({ text: 'Half of it, and the rest', continued: true });
  await tell({ type: 'finished', reason: 'complete' });
  await expect.element(answer.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  await expectCount(again, 0);
  expect(requestsTo(chat.continue)).toHaveLength(1);
});

test('repeats the same call if the response to a continuation was lost', async () => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'Half', state: 'stopped' }) });
  answerCall(chat.continue, Response.error());
  await again.click();
  await expectToast('Failed to continue the answer', 'The server cannot be reached.');
  answerCall(chat.continue, refusal('conflict', 'This answer is complete. Ask for more in a new message.'));
  await again.click();
  await expectToast('Failed to continue the answer', 'This answer is complete');
  const [first, second] = requestsTo(chat.continue).map(({ body }) => body.clientId);
  expect(second).toBe(first);
  await again.click();
  await expect.poll(() => requestsTo(chat.continue)).toHaveLength(3);
  expect(requestsTo(chat.continue)[2]?.body.clientId).not.toBe(first);
});

test('shows reasoning while it streams, then collapses it with its duration', async () => {
  open('/chat/1', { answers: () => oneAnswer(writing, { runId: 1 }) });
  const tell = streamed();
  await tell({ type: 'reasoning', text: 'First the cause, ' });
  await tell({ type: 'reasoning', text: 'then the cure.' });
  const thoughts = answer.getByText('First the cause, then the cure.');
  await expect.element(thoughts).toBeVisible();
  await tell({ type: 'reasoning', text: '', thoughtMs: 12_400 });
  await tell({ type: 'text', text: 'Here it is.' });
  await expectText(answer, /Reasoning\s*· Thought for 12 s/);
  await expectHidden(thoughts);
  await reasoning.first().click();
  await expect.element(thoughts).toBeVisible();
  await tell({ type: 'text', text: ' All of it.' });
  await expectText(answer, 'Here it is. All of it.');
  await expect.element(thoughts).toBeVisible();
});

test.each([
  [400, 'Thought for less than a second'],
  [65_000, 'Thought for 1 min 5 s'],
])('shows %i ms of reasoning after a reload', async (thoughtMs, words) => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'Done.', reasoning: 'Hm.', thoughtMs }) });
  await expectText(answer, words);
  await expectHidden(answer.getByText('Hm.'));
});

test('says what it waits for if the first token takes long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  try {
    open('/chat/1', { answers: () => oneAnswer(writing, { runId: 1 }) });
    streamed();
    await expectText(answer, 'Waiting for the model');
    await vi.advanceTimersByTimeAsync(11_000);
    await expectText(answer, /Waiting for .+ to load the model…/);
  } finally {
    vi.useRealTimers();
  }
});
