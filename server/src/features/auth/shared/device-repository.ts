import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';

const rememberedMs = 30 * 24 * 60 * 60_000;
const devicesPerUser = 50;

/** Browsers that are not asked for the second factor for 30 days. */
export function deviceRepository(db: Kysely<Database>) {
  return {
    async insert(device: { userId: number; sessionId: string; tokenHash: string }) {
      const now = Date.now();
      await db
        .insertInto('remembered_devices')
        .values({
          token_hash: device.tokenHash,
          user_id: device.userId,
          session_id: device.sessionId,
          created_at: new Date(now).toISOString(),
          expires_at: new Date(now + rememberedMs).toISOString(),
        })
        .execute();
      await db
        .deleteFrom('remembered_devices')
        .where('user_id', '=', device.userId)
        .where('token_hash', 'not in', (eb) =>
          eb
            .selectFrom('remembered_devices as newest')
            .select('newest.token_hash')
            .where('newest.user_id', '=', device.userId)
            .orderBy('newest.created_at', 'desc')
            .orderBy('newest.token_hash')
            .limit(devicesPerUser),
        )
        .execute();
    },
    async isRemembered(userId: number, tokenHash: string): Promise<boolean> {
      const row = await db
        .selectFrom('remembered_devices')
        .select('token_hash')
        .where('user_id', '=', userId)
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', new Date().toISOString())
        .executeTakeFirst();
      return row !== undefined;
    },
    async forgetAll(userId: number) {
      await db.deleteFrom('remembered_devices').where('user_id', '=', userId).execute();
    },
    async deleteExpired() {
      await db.deleteFrom('remembered_devices').where('expires_at', '<=', new Date().toISOString()).execute();
    },
  };
}
