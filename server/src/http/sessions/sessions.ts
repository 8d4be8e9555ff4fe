import { createHash, randomBytes } from 'node:crypto';
import type { Role, Session } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { Database, PassedFactor } from '#server/db/schema';
import { deviceLabel } from '#server/http/user-agent';
import { AppError } from '#server/lib/errors';
import type { SignedInUser } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';
import { secondFactorDue } from '#server/security/second-factor-policy-repository';
import { type SessionRepository, sessionRepository } from './session-repository.ts';

const day = 24 * 60 * 60 * 1000;
const idleLimit = 7 * day;
const absoluteLimit = 30 * day;
const sessionsPerUser = 50;
const touchEvery = 60_000;
const freshFor = 10 * 60_000;

/** True if the user proved their identity recently enough for sensitive calls. */
export const isFresh = ({ provenAt }: Pick<SignedInUser, 'provenAt'>) => Date.now() - Date.parse(provenAt) < freshFor;

/** For calls that are sensitive only in some cases; others say `fresh` in their contract. */
export function requireFresh(actor: Pick<SignedInUser, 'provenAt'>) {
  if (!isFresh(actor))
    throw new AppError('fresh_sign_in_required', 'Confirm it’s you: your last sign-in was more than ten minutes ago.');
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

const notBefore = () => ({
  created: new Date(Date.now() - absoluteLimit).toISOString(),
  active: new Date(Date.now() - idleLimit).toISOString(),
});

/** Returns which of these sessions are still valid, with their users’ roles. */
export const liveSessions = (db: Kysely<Database>) => (sessionIds: string[]) =>
  sessionRepository(db).live(sessionIds, notBefore());

/** Opaque session tokens: 32 random bytes in the cookie, their SHA-256 in the database. */
export function sessionService(db: Kysely<Database>, onEnd: (sessionIds: string[]) => void) {
  const sessions = sessionRepository(db);

  return {
    /**
     * Starts a session of a new account and returns its token. Every other way of signing in ends in
     * auth/shared/complete-sign-in.ts.
     */
    start: async (userId: number, visitor: Visitor): Promise<string> =>
      (await startSession(db, { userId, visitor })).token,
    /** Returns the token’s session, read afresh each time. Records the activity at most once a minute. */
    find: (token: string, ipAddress: string): Promise<SignedInUser | null> => find(sessions, token, ipAddress),
    /** Returns the current role of a valid session’s user, and locks both until the transaction ends. */
    lock: (
      trx: Kysely<Database>,
      { userId, sessionId }: Pick<SignedInUser, 'userId' | 'sessionId'>,
    ): Promise<Role | null> => sessionRepository(trx).lock(userId, sessionId, notBefore()),
    list: (actor: SignedInUser): Promise<Session[]> => list(sessions, actor),
    /** Signs out one device, this one or another. */
    async end({ userId }: SignedInUser, sessionId: string, visitor: Visitor) {
      await db.transaction().execute(async (trx) => {
        const ended = await sessionRepository(trx).delete(userId, sessionId);
        if (!ended) throw new AppError('not_found', 'This session has already ended.');
        const detail = deviceLabel(ended.userAgent);
        await securityEventRepository(trx).record({ userId, event: 'session_ended', by: 'self', visitor, detail });
      });
      onEnd([sessionId]);
    },
    async signOut({ userId, sessionId }: SignedInUser, visitor: Visitor) {
      await db.transaction().execute(async (trx) => {
        if (await sessionRepository(trx).delete(userId, sessionId))
          await securityEventRepository(trx).record({ userId, event: 'signed_out', by: 'self', visitor });
      });
      onEnd([sessionId]);
    },
    async endOthers({ userId, sessionId }: SignedInUser, visitor: Visitor) {
      const ended = await db.transaction().execute(async (trx) => {
        const others = await sessionRepository(trx).deleteOthers(userId, sessionId);
        if (others.length > 0)
          await securityEventRepository(trx).record({ userId, event: 'other_sessions_ended', by: 'self', visitor });
        return others;
      });
      onEnd(ended);
    },
    async endAll(userId: number) {
      onEnd(await sessions.deleteAll(userId));
    },
    async endToken(token: string) {
      await sessions.deleteByTokenHash(hashOf(token));
    },
  };
}

export type SessionService = ReturnType<typeof sessionService>;

type NewSession = { userId: number; visitor: Visitor; secondFactor?: PassedFactor; deviceHash?: string };

/**
 * Starts a session within a transaction. Never adopts a token that the browser presented before. `secondFactor`: how it
 * was passed. `deviceHash`: a remembered device, which is forgotten with this session from now on.
 */
export async function startSession(
  trx: Kysely<Database>,
  { userId, visitor, secondFactor, deviceHash }: NewSession,
): Promise<{ token: string; sessionId: string }> {
  const rows = sessionRepository(trx);
  const token = randomBytes(32).toString('base64url');
  const id = randomBytes(18).toString('base64url');
  const now = new Date().toISOString();
  await rows.insert(userId, {
    id,
    tokenHash: hashOf(token),
    userAgent: visitor.userAgent?.slice(0, 500) ?? null,
    ipAddress: visitor.ipAddress,
    createdAt: now,
    lastActiveAt: now,
    secondFactor,
  });
  if (deviceHash !== undefined) await rows.moveDevice(userId, deviceHash, id);
  await rows.detachDevices(userId, notBefore());
  await rows.trim(userId, id, sessionsPerUser - 1, notBefore());
  return { token, sessionId: id };
}

async function find(sessions: SessionRepository, token: string, ipAddress: string): Promise<SignedInUser | null> {
  const found = await sessions.byTokenHash(hashOf(token), notBefore());
  if (!found) return null;
  const now = Date.now();
  if (now - Date.parse(found.lastActiveAt) >= touchEvery)
    await sessions.touch(found.userId, found.sessionId, { at: new Date(now).toISOString(), ipAddress });
  const { userId, role, sessionId, confirmedAt, createdAt, userCreatedAt, policy } = found;
  const due = policy === null ? null : secondFactorDue(policy, { role, createdAt: userCreatedAt });
  const provenAt = confirmedAt ?? createdAt;
  return { userId, role, sessionId, provenAt, ...(due !== null && due.getTime() <= now && { mustSetUp: true }) };
}

async function list(sessions: SessionRepository, { userId, sessionId }: SignedInUser): Promise<Session[]> {
  const list = await sessions.list(userId, notBefore());
  return list
    .map((session) => ({
      id: session.id,
      userAgent: session.userAgent,
      device: deviceLabel(session.userAgent),
      ipAddress: session.ipAddress,
      lastActive: session.lastActiveAt,
      createdAt: session.createdAt,
      isCurrent: session.id === sessionId,
    }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
}
