import { account, defaultPreferences } from '@roster/contracts/account';
import { chat, type DisplayedToolCall, type Message, type RunEvent, type ToolCall } from '@roster/contracts/chat';
import { afterEach, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer as answerCall, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { person } from '#web/testing/new-account.ts';
import { expectCount, expectText, expectTexts } from '#web/testing/page.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const call: ToolCall = {
  kind: 'server',
  callId: 'call_1',
  name: 'Bank__pay',
  tool: 'pay',
  title: 'Pay a bill',
  server: 'Bank',
  state: 'waiting',
  input: '{"to":"Ada","amounts":[1,2],"note":{"text":"Thanks\\u202e"}}',
  output: null,
};
const shown: DisplayedToolCall = { ...call, at: 0 };
const card = page.getByRole('region', { name: 'Call “Pay a bill”?' });
const lines = page.getByRole('list', { name: 'Tool calls' }).getByRole('listitem');
const button = (name: string) => card.getByRole('button', { name, exact: true });

/** A conversation whose answer waits for approval; returns a function that sends its further events. */
function waiting(part: Partial<Message> = {}, given: ToolCall = call) {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let number = 0;
  const tell = (event: RunEvent) =>
    stream?.enqueue(
      new TextEncoder().encode(`id: ${++number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    );
  oneAnswer(
    { state: 'waiting', run: { id: 1, state: 'waiting' }, finishedAt: null, calls: [{ ...given, at: 0 }], ...part },
    { runId: 1, waitsForApproval: true },
  );
  answerCall(chat.events, () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
        tell({ type: 'tool', call: given });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  answerCall(chat.approve, { id: 1, threadId: 1, messageId: 2, state: 'running' });
  return tell;
}

test('asks about a pending call with its tool, server and arguments', async () => {
  open('/chat/1', { answers: () => void waiting() });
  await expectText(card, /Bank · pay/);
  await expectTexts(card.getByRole('term'), ['to', 'amounts', '1', '2', 'note', 'text']);
  await expectTexts(card.getByRole('definition'), ['Ada', '', '1', '2', '', 'Thanks\\u{202e}']);
  await expectText(page.getByRole('article', { name: 'Answer' }), 'Waiting for your approval');
  await expectText(page.getByRole('navigation', { name: 'Conversations' }), 'Waiting for you');
});

test('continues after approval by keyboard and keeps focus on the call', async () => {
  let tell: ReturnType<typeof waiting> | undefined;
  open('/chat/1', {
    answers: () => {
      tell = waiting();
    },
  });
  await expect.element(button('Approve')).toBeVisible();
  button('Approve').element().focus();
  await userEvent.keyboard('{Enter}');
  await expect
    .poll(() => requestsTo(chat.approve).map(({ params, body }) => [params, body]))
    .toEqual([[{ id: 1, callId: 'call_1' }, { decision: 'approve' }]]);
  tell?.({ type: 'tool', call: { ...call, state: 'running' } });
  await expectTexts(lines, [/^Calling Pay a bill of Bank/]);
  await expectCount(card, 0);
  expect(document.activeElement).toBe(lines.first().element());
  tell?.({ type: 'tool', call: { ...call, state: 'done', output: 'Paid.' } });
  await expectTexts(lines, [/^Called Pay a bill of Bank/]);
});

test('notifies an absent user once', async () => {
  const notified: string[] = [];
  class FakeNotification {
    static readonly permission = 'granted';
    constructor(title: string, { body }: NotificationOptions) {
      notified.push(`${title}: ${body}`);
    }
  }
  vi.stubGlobal('Notification', FakeNotification);
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  open('/chat/1', {
    answers: () => {
      waiting();
      answerCall(account.preferences, { ...defaultPreferences, notificationsEnabled: true });
    },
  });
  await expect.element(button('Approve')).toBeVisible();
  await expect.poll(() => notified).toEqual(['Conversation 1: The answer is waiting for your approval.']);
});

test('approves for the conversation, or denies with an optional reason', async () => {
  open('/chat/1', { answers: () => void waiting() });
  await button('Deny').click();
  const reason = card.getByRole('textbox', { name: 'Reason, for the model (optional)' });
  await expect.element(reason).toHaveFocus();
  await userEvent.keyboard('{Escape}');
  await expect.element(button('Deny')).toHaveFocus();
  await button('Deny').click();
  await reason.fill(' Too dear ');
  await button('Deny').click();
  await expect.poll(() => requestsTo(chat.approve).at(-1)?.body).toEqual({ decision: 'deny', reason: 'Too dear' });

  open('/chat/1', { answers: () => void waiting() });
  await button('Approve for This Conversation').click();
  await expect.poll(() => requestsTo(chat.approve).at(-1)?.body).toEqual({ decision: 'approve_thread' });
  expect(requestsTo(chat.stop)).toEqual([]);
});

test('reports a decision made elsewhere or no longer possible', async () => {
  open('/chat/1', {
    answers: () => {
      waiting();
      answerCall(chat.approve, refusal('conflict', 'This has been decided already.'));
    },
  });
  await button('Approve').click();
  await expectText(
    page.getByRole('alert').or(page.getByRole('status')).filter({ hasText: 'decided already' }),
    'Failed to save your decision',
  );
  await expect.element(button('Approve')).toBeEnabled();
});

test('asks whether to rerun a call that may have run', async () => {
  const uncertain = { ...call, state: 'uncertain', input: '{}' } as const;
  open('/chat/1', { answers: () => void waiting({}, uncertain) });
  const again = page.getByRole('region', { name: 'Run “Pay a bill” again?' });
  await expectText(again, /The tool may have run already[\s\S]*No arguments\./);
  await expectTexts(again.getByRole('button'), ['Run Again', 'Do Not Run Again']);
});

test('lets a Viewer deny only, and explains why', async () => {
  open('/chat/1', { user: { ...person, role: 'Viewer' }, answers: () => void waiting() });
  await expectTexts(card.getByRole('button'), ['Deny']);
  await expectText(card, /As a Viewer you can deny this call/);
  await button('Deny').click();
  await card.getByRole('button', { name: 'Deny' }).click();
  await expect.poll(() => requestsTo(chat.approve).at(-1)?.body).toEqual({ decision: 'deny' });
});

test.each([
  [{ state: 'done', output: 'Paid.' }, /^Called Pay a bill of Bank$/],
  [{ state: 'failed', output: 'No money.' }, /^Called Pay a bill of Bank · failed$/],
  [{ state: 'denied', output: 'Denied.' }, /^Call to Pay a bill of Bank · denied$/],
  [{ state: 'uncertain', output: 'Late.' }, /^Called Pay a bill of Bank · may have run$/],
] as const)('shows how a call ended after the answer: %o', async (part, words) => {
  open('/chat/1', { answers: () => oneAnswer({ text: 'It is so.', calls: [{ ...shown, ...part }] }) });
  await expectTexts(lines, [words]);
  await expectCount(card, 0);
});
