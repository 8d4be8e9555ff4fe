import type { Message, Run } from '@roster/contracts/chat';
import type { JournalEntry } from '@roster/simulator/http/journal';
import { request } from 'undici';
import type { TestApp } from './app.ts';
import { type NumberedEvent, readEvents } from './events.ts';
import type { HttpClient } from './http-client.ts';

export { until } from './until.ts';

let made = 0;
/** Unique, in order. */
export const clientId = () => `client-${String(++made).padStart(6, '0')}`;

/** The simulator's answer to `[[bench n]]`. */
export const benchText = (count: number) =>
  Array.from({ length: count }, (_, index) => ` t${String(index).padStart(4, '0')}`).join('');

/** Starts a thread and returns its id. */
export async function newThread(visitor: HttpClient, more: Record<string, unknown> = {}): Promise<number> {
  const { status, body } = await visitor.post('/api/threads', more);
  if (status !== 201) throw new Error(`No thread: ${JSON.stringify(body)}`);
  return body.id;
}

/** Deletes a thread and takes it out of the trash. */
export async function deleteForGood(visitor: HttpClient, threadId: number) {
  for (const path of [`/api/threads/${threadId}`, `/api/trash/${threadId}`]) {
    const { status } = await visitor.delete(path);
    if (status !== 204) throw new Error(`Not deleted: ${path} answers ${status}`);
  }
}

export const post = (visitor: HttpClient, threadId: number, message: string, more: Record<string, unknown> = {}) =>
  visitor.post(`/api/threads/${threadId}/messages`, { message, clientId: clientId(), ...more });

type SentMessage = { message: Message; run: Run };

/** Sends a message that is accepted. */
export async function sendMessage(
  visitor: HttpClient,
  threadId: number,
  message: string,
  more: Record<string, unknown> = {},
): Promise<SentMessage> {
  const { status, body } = await post(visitor, threadId, message, more);
  if (status !== 202) throw new Error(`Not sent: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** Sends a message and waits for the end of its answer. */
export async function ask(
  app: { url: string },
  visitor: HttpClient,
  threadId: number,
  message: string,
  more: Record<string, unknown> = {},
): Promise<SentMessage & { events: NumberedEvent[]; answer: Message }> {
  const sent = await sendMessage(visitor, threadId, message, more);
  const events = await readEvents(app, visitor, sent.run.id);
  return { ...sent, events, answer: await messageOf(visitor, threadId, sent.run.messageId) };
}

/** Regenerates an answer and waits for its end. */
export async function regenerated(app: { url: string }, visitor: HttpClient, messageId: number): Promise<SentMessage> {
  const { status, body } = await visitor.post(`/api/messages/${messageId}/regenerate`);
  if (status !== 202) throw new Error(`Not regenerated: ${status} ${JSON.stringify(body)}`);
  await readEvents(app, visitor, body.run.id);
  return body;
}

/** The shown branch, at most 200 messages of it. */
export async function messagesOf(visitor: HttpClient, threadId: number): Promise<Message[]> {
  const { status, body } = await visitor.get(`/api/threads/${threadId}/messages?limit=200`);
  if (status !== 200) throw new Error(`No messages: ${status} ${JSON.stringify(body)}`);
  return body.items;
}

export async function messageOf(visitor: HttpClient, threadId: number, messageId: number): Promise<Message> {
  const { body } = await visitor.get(`/api/threads/${threadId}/messages?limit=1&around=${messageId}`);
  return body.items[0];
}

type JournalRequest = Omit<JournalEntry, 'body'> & {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was sent
  body: any;
};

const titleWords = 'Give this conversation a title';
const isForTitle = ({ body }: JournalRequest) =>
  String(body?.instructions ?? body?.messages?.[0]?.content).startsWith(titleWords);

export async function askedOf({ provider }: Pick<TestApp, 'provider'>): Promise<JournalRequest[]> {
  const response = await request(`${provider.origin}/__simulator/requests`);
  const { requests } = JSON.parse(await response.body.text());
  return requests;
}

const makesAnswers = ({ path }: JournalRequest) => path === '/responses' || path === '/chat/completions';

/** The provider's requests for answers, oldest first, without title requests. */
export const asksOf = async (app: Pick<TestApp, 'provider'>) =>
  (await askedOf(app)).filter((request) => makesAnswers(request) && !isForTitle(request));
/** The title requests. */
export const titleAsksOf = async (app: Pick<TestApp, 'provider'>) =>
  (await askedOf(app)).filter((request) => makesAnswers(request) && isForTitle(request));

export async function forgetAsks({ provider }: Pick<TestApp, 'provider'>) {
  await request(`${provider.origin}/__simulator/requests`, { method: 'DELETE' });
}
