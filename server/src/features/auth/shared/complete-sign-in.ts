import { createHash, randomBytes } from 'node:crypto';
import type { SecondFactorMethod } from '@roster/contracts/second-factor';
import type { Kysely } from 'kysely';
import type { Database } from '#server/db/schema';
import { startSession } from '#server/http/sessions/sessions';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { challengeRepository } from './challenge-repository.ts';
import { deviceRepository } from './device-repository.ts';
import { secondFactorRepository } from './second-factor-repository.ts';

export const newToken = () => randomBytes(32).toString('base64url');
export const tokenHash = (token: string) => createHash('sha256').update(token).digest('hex');

type SignIn = {
  userId: number;
  visitor: Visitor;
  /** The first step, for people: 'Password', 'Google'. */
  method: string;
  /** `done`: the first step was two factors already, such as a passkey with user verification. */
  secondFactor: 'done' | 'needed-if-set';
  /** How it was done; a login provider unless said otherwise. */
  doneBy?: 'passkey' | 'provider';
  /** The token of a remembered device. */
  remembered?: string | undefined;
  /** The page to open after the second step. */
  returnPath?: string;
};

/** `second_factor`: the token of the challenge, which opens nothing but the second step. */
export type SignInOutcome =
  | { kind: 'session'; token: string }
  | { kind: 'second_factor'; token: string; ways: SecondFactorMethod[] };

/**
 * The end of every way of signing in, in its transaction, after the first step was proven: a session, or a challenge
 * if the account has a second factor that was not passed yet.
 */
export async function completeSignIn(trx: Kysely<Database>, signIn: SignIn): Promise<SignInOutcome> {
  const { userId, visitor, method, returnPath = '/' } = signIn;
  const ways = signIn.secondFactor === 'done' ? [] : await secondFactorRepository(trx).waysOf(userId);
  const device = ways.length > 0 ? await rememberedDevice(trx, signIn) : undefined;
  if (ways.length > 0 && device === undefined) {
    const token = newToken();
    await challengeRepository(trx).insert({ idHash: tokenHash(token), userId, method, returnPath });
    return { kind: 'second_factor', token, ways };
  }
  await securityEventRepository(trx).record({ userId, event: 'signed_in', by: 'self', visitor, detail: method });
  const { token } = await startSession(trx, {
    userId,
    visitor,
    ...(signIn.secondFactor === 'done' && { secondFactor: signIn.doneBy ?? 'provider' }),
    ...(device !== undefined && { secondFactor: 'device', deviceHash: device }),
  });
  return { kind: 'session', token };
}

/** The hash of the remembered device’s token, if it is this account’s. */
async function rememberedDevice(trx: Kysely<Database>, { userId, remembered }: SignIn): Promise<string | undefined> {
  if (remembered === undefined) return undefined;
  const hash = tokenHash(remembered);
  return (await deviceRepository(trx).isRemembered(userId, hash)) ? hash : undefined;
}
