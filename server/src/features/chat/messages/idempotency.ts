import { createHash } from 'node:crypto';
import type { Message, Run } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { type IdempotencyKey, messageRepository } from '#server/features/chat/shared/message-repository';
import { noMessage, noThread } from '#server/features/chat/shared/not-found';
import { runRepository } from '#server/features/chat/shared/run-repository';
import { AppError } from '#server/lib/errors';

/** The response to a request that starts runs; `run` is the first of `runs`. */
export type StartedRuns = { message: Message; run: Run; runs: Run[] };

/** The client id of a request, with a digest of what it asks for. */
export const idempotencyKey = (id: string, ...request: unknown[]): IdempotencyKey => ({
  id,
  digest: createHash('sha256').update(JSON.stringify(request)).digest('base64url'),
});

/**
 * The response to an earlier request with the same key; undefined if there was none.
 * @throws AppError if that request asked for something else
 */
export async function findPrevious(
  db: Kysely<Database>,
  userId: number,
  key: IdempotencyKey | null,
): Promise<StartedRuns | undefined> {
  const messages = messageRepository(db);
  const runs = runRepository(db);
  const place = key && (await messages.byClientId(userId, key.id));
  if (!place) return undefined;
  if (place.digest !== null && place.digest !== key.digest) throw clientIdUsed();
  const ofOne = async () => [await runs.ofMessage(userId, place.id)].filter((run) => run !== undefined);
  const started = await (place.role === 'user' ? runs.ofQuestion(userId, place.id) : ofOne());
  const [run] = started;
  if (!run) return undefined;
  const message = await messages.find(userId, place.id);
  if (!message) throw noMessage();
  return { message, run, runs: started };
}

/** Another request with the same key has stored the turn first. */
export async function resultOfConcurrentRequest(
  db: Kysely<Database>,
  userId: number,
  key: IdempotencyKey | null,
): Promise<StartedRuns> {
  const found = await findPrevious(db, userId, key);
  if (!found) throw noThread();
  return found;
}

export const clientIdUsed = () =>
  new AppError(
    'client_id_used',
    'This clientId already belongs to another request, so nothing was saved. Send the request again with a new clientId.',
  );
