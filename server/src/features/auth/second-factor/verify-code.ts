import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { RateLimits } from '#server/http/limits/rate-limits';
import { sessionRepository } from '#server/http/sessions/session-repository';
import type { Visitor } from '#server/security/events-repository';
import type { PasswordHashing } from '#server/security/password-hashing';
import type { Vault } from '#server/security/vault';
import { appRepository } from './app-repository.ts';
import { recoveryCodeRepository } from './recovery-code-repository.ts';
import { isRecoveryCode, matchingRecoveryCode } from './recovery-codes.ts';
import { matchingStep } from './totp.ts';

type CodeDependencies = {
  db: Kysely<Database>;
  vault: Vault;
  hashing: PasswordHashing;
  rates: Pick<RateLimits, 'use' | 'giveBack' | 'forget'>;
};

/** A right code. `use` takes it in a transaction; false: it was used already, or the factor is gone. */
type RightCode = { way: 'totp' | 'recovery'; use: (trx: Kysely<Database>) => Promise<boolean> };

const isAppCode = (code: string) => /^\d{6}$/.test(code);

/**
 * Verifies a code of an account: six digits of its app, or a recovery code. null: wrong. Tries are counted by account
 * and network. An app’s codes are few, so they are also counted for the account as a whole, except from networks where
 * it is signed in: guesses from elsewhere lock nobody out, and a recovery code works meanwhile.
 */
export function codeVerifier({ db, vault, hashing, rates }: CodeDependencies) {
  async function countedKeys(userId: number, code: string, { ipAddress }: Visitor) {
    const keys = [['failedSignIn', { address: ipAddress, detail: `second factor ${userId}` }]] as const;
    if (!isAppCode(code) || (await sessionRepository(db).knowsAddress(userId, ipAddress))) return keys;
    return [...keys, ['failedCode', String(userId)]] as const;
  }

  async function match(userId: number, code: string): Promise<RightCode | null> {
    if (isRecoveryCode(code)) {
      const selector = await matchingRecoveryCode(db, hashing, userId, code);
      return selector === null
        ? null
        : { way: 'recovery', use: (trx) => recoveryCodeRepository(trx).use(userId, selector) };
    }
    const app = isAppCode(code) ? await appRepository(db).find(userId) : undefined;
    if (!app?.secret) return null;
    const secret = vault.openProviderKey(userId, app.wrapped, app.secret, 'second-factor');
    const step = matchingStep(secret.reveal(), code, Date.now());
    return step === null ? null : { way: 'totp', use: (trx) => appRepository(trx).useStep(userId, app.id, step) };
  }

  return async function verify(userId: number, code: string, visitor: Visitor): Promise<RightCode | null> {
    // Counted before verifying, so that parallel attempts get no more tries than sequential ones.
    const keys = await countedKeys(userId, code, visitor);
    for (const [name, key] of keys) await rates.use(name, key);
    const giveBack = async () => {
      for (const [name, key] of keys) await rates.giveBack(name, key);
    };
    const right = await match(userId, code).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    if (right) await giveBack();
    return right;
  };
}

export type VerifyCode = ReturnType<typeof codeVerifier>;
