import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

export type TokenPurpose = Database['mailed_tokens']['purpose'];

const tokenLifeMs = 30 * 60_000;
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
/** Anything else (null, an empty or longer text) is rejected without a query. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/** Mailed tokens. Only the newest of an account and purpose is valid, once, for 30 minutes. Only hashes are stored. */
export function mailedTokenRepository(db: Kysely<Database>) {
  /** Row of a currently valid token. */
  const good = (userId: number, purpose: TokenPurpose, token: string) =>
    db
      .selectFrom('mailed_tokens')
      .select(['id', 'proves_email as provesEmail'])
      .where('user_id', '=', userId)
      .where('purpose', '=', purpose)
      .where('token_hash', '=', hashOf(token))
      .where('used_at', 'is', null)
      .where('created_at', '>', new Date(Date.now() - tokenLifeMs).toISOString())
      .where('id', '=', (eb) =>
        eb
          .selectFrom('mailed_tokens as newest')
          .select((newest) => newest.fn.max('newest.id').as('id'))
          .where('newest.user_id', '=', userId)
          .where('newest.purpose', '=', purpose),
      )
      .executeTakeFirst();

  return {
    /** Creates the newest token, which invalidates earlier ones. */
    async make(userId: number, purpose: TokenPurpose, provesEmail: string | null): Promise<string> {
      const token = randomBytes(32).toString('base64url');
      await db
        .insertInto('mailed_tokens')
        .values({
          user_id: userId,
          purpose,
          token_hash: hashOf(token),
          proves_email: provesEmail,
          created_at: new Date().toISOString(),
        })
        .execute();
      return token;
    },
    /** undefined: not valid. Does not use the token up. */
    find: async (userId: number, purpose: TokenPurpose, token: string) =>
      tokenForm.test(token) ? good(userId, purpose, token) : undefined,
    /** Uses the token up. false: a concurrent request was faster. */
    async use(tokenId: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('mailed_tokens')
        .set({ used_at: new Date().toISOString() })
        .where('id', '=', tokenId)
        .where('used_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async voidAll(userId: number, purpose: TokenPurpose) {
      await db
        .updateTable('mailed_tokens')
        .set({ used_at: new Date().toISOString() })
        .where('user_id', '=', userId)
        .where('purpose', '=', purpose)
        .where('used_at', 'is', null)
        .execute();
    },
    async forgetOlderThan(time: string) {
      await db.deleteFrom('mailed_tokens').where('created_at', '<', time).execute();
    },
  };
}
