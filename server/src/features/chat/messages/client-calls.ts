import { createHash } from 'node:crypto';
import type { Message, Run } from '@roster/contracts/chat';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { noMessage } from '#server/features/chat/not-found';
import { runRepository } from '#server/features/chat/runs/repository';
import { AppError } from '#server/lib/errors';
import { type ClientCall, messageRepository } from './repository.ts';

/** What a call has stored and started; `run` is the first of `runs`. */
export type Started = { message: Message; run: Run; runs: Run[] };

/** A call's client id, with a digest that tells it from another call with the same id. */
export const clientCall = (id: string, ...asked: unknown[]): ClientCall => ({
  id,
  digest: createHash('sha256').update(JSON.stringify(asked)).digest('base64url'),
});

/**
 * The response to an earlier request with the same client id; undefined where there was none.
 * @throws AppError conflict where that one asked for something else
 */
export async function earlierCall(
  db: Kysely<Database>,
  userId: number,
  client: ClientCall | null,
): Promise<Started | undefined> {
  const messages = messageRepository(db);
  const runs = runRepository(db);
  const place = client && (await messages.byClientId(userId, client.id));
  if (!place) return undefined;
  if (place.digest !== null && place.digest !== client.digest) throw clientIdUsed();
  const ofOne = async () => [await runs.ofMessage(userId, place.id)].filter((run) => run !== undefined);
  const started = await (place.role === 'user' ? runs.ofQuestion(userId, place.id) : ofOne());
  const [run] = started;
  if (!run) return undefined;
  const message = await messages.find(userId, place.id);
  if (!message) throw noMessage();
  return { message, run, runs: started };
}

export const clientIdUsed = () =>
  new AppError(
    'client_id_used',
    'Something else was sent with this clientId already, so nothing was stored. Send it again with a new one.',
  );
