import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { holdAccounts } from '../../db/accounts-lock.ts';
import type { Database } from '../../db/schema.ts';
import { AppError } from '../../errors.ts';
import { securityEventRepository } from '../../security/events-repository.ts';
import { managedUserRepository } from './repository.ts';

/** Makes links that set a password; they prove no address, because they do not go by mail. */
export const passwordLinks =
  (db: Kysely<Database>, publicUrl: URL) =>
  (userId: number, by: 'administrator' | 'operator'): Promise<string> =>
    db.transaction().execute(async (trx) => {
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
      await securityEventRepository(trx).record({ userId, event: 'reset_link_made', by });
      return new URL(`/reset-password?token=${token}&userId=${userId}`, publicUrl).href;
    });

/** Everything of a person goes with the account, and their streams end. false: there was none. */
export const accountRemoval =
  (db: Kysely<Database>, endStreams: (sessionIds: string[]) => void) =>
  async (userId: number, { by }: { by: 'administrator' }): Promise<boolean> => {
    const sessions = await db.transaction().execute(async (trx) => {
      await holdAccounts(trx);
      const users = managedUserRepository(trx);
      if (!(await users.byId(userId))) return undefined;
      const ended = await users.endSessions(userId);
      await securityEventRepository(trx).forget(userId);
      await trx.deleteFrom('users').where('id', '=', userId).execute();
      if (!(await users.hasActiveAdministrator()))
        throw new AppError(
          'last_administrator',
          'This is the last active administrator. Make somebody else an administrator first.',
        );
      await securityEventRepository(trx).record({ userId: null, event: 'account_closed', by });
      return ended;
    });
    endStreams(sessions ?? []);
    return sessions !== undefined;
  };
