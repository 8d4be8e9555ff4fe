import type { QueuedMessage } from '@roster/contracts/message-queue';
import type { TestApp } from './app.ts';
import { clientId } from './chat.ts';
import { withDatabase } from './database.ts';
import type { HttpClient } from './http-client.ts';

export const queuePath = (threadId: number) => `/api/threads/${threadId}/queue`;

export const postQueued = (
  visitor: HttpClient,
  threadId: number,
  message: string,
  more: Record<string, unknown> = {},
) => visitor.post(queuePath(threadId), { message, clientId: clientId(), ...more });

/** Lines a message up, and returns the queue. */
export async function enqueued(
  visitor: HttpClient,
  threadId: number,
  message: string,
  more: Record<string, unknown> = {},
): Promise<QueuedMessage[]> {
  const { status, body } = await postQueued(visitor, threadId, message, more);
  if (status !== 202) throw new Error(`Not queued: ${status} ${JSON.stringify(body)}`);
  return body.items;
}

export async function queueOf(visitor: HttpClient, threadId: number): Promise<QueuedMessage[]> {
  const { status, body } = await visitor.get(queuePath(threadId));
  if (status !== 200) throw new Error(`No queue: ${status} ${JSON.stringify(body)}`);
  return body.items;
}

/** A message that waits for its owner. Returns its id. */
export async function heldMessage(app: TestApp, visitor: HttpClient, threadId: number, text: string): Promise<number> {
  const { id: userId } = (await visitor.get('/api/user')).body;
  const key = clientId();
  const { id } = await withDatabase(app, (db) =>
    db
      .insertInto('queued_messages')
      .values({
        ...{ user_id: userId, thread_id: threadId, position: 1, text, files: '[]', models: '[]', over_budget: 0 },
        ...{ held: 'stopped', problem: null, client_id: key, client_digest: key },
        created_at: new Date().toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}
