import type { Kysely } from 'kysely';
import { type Params, prepared } from '#server/db/prepared-query';
import type { Database } from '#server/db/schema';
import { type UsageRecord, usageRepository } from '#server/features/usage/repository';

export type NewCall = {
  userId: number;
  tokenId: number;
  assistantId: number | null;
  model: string;
  /** Estimate, used if the provider reports no usage. */
  inputTokens: number;
  instance: number;
};
type StoredCall = Omit<NewCall, 'tokenId'> & { id: number; tokenId: number | null; createdAt: string };

/** Inserts only if the token is still valid: a large body may have taken a while to arrive. */
const insertCall = prepared((db, at: Params<NewCall & { now: string }>) =>
  db
    .insertInto('api_calls')
    .columns(['user_id', 'access_token_id', 'assistant_id', 'model', 'input_tokens', 'instance', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('access_tokens')
        .innerJoin('users', 'users.id', 'access_tokens.user_id')
        .select([
          'access_tokens.user_id',
          'access_tokens.id',
          eb.cast<number | null>(at('assistantId'), 'integer').as('assistant_id'),
          eb.cast<string>(at('model'), 'text').as('model'),
          eb.cast<number>(at('inputTokens'), 'integer').as('input_tokens'),
          eb.cast<number>(at('instance'), 'integer').as('instance'),
          eb.cast<string>(at('now'), 'text').as('created_at'),
        ])
        .where('access_tokens.id', '=', at('tokenId'))
        .where('access_tokens.user_id', '=', at('userId'))
        .where('access_tokens.token_hash', 'is not', null)
        .where('users.status', '=', 'Active')
        .where((or) =>
          or.or([or('access_tokens.expires_at', 'is', null), or('access_tokens.expires_at', '>', at('now'))]),
        ),
    )
    .returning('id'),
);

const deleteCall = prepared((db, at: Params<{ userId: number; id: number }>) =>
  db
    .deleteFrom('api_calls')
    .where('user_id', '=', at('userId'))
    .where('id', '=', at('id'))
    .returning(['assistant_id as assistantId', 'access_token_id as tokenId']),
);

/** Prepared, because it runs every few seconds. */
const unfinishedCalls = prepared<object, StoredCall>((db) =>
  db
    .selectFrom('api_calls')
    .select([
      'id',
      'user_id as userId',
      'access_token_id as tokenId',
      'assistant_id as assistantId',
      'model',
      'input_tokens as inputTokens',
      'instance',
      'created_at as createdAt',
    ])
    .orderBy('id')
    .limit(1_000),
);

/** API calls in progress: stored before the provider is asked, deleted together with the record of their cost. */
export function callLogRepository(db: Kysely<Database>) {
  return {
    /** Returns undefined if the token is no longer valid. */
    async insert(call: NewCall): Promise<number | undefined> {
      return (await insertCall.first(db, { ...call, now: new Date().toISOString() }))?.id;
    },
    /**
     * Ends a call; requires a transaction. `usage` is empty if the call cost nothing. Its records leave out a token or
     * an assistant deleted since. Returns false if the call had already ended.
     */
    async end(
      userId: number,
      id: number,
      usage: Omit<UsageRecord, 'runId' | 'threadId' | 'assistantId'>[],
    ): Promise<boolean> {
      const ended = await deleteCall.first(db, { userId, id });
      if (!ended) return false;
      const { assistantId, tokenId: accessTokenId } = ended;
      const made = { runId: null, threadId: null, assistantId, accessTokenId };
      for (const one of usage) await usageRepository(db).record(userId, { ...one, ...made }, true);
      return true;
    },
    /** Active calls of all processes. */
    inProgress: (): Promise<StoredCall[]> => unfinishedCalls.all(db, {}),
  };
}
