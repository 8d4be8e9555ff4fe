import { expect, type Page } from '@playwright/test';
import { request, untilUsable } from './fixtures.ts';
import type { Roster } from './roster.ts';

/** The open conversation as its reader sees it. */
export function conversation(page: Page) {
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  const send = page.getByRole('button', { name: 'Send message' });
  const answers = page.getByRole('article', { name: 'Answer' });
  return {
    message,
    send,
    answers,
    questions: page.getByRole('article', { name: 'Question' }),
    stop: page.getByRole('button', { name: 'Stop', exact: true }),
    /** The scroll container of the messages. */
    scroller: page.getByRole('region', { name: 'Messages' }),
    async ask(text: string) {
      await message.fill(text);
      await message.press('Enter');
      await expect(message).toHaveValue('');
      await expect(page.getByText('Sending…')).toBeHidden();
    },
    /**
     * Waits until nothing is being sent and no answer is running, which a page that was just opened must first learn.
     */
    async untilDone() {
      await untilUsable(page);
      await expect(page.getByText('Loading messages')).toBeHidden();
      await expect(page.getByText('Sending…')).toBeHidden();
      await expect(send).toBeVisible();
      await untilAtRest(page);
    },
    /** Waits until the last answer has become longer than it is now. */
    async growth() {
      const length = async () => (await answers.last().innerText()).length;
      const before = await length();
      await expect.poll(length).toBeGreaterThan(before);
    },
  };
}

export type ConversationHelper = ReturnType<typeof conversation>;

/** ' t0000 t0001 …', the simulator's answer to `[[bench 200]]`. */
export const numberedTokens = (count: number) =>
  Array.from({ length: count }, (_, index) => `t${String(index).padStart(4, '0')}`).join(' ');

export async function startThread(page: Page, roster: Roster, thread: { title?: string; assistantId?: number }) {
  const { status, body } = await request(page, roster, 'POST', '/api/threads', thread);
  expect(status).toBe(201);
  return Number(body.id);
}

let messages = 0;

/** A question and its whole answer, without the interface. */
export async function exchange(page: Page, roster: Roster, threadId: number, message: string) {
  const clientId = `browser-test-${process.pid}-${++messages}`;
  const sent = await request(page, roster, 'POST', `/api/threads/${threadId}/messages`, { message, clientId });
  expect(sent.status).toBe(202);
  const runId = async () => (await request(page, roster, 'GET', `/api/threads/${threadId}`)).body.runId;
  await expect.poll(runId, { intervals: [10, 20, 50] }).toBeNull();
}

/**
 * Waits until the page is at its end: when an answer ends, the page scrolls, and a target would move under the pointer.
 */
const untilAtRest = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let last = Number.NaN;
        let same = 0;
        const look = () => {
          const top = document.querySelector('article')?.getBoundingClientRect().top ?? 0;
          same = top === last ? same + 1 : 0;
          last = top;
          if (same >= 15) resolve();
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
