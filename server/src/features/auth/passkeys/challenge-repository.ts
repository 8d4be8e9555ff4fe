import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { browserCookie } from '#server/features/auth/shared/browser-cookie';
import { newToken, tokenHash } from '#server/features/auth/shared/complete-sign-in';
import { AppError } from '#server/lib/errors';

export const challengeMs = 5 * 60_000;
const notBefore = () => new Date(Date.now() - challengeMs).toISOString();

/** `userId`: the only account that may use the challenge; null: any. */
export type Purpose = { purpose: 'add' | 'sign_in' | 'second_step' | 'confirm'; userId: number | null };

/** Binds challenges to a browser. One browser may have several, for example of two tabs. */
export const passkeyCookie = (secure: boolean) =>
  browserCookie({ name: 'passkey', seconds: challengeMs / 1000, secure });

const expired = () => new AppError('conflict', 'This request has expired or was already completed. Try again.');

/** Challenges of passkeys: valid for five minutes, in one browser, for one purpose, once. */
export function passkeyChallenges(db: Kysely<Database>) {
  const idOf = (token: string, challenge: string) => tokenHash(`${token}.${challenge}`);
  return {
    /** `presented`: the token that the browser has. Returns the one for its cookie. */
    async issue(presented: string | undefined, { purpose, userId }: Purpose) {
      const [token, challenge] = [presented ?? newToken(), newToken()];
      await db
        .insertInto('webauthn_challenges')
        .values({
          id_hash: idOf(token, challenge),
          user_id: userId,
          purpose,
          challenge,
          created_at: new Date().toISOString(),
        })
        .execute();
      return { token, challenge };
    },
    /**
     * Uses up the challenge that the browser has answered, and returns it.
     * @throws conflict if it has expired, was used, or belongs to another browser, purpose or person
     */
    async take(token: string | undefined, clientDataJson: string, { purpose, userId }: Purpose): Promise<string> {
      const challenge = challengeIn(clientDataJson);
      if (token === undefined || challenge === undefined) throw expired();
      const row = await db
        .deleteFrom('webauthn_challenges')
        .where('id_hash', '=', idOf(token, challenge))
        .returningAll()
        .executeTakeFirst();
      if (!row || row.created_at <= notBefore() || row.purpose !== purpose || row.user_id !== userId) throw expired();
      return row.challenge;
    },
    async deleteExpired() {
      await db.deleteFrom('webauthn_challenges').where('created_at', '<=', notBefore()).execute();
    },
  };
}

export type PasskeyChallenges = ReturnType<typeof passkeyChallenges>;

function challengeIn(clientDataJson: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
    return typeof data === 'object' && data !== null && 'challenge' in data && typeof data.challenge === 'string'
      ? data.challenge
      : undefined;
  } catch {
    return undefined;
  }
}
