import {
  type AccessToken,
  accessTokenLimit,
  type NewAccessToken,
  type TokenPermission,
} from '@roster/contracts/api-tokens';
import type { Role } from '@roster/contracts/auth';
import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Database } from '#server/db/schema';
import type { FoundPrincipal } from '#server/http/public-api/api-principal';
import { AppError } from '#server/lib/errors';
import { hashOfAccessToken, isAccessToken, newAccessToken } from '#server/security/access-token';
import { type AccessTokenRecord, accessTokenRepository } from '#server/security/access-token-repository';
import type { Actor } from '#server/security/actor';
import { securityEventRepository, type Visitor } from '#server/security/events-repository';

const day = 24 * 60 * 60 * 1000;
const touchEvery = 60_000;
/** A commit waits for the disk and must not delay responses, so uses are recorded together a moment later. */
const touchAfter = 1_000;

/** The permissions that a token has while its owner has this role. */
const permissionsForRole = (rights: TokenPermission[], role: Role) =>
  role === 'Viewer' ? rights.filter((right) => right === 'chat') : rights;

const toAccessToken = (record: AccessTokenRecord, role: Role): AccessToken => ({
  id: record.id,
  name: record.name,
  rights: permissionsForRole(record.rights, role),
  last4: record.last4,
  monthlyBudgetUsd: record.monthlyBudgetUsd,
  spentUsd: record.spentUsd,
  createdAt: record.createdAt,
  expiresAt: record.expiresAt,
  lastUsedAt: record.lastUsedAt,
  lastUsedIp: record.lastUsedIp,
});

type Draft = z.output<typeof NewAccessToken>;

/** The token itself is only in this response. */
async function create(db: Kysely<Database>, actor: Actor, input: Draft, visitor: Visitor) {
  const { userId, role, recheckAccess } = actor;
  if (permissionsForRole(input.rights, role).length < input.rights.length)
    throw new AppError('not_allowed', 'Tokens of Viewers can only have the Chat permission.');
  const token = newAccessToken();
  const last4 = token.slice(-4);
  const record = await db.transaction().execute(async (trx) => {
    // Locks the account, so that of two concurrent calls the second counts the first one’s token.
    await recheckAccess(trx);
    const rows = accessTokenRepository(trx);
    if ((await rows.count(userId)) >= accessTokenLimit)
      throw new AppError('conflict', `You can have at most ${accessTokenLimit} access tokens. Revoke one first.`);
    const { name, rights, monthlyBudgetUsd, expiresInDays } = input;
    const expiresAt = expiresInDays === null ? null : new Date(Date.now() + expiresInDays * day).toISOString();
    const hash = hashOfAccessToken(token);
    const made = await rows.insert(userId, { name, rights, last4, monthlyBudgetUsd, expiresAt, hash });
    const detail = `${name} (…${last4})`;
    await securityEventRepository(trx).record({
      userId,
      event: 'access_token_created',
      by: 'self',
      visitor,
      detail,
    });
    return made;
  });
  return { ...toAccessToken(record, role), token };
}

/** Long enough to look at an answer, and useless to anybody who finds the token. */
const trialMs = 60_000;

/**
 * For the page that shows how to call the API. Such a token is not counted or listed, but recorded like every other.
 */
async function createTrial(db: Kysely<Database>, { userId, recheckAccess }: Actor, visitor: Visitor) {
  const token = newAccessToken();
  const last4 = token.slice(-4);
  const expiresAt = new Date(Date.now() + trialMs).toISOString();
  await db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const made = { name: 'Page Connect', rights: ['chat' as const], last4, hash: hashOfAccessToken(token), expiresAt };
    await accessTokenRepository(trx).renewTrial(userId, made);
    const detail = `${made.name}, for a minute (…${last4})`;
    await securityEventRepository(trx).record({ userId, event: 'access_token_created', by: 'self', visitor, detail });
  });
  return { token, expiresAt };
}

async function revoke(db: Kysely<Database>, { userId }: Actor, id: number, visitor: Visitor) {
  await db.transaction().execute(async (trx) => {
    const revoked = await accessTokenRepository(trx).revoke(userId, id);
    if (!revoked) throw new AppError('not_found', 'This access token does not exist or has already been revoked.');
    const detail = `${revoked.name} (…${revoked.last4})`;
    await securityEventRepository(trx).record({
      userId,
      event: 'access_token_revoked',
      by: 'self',
      visitor,
      detail,
    });
  });
}

type Use = { userId: number; tokenId: number; ipAddress: string; at: string };

/** Records when and from where tokens are used, without delaying calls. */
function createUseRecorder(db: Kysely<Database>, onError: (error: unknown) => void) {
  let unwritten = new Map<number, Use>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write() {
    timer = undefined;
    const uses = unwritten;
    unwritten = new Map();
    if (uses.size === 0) return;
    await db.transaction().execute((trx) => accessTokenRepository(trx).touch([...uses.values()]));
  }
  const writeNow = () => {
    writing = writing.then(write).catch(onError);
    return writing;
  };

  return {
    note(use: Use) {
      unwritten.set(use.tokenId, use);
      timer ??= setTimeout(writeNow, touchAfter);
    },
    /** Writes the uses recorded so far. */
    async flush() {
      clearTimeout(timer);
      await writeNow();
    },
  };
}

/** Access tokens: created, listed and revoked by their owner, and checked with every call. */
export function apiTokenService(db: Kysely<Database>, onError: (error: unknown) => void) {
  const tokens = accessTokenRepository(db);
  const uses = createUseRecorder(db, onError);

  return {
    async list({ userId, role }: Actor): Promise<AccessToken[]> {
      // Includes a use that has just been made.
      await uses.flush();
      return (await tokens.list(userId)).map((record) => toAccessToken(record, role));
    },

    create: (actor: Actor, input: Draft, visitor: Visitor) => create(db, actor, input, visitor),

    createTrial: (actor: Actor, visitor: Visitor) => createTrial(db, actor, visitor),

    revoke: (actor: Actor, id: number, visitor: Visitor) => revoke(db, actor, id, visitor),

    /** Returns the token’s owner and permissions, read afresh each time. Records the use at most once a minute. */
    async find(token: string, ipAddress: string): Promise<FoundPrincipal | null> {
      if (!isAccessToken(token)) return null;
      const found = await tokens.byHash(hashOfAccessToken(token));
      if (!found) return null;
      const { id: tokenId, userId, role, rights, lastUsedAt, monthlyBudgetUsd, spentUsd } = found;
      const now = Date.now();
      if (lastUsedAt === null || now - Date.parse(lastUsedAt) >= touchEvery)
        uses.note({ userId, tokenId, ipAddress, at: new Date(now).toISOString() });
      return {
        userId,
        role,
        tokenId,
        rights: permissionsForRole(rights, role),
        monthlyBudgetUsd,
        spentUsd,
        async lock(trx) {
          const locked = await accessTokenRepository(trx).lock(userId, tokenId);
          return locked ? permissionsForRole(locked.rights, locked.role) : null;
        },
      };
    },

    close: uses.flush,
  };
}

export type ApiTokenService = ReturnType<typeof apiTokenService>;
