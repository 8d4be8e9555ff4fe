import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { administratorRepository } from '../../security/administrators-repository.ts';
import { securityEventRepository } from '../../security/events-repository.ts';

/** Makes links that set a password; they prove no address, because they do not go by mail. */
export const createPasswordLink = (publicUrl: URL) => async (trx: Kysely<Database>, userId: number) => {
  const token = randomBytes(32).toString('base64url');
  await trx
    .insertInto('mailed_tokens')
    .values({
      user_id: userId,
      purpose: 'password',
      token_hash: createHash('sha256').update(token).digest('hex'),
      proves_email: null,
      created_at: new Date().toISOString(),
      used_at: null,
    })
    .execute();
  const link = new URL('/reset-password', publicUrl);
  link.search = new URLSearchParams({ token, userId: String(userId) }).toString();
  return link.href;
};

/** Everything of a person goes with the account, and their streams end. */
export const createRemoval =
  (db: Kysely<Database>, endStreams: (sessionIds: string[]) => void) =>
  async (userId: number, { by }: { by: 'administrator' }) => {
    const sessions = await db.transaction().execute(async (trx) => {
      await administratorRepository(trx).lock();
      const ended = await trx.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute();
      await securityEventRepository(trx).forget(userId);
      await trx.deleteFrom('users').where('id', '=', userId).execute();
      await administratorRepository(trx).requireOne();
      await securityEventRepository(trx).record({ userId: null, event: 'account_closed', by });
      return ended.map(({ id }) => id);
    });
    endStreams(sessions);
  };
