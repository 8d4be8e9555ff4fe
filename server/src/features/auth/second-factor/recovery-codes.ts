import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import type { PasswordHashing } from '#server/security/password-hashing';
import { recoveryCodeRepository } from './recovery-code-repository.ts';

const recoveryCodeCount = 10;

/** Letters and digits that nobody confuses. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';
const length = 12;
const selectorLength = 4;

const random = () => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
const shown = (code: string) => code.replace(/(.{4})(?=.)/g, '$1-');

/** True for the form of a recovery code; an app’s code is six digits. */
export const isRecoveryCode = (code: string) => code.length === length && [...code].every((c) => alphabet.includes(c));

export type NewRecoveryCodes = { codes: string[]; rows: { selector: string; hash: string }[] };

/**
 * Makes a set of codes. The first four signs find a code’s row, the other eight are hashed like a password, because they
 * are too few for a fast hash. Takes time: call it outside of transactions.
 */
export async function newRecoveryCodes(hashing: Pick<PasswordHashing, 'hash'>): Promise<NewRecoveryCodes> {
  const codes = new Map<string, string>();
  while (codes.size < recoveryCodeCount) {
    const code = random();
    codes.set(code.slice(0, selectorLength), code);
  }
  // One after the other: other people sign in meanwhile.
  const rows: NewRecoveryCodes['rows'] = [];
  for (const [selector, code] of codes) rows.push({ selector, hash: await hashing.hash(code.slice(selectorLength)) });
  return { codes: [...codes.values()].map(shown), rows };
}

/** The selector of a valid code that is not used yet. Does the same work for an unknown one. */
export async function matchingRecoveryCode(
  db: Kysely<Database>,
  hashing: Pick<PasswordHashing, 'verify'>,
  userId: number,
  code: string,
): Promise<string | null> {
  const selector = code.slice(0, selectorLength);
  const hash = await recoveryCodeRepository(db).unused(userId, selector);
  return (await hashing.verify(hash ?? null, code.slice(selectorLength))) ? selector : null;
}
